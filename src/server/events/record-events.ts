import { setImmediate as nextTurn } from 'node:timers/promises'
import Type from '#typebox'
import type { EventDelivery } from '../../ledger/event-recorder.js'
import { readEvent } from '../../ledger/read-event.js'
import type { ToAddress } from '../../login/caller-address.js'
import { AppError, fieldsOf, joinRefusals } from '../../model/app-error.js'
import type { NewEvent } from '../../model/events/event.js'
import { EVENT_LIMITS } from '../../model/events/event-limits.js'
import { CapturedAt, Count, named } from '../../model/ledger-answers.js'
import { toTimestamp } from '../../model/timestamp.js'
import { fromBinaryMode } from '../../platforms/cloud-events/binary-mode.js'
import { readCloudEvent } from '../../platforms/cloud-events/read-cloud-event.js'
import type { RecordOutcome } from '../../store/event-store.js'
import { addressOf } from '../http/request-address.js'
import { documented, type HttpRequest, type LedgerEndpoint, type Reply, type RouteDoc } from '../http/route.js'
import type { LedgerMetrics } from '../ledger/ledger-metrics.js'
import type { ServedLedger } from '../ledger/served-ledger.js'
import { type ReadBody, sizeText, tooLarge } from '../request/body.js'
import { readJson } from '../request/read-json.js'
import { firstByte, splitArray, splitLines } from '../request/split-json.js'
import type { AnonymousRate } from './anonymous-rate.js'
import { CLOUD_EVENT, CLOUD_EVENTS_BATCH, LINES, readEventForm } from './event-form.js'
import { type RecordingRights, recordingRightsOf, refuseForeignSource } from './recording-rights.js'

/** How much of a batch is parsed before other requests get a turn. */
const BYTES_A_TURN = 256 * 1024

interface RecordEventsParts {
  ledger: ServedLedger
  readBody: ReadBody
  metrics: LedgerMetrics
  anonymousRate: AnonymousRate
  throttleAddress: ToAddress
}

/**
 * `POST /api/events`: one event as a JSON object, or a batch as a JSON array or as lines of JSON; or CloudEvents, one
 * or a batch. If anything in a batch is refused, none of it is recorded.
 */
export function recordEvents(parts: RecordEventsParts): LedgerEndpoint {
  const { readBody } = parts
  return documented(DOC, async (req, res) => {
    const form = readEventForm(req)
    const rights = recordingRightsOf(req.identity)
    const record = recorder(parts, { req, rights })
    const bytes = await readBody(req, res, EVENT_LIMITS.batchBytes, { decompress: true })

    const isBatch = form === LINES || form === CLOUD_EVENTS_BATCH || (form === 'application/json' && isArray(bytes))
    if (isBatch) {
      if (form === CLOUD_EVENTS_BATCH && !isArray(bytes)) throw notAnArray()
      const texts = form === LINES ? splitLines(bytes) : splitArray(bytes)
      const toInput = form === CLOUD_EVENTS_BATCH ? readCloudEvent : asSent
      return toBatchReply(await record(await readBatch(texts, rights, toInput)))
    }

    if (bytes.length > EVENT_LIMITS.bytes) throw tooLarge(EVENT_LIMITS.bytes)
    const sent = form === 'binary' ? fromBinaryMode(req.headers, bytes, readJson) : readJson(bytes)
    const input = form === 'application/json' ? sent : readCloudEvent(sent)
    const [outcome] = await record([readInput(input, rights)])
    if (!outcome) throw new Error('The ledger answered one delivery with no outcome')
    return toEventReply(outcome, rights)
  })
}

function isArray(bytes: Buffer): boolean {
  return firstByte(bytes) === 0x5b
}

function notAnArray(): AppError {
  const hint = `Send one CloudEvent as ${CLOUD_EVENT}.`
  return new AppError('invalid', 'invalid_json', 'A batch of CloudEvents must be a JSON array.', { hint })
}

/** Converts the parsed JSON of one element of a batch to an event that `readEvent` accepts. */
type ToInput = (sent: unknown) => unknown

function asSent(sent: unknown): unknown {
  return sent
}

/** Returns a function that records the events of one request, if its caller may. Refuses an address without allowance. */
function recorder(
  { ledger, metrics, anonymousRate, throttleAddress }: RecordEventsParts,
  { req, rights }: { req: HttpRequest; rights: RecordingRights },
): (events: readonly NewEvent[]) => Promise<RecordOutcome[]> {
  const { provenance, sources, isAnonymous } = rights
  const address = isAnonymous ? addressOf(req, throttleAddress) : undefined
  if (address !== undefined) anonymousRate.check(address)
  return async events => {
    if (sources) for (const event of events) refuseForeignSource(event, sources)
    if (address !== undefined) {
      anonymousRate.check(address, events.length)
      anonymousRate.count(address, events.length)
    }
    const deliveries = events.map((event): EventDelivery => ({ event, provenance }))
    const outcomes = deliveries.length > 0 ? await ledger.record(deliveries) : []
    for (const outcome of outcomes) metrics.countDelivery('api', outcome.created)
    return outcomes
  }
}

