import Type from '#typebox'
import type { Sources } from '../../ledger/sources.js'
import { invalidField, refusedInput } from '../../model/app-error.js'
import { toFieldProblems } from '../../model/field-problems.js'
import { CapturedAt, Count, named } from '../../model/ledger-answers.js'
import { schemaCheck } from '../../model/schema-check.js'
import { SOURCE_LIMITS } from '../../model/sources/source-definition.js'
import { compileDefinedAdapter, readSourceDefinition } from '../../platforms/defined/adapter.js'
import { PRESETS } from '../../platforms/defined/presets/presets.js'
import { DRY_RUN_RULES, toTested } from '../../platforms/defined/test-source.js'
import { readSavedRequest } from '../../platforms/deliveries/saved-delivery.js'
import { compressed } from '../answer/compressed.js'
import { json } from '../answer/reply.js'
import { documented, type LedgerEndpoint } from '../http/route.js'
import type { ReadJsonBody } from '../request/body.js'
import { pathParam } from '../request/path-param.js'
import type { AcceptLargeDelivery } from './webhook-routes.js'

/** The operator's sources of a ledger, as routes use them. */
export type ServedSources = Pick<Sources, 'find' | 'list' | 'get' | 'save' | 'delete' | 'remap' | 'readFeed'>

interface SourceRouteParts {
  ledger: { sources: ServedSources }
  readJsonBody: ReadJsonBody
}

interface TestRouteParts extends SourceRouteParts {
  acceptLargeDelivery: AcceptLargeDelivery
}

/** `GET /api/sources` */
export function listSources({ ledger }: Pick<SourceRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.list, async req => {
    const items = await ledger.sources.list()
    return compressed(req, json(200, { items, count: items.length }))
  })
}

/** `GET /api/sources/:name` */
export function getSource({ ledger }: Pick<SourceRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.get, async req => json(200, await ledger.sources.get(pathParam(req))))
}

/** `PUT /api/sources/:name`: no answer ever shows a secret. */
export function saveSource({ ledger, readJsonBody }: SourceRouteParts): LedgerEndpoint {
  return documented(DOCS.save, async (req, res) => {
    const input = await readJsonBody(req, res, 2 * SOURCE_LIMITS.bytes)
    const { created, source } = await ledger.sources.save(pathParam(req), input)
    return json(created ? 201 : 200, { created, source })
  })
}

/** `DELETE /api/sources/:name` */
export function deleteSource({ ledger }: Pick<SourceRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.delete, async req => {
    await ledger.sources.delete(pathParam(req))
    return { status: 204, body: '' }
  })
}

/** `POST /api/sources/:name/remap` */
export function remapSource({ ledger }: Pick<SourceRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.remap, async (req, res) => {
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    return json(200, { ...(await ledger.sources.remap(pathParam(req, 1), gone.signal)) })
  })
}

/** `POST /api/sources/:name/read` */
export function readSourceFeed({ ledger }: Pick<SourceRouteParts, 'ledger'>): LedgerEndpoint {
  return documented(DOCS.read, async (req, res) => {
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    return json(200, { ...(await ledger.sources.readFeed(pathParam(req, 1), gone.signal)) })
  })
}

/** `POST /api/sources/:name/test`: the events of a saved delivery. Another thread maps it, as for large deliveries. */
export function testSavedDelivery({ ledger, readJsonBody, acceptLargeDelivery }: TestRouteParts): LedgerEndpoint {
  return documented(DOCS.test, async (req, res) => {
    const input = await readJsonBody(req, res, 2 * (TEST_LIMITS.bytes + SOURCE_LIMITS.bytes))
    if (!checkTest.Check(input)) throw refusedInput('The test', toFieldProblems(checkTest.Errors(input), input))
    const name = pathParam(req, 1)
    const { definition, delivery } = input
    const bytes = Buffer.from(delivery)
    if (bytes.byteLength > TEST_LIMITS.bytes) {
      const detail = `/delivery has more than ${TEST_LIMITS.bytes} bytes. Use daybook sources test.`
      throw invalidField('/delivery', detail)
    }
    const tried =
      definition === undefined ? (await ledger.sources.get(name)).definition : readSourceDefinition(definition)
    const rules = { ...DRY_RUN_RULES, explained: TEST_LIMITS.events }
    const accepted = await acceptLargeDelivery(compileDefinedAdapter(tried), readSavedRequest(bytes, {}), rules)
    const facts = JSON.stringify({ ...toTested(accepted), count: accepted.events.length })
    const events = accepted.events
      .slice(0, TEST_LIMITS.events)
      .flatMap(({ event, json }, at) => [at === 0 ? '' : ',', json ?? JSON.stringify(event)])
    return { status: 200, body: [`${facts.slice(0, -1)},"events":[`, ...events, ']}'] }
  })
}

/** `GET /api/presets` */
export function listPresets(): LedgerEndpoint {
  const items = [...PRESETS].map(([name, definition]) => ({ name, definition }))
  return documented(DOCS.presets, async req => compressed(req, json(200, { items, count: items.length })))
}

/** A source as answers show it. */
export const ShownSourceSchema = Type.Object({
  definition: named('SourceDefinition'),
  webhook_path: Type.String(),
  accepts: Type.Boolean({ description: 'It is enabled, and has a secret if its proof needs one.' }),
  secret_count: Count,
  created_at: CapturedAt,
  updated_at: CapturedAt,
  feed: Type.Optional(
    Type.Object(
      { read_at: CapturedAt, next_read_at: CapturedAt, problem: Type.Optional(Type.String()) },
      { description: 'Of a feed that was read.' },
    ),
  ),
})

const TEST_LIMITS = { bytes: 256 * 1024, events: 20 } as const

const TestSchema = Type.Object(
  {
    definition: Type.Optional(Type.Unknown({ description: 'The definition to try; absent: that of the source.' })),
    delivery: Type.String({
      minLength: 1,
      description: 'Text of a delivery: {"headers": {…}, "body": …}, or the body alone. At most 256 KiB.',
    }),
  },
  { additionalProperties: false },
)
const checkTest = schemaCheck(TestSchema)

const SavedSchema = Type.Object({ created: Type.Boolean(), source: named('Source') })

const DOCS = {
  list: {
    summary: 'The sources that operators have defined',
    description: 'With their definitions. No answer contains a secret; `secret_count` is their number.',
    answers: {
      200: {
        description: 'The sources, by name',
        schema: Type.Object({ items: Type.Array(named('Source')), count: Count }),
      },
    },
  },
  get: {
    summary: 'One source',
    description: 'With its definition, without its secrets.',
    answers: { 200: { description: 'The source', schema: named('Source') } },
  },
  save: {
    summary: 'Creates a source, or replaces the one with this name',
    description:
      'Secrets that are stored stay unless others are sent; a definition that would send them to another server needs them again. A definition that is wrong is refused with the place.',
    body: {
      'application/json': Type.Object({
        definition: named('SourceDefinition'),
        secrets: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: SOURCE_LIMITS.secretCharacters }), {
            maxItems: SOURCE_LIMITS.secrets,
            description: 'All currently valid secrets. Absent: they stay.',
          }),
        ),
      }),
    },
    answers: {
      201: { description: 'Created', schema: SavedSchema },
      200: { description: 'Replaced', schema: SavedSchema },
    },
  },
  delete: {
    summary: 'Deletes a source with its secrets; events stay',
    description: 'From then on, its deliveries are answered with 404.',
    answers: { 204: { description: 'Deleted' } },
  },
  remap: {
    summary: 'Maps deliveries that fitted no rule again',
    description: 'By the current definition. What now fits becomes new events; the kept deliveries stay as they are.',
    answers: {
      200: {
        description: 'How many events it made, and how many deliveries still fit no rule',
        schema: Type.Object({ created: Count, duplicates: Count, unmapped: Count }),
      },
    },
  },
  read: {
    summary: 'Reads a feed now',
    description: 'Items that the ledger does not have become events. The server reads feeds regularly without this.',
    answers: {
      200: {
        description: 'How many items were new, and how many the ledger has already',
        schema: Type.Object({ created: Count, known: Count, unchanged: Type.Boolean() }),
      },
    },
  },
  test: {
    summary: 'What a delivery would become at a source',
    description: 'By its definition, or by one that is sent. Verifies no proof and stores nothing.',
    body: { 'application/json': TestSchema },
    answers: {
      200: {
        description: 'The events',
        schema: Type.Object({
          count: Count,
          events: Type.Array(named('EventInput'), { description: `The first ${TEST_LIMITS.events}.` }),
          ignored: Count,
          delivery_id: Type.Optional(Type.String()),
          answer: Type.Optional(Type.Unknown({ description: 'That it asks for: an object, or a text.' })),
          without_result: Type.Optional(
            Type.Array(Type.Array(Type.String()), {
              description: 'Of each event: the values of its rule that have no result, as places in the definition.',
            }),
          ),
        }),
      },
    },
  },
  presets: {
    summary: 'Definitions for known services',
    description: 'Without the name that a source gives them.',
    answers: {
      200: {
        description: 'The presets, by name',
        schema: Type.Object({
          items: Type.Array(Type.Object({ name: Type.String(), definition: Type.Unknown() })),
          count: Count,
        }),
      },
    },
  },
}