/** To describe a wrong event takes longer than to find it: after this number of problems only the indexes are listed. */
const DESCRIBED_PROBLEMS = 1_000

/** Reports the problems of a batch, each under the index of its event. */
async function readBatch(texts: Iterable<Buffer>, rights: RecordingRights, toInput: ToInput): Promise<NewEvent[]> {
  const events: NewEvent[] = []
  const refusals: AppError[] = []
  let problems = 0
  let index = 0
  let bytesThisTurn = 0
  for (const text of texts) {
    if (index === EVENT_LIMITS.batchEvents) {
      const detail = `A batch holds at most ${EVENT_LIMITS.batchEvents} events. Send several.`
      throw new AppError('too_large', 'body_too_large', detail)
    }
    try {
      events.push(readInput(toInput(readElement(text)), rights, problems < DESCRIBED_PROBLEMS))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const refusal = atIndex(index, error)
      refusals.push(refusal)
      problems += fieldsOf(refusal).length
    }
    index += 1
    bytesThisTurn += text.length
    if (bytesThisTurn >= BYTES_A_TURN) {
      bytesThisTurn = 0
      await nextTurn()
    }
  }
  if (refusals.length > 0) throw joinRefusals(refusals)
  return events
}

function readElement(text: Buffer): unknown {
  if (text.length > EVENT_LIMITS.bytes) {
    throw new AppError('invalid', 'invalid_field', `An event is larger than ${sizeText(EVENT_LIMITS.bytes)}.`)
  }
  return readJson(text)
}

function readInput(input: unknown, { isAnonymous }: RecordingRights, describes = true): NewEvent {
  return readEvent(input, {
    describes,
    ...(isAnonymous ? { keyCharacters: EVENT_LIMITS.unverifiedKeyCharacters } : {}),
  })
}

function atIndex(index: number, refusal: AppError): AppError {
  const errors = fieldsOf(refusal).map(({ field, detail }) => ({ field: `/${index}${field}`, detail }))
  return new AppError('invalid', refusal.code, `Event ${index}: ${refusal.message}`, { errors })
}

function toEventReply(outcome: RecordOutcome, { showsEvent }: RecordingRights): Reply {
  const event = showsEvent ? `,"event":${outcome.body}` : ''
  return { status: outcome.created ? 201 : 200, body: `{${outcomeMembers(outcome)}${event}}` }
}

function toBatchReply(outcomes: readonly RecordOutcome[]): Reply {
  const created = outcomes.filter(outcome => outcome.created).length
  const results = outcomes.map(outcome => `{${outcomeMembers(outcome)}}`).join(',')
  const body = `{"created":${created},"duplicates":${outcomes.length - created},"results":[${results}]}`
  return { status: 200, body }
}

function outcomeMembers({ created, dedupeKey, seenCount, capturedAt }: RecordOutcome): string {
  return `"created":${created},"dedupe_key":${JSON.stringify(dedupeKey)},"seen_count":${seenCount},"captured_at":"${toTimestamp(capturedAt)}"`
}

const RECORDED = {
  created: Type.Boolean({ description: 'False for a repeat.' }),
  dedupe_key: Type.String(),
  seen_count: Type.Integer({ minimum: 1 }),
  captured_at: CapturedAt,
}

const RecordedSchema = Type.Union([
  Type.Object({ ...RECORDED, event: Type.Optional(named('Event')) }),
  Type.Object({ created: Count, duplicates: Count, results: Type.Array(Type.Object(RECORDED)) }),
])

const DOC: RouteDoc = {
  summary: 'Records one event or CloudEvent, or a batch (JSON array or NDJSON) as a whole or not at all',
  description: 'Recording an event with a known dedupe key counts a repeat, so a request can be sent again.',
  body: {
    'application/json': Type.Union([named('EventInput'), Type.Array(named('EventInput'))]),
    'application/x-ndjson': Type.String({ description: 'One event a line.' }),
    [CLOUD_EVENT]: Type.Object(
      {},
      { description: 'A CloudEvent 1.0. In binary mode, its attributes are ce-… headers.' },
    ),
    [CLOUD_EVENTS_BATCH]: Type.Array(Type.Object({})),
  },
  answers: {
    201: { description: 'One event that was new', schema: RecordedSchema },
    200: { description: 'One event that was known, or a batch', schema: RecordedSchema },
  },
}
