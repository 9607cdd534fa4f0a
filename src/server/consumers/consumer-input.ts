import Type from '#typebox'
import type { AcknowledgementInput } from '../../ledger/consumers/consumers.js'
import { type FieldProblem, invalidField, refusedInput } from '../../model/app-error.js'
import { CONSUMER_LIMITS, type ConsumerPosition } from '../../model/consumers/consumer.js'
import { IDENTIFYING } from '../../model/events/event.js'
import { EVENT_LIMITS } from '../../model/events/event-limits.js'
import type { FilterValues } from '../../model/events/filter-values.js'
import { toFieldProblems } from '../../model/field-problems.js'
import { readObject } from '../../model/json-object.js'
import { schemaCheck } from '../../model/schema-check.js'
import { type Micros, readTimestamp } from '../../model/timestamp.js'
import { FILTER_NAMES, readFilterObject } from '../events/event-filter-params.js'

const Instant = Type.String({ maxLength: 64 })
const LeaseSeconds = Type.Integer({
  minimum: CONSUMER_LIMITS.leaseSeconds.min,
  maximum: CONSUMER_LIMITS.leaseSeconds.max,
})
const Values = Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 50 })])

export const FiltersSchema = Type.Object(Object.fromEntries(FILTER_NAMES.map(name => [name, Type.Optional(Values)])), {
  additionalProperties: false,
  description: 'The filters of `GET /api/events`, each a text or a list.',
})

const POSITION = {
  position: Type.Optional(Type.Enum(['beginning', 'now', 'same'])),
  since: Type.Optional(Instant),
  from: Type.Optional(Instant),
}

/** Where to continue: exactly one member. */
export const SeekSchema = Type.Object(POSITION, {
  additionalProperties: false,
  description: '`position`, `since` (a checkpoint), or `from` (a time): exactly one.',
})

/** Body of a request that creates or changes a consumer. */
export const ConsumerInputSchema = Type.Object(
  { filters: Type.Optional(FiltersSchema), ...POSITION },
  { additionalProperties: false, description: 'The position counts for a new consumer only; without one: now.' },
)

export const AcknowledgementSchema = Type.Object(
  {
    fence: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'As in the batch.' }),
    checkpoint: Type.Optional(Instant),
    retried: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    dead_letters: Type.Optional(
      Type.Array(
        Type.Object(
          {
            dedupe_key: Type.String({
              minLength: 1,
              maxLength: EVENT_LIMITS.dedupeKeyCharacters,
              pattern: IDENTIFYING,
            }),
            captured_at: Instant,
            error: Type.String(),
            attempts: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
          },
          { additionalProperties: false },
        ),
        { maxItems: CONSUMER_LIMITS.page },
      ),
    ),
    error: Type.Optional(Type.String({ description: 'A failure to report. Its last 4 KiB are kept.' })),
    lease_seconds: Type.Optional(LeaseSeconds),
    release: Type.Optional(Type.Boolean({ description: 'The instance ends: another one may read.' })),
  },
  { additionalProperties: false },
)

const checks = {
  consumer: schemaCheck(ConsumerInputSchema),
  seek: schemaCheck(SeekSchema),
  acknowledgement: schemaCheck(AcknowledgementSchema),
}

/** @throws AppError `invalid/…` with every refused field, as all readers here */
export function readConsumerInput(input: unknown): { filters?: FilterValues; position: ConsumerPosition } {
  const sent = readObject(input, 'The body')
  if (!checks.consumer.Check(sent)) throw refused(checks.consumer.Errors(sent), sent)
  const { filters, ...position } = sent
  const place = findPosition(position) ?? 'now'
  return { ...(filters ? { filters: readFilters(filters) } : {}), position: place }
}

export function readSeek(input: unknown): ConsumerPosition {
  const sent = readObject(input, 'The body')
  if (!checks.seek.Check(sent)) throw refused(checks.seek.Errors(sent), sent)
  const place = findPosition(sent)
  if (place === undefined) throw refusedInput('The position', [ONE_POSITION])
  return place
}

export function readAcknowledgement(input: unknown): AcknowledgementInput {
  const sent = readObject(input, 'The body')
  if (!checks.acknowledgement.Check(sent)) throw refused(checks.acknowledgement.Errors(sent), sent)
  const { fence, checkpoint, retried, dead_letters, error, lease_seconds, release } = sent
  return {
    fence,
    checkpoint: checkpoint === undefined ? undefined : readTimestamp('/checkpoint', checkpoint).micros,
    retried,
    deadLetters: dead_letters?.map((letter, at) => ({
      ...letter,
      captured_at: readTimestamp(`/dead_letters/${at}/captured_at`, letter.captured_at).micros,
      error: lastBytes(letter.error),
    })),
    error: error === undefined ? undefined : lastBytes(error),
    leaseSeconds: lease_seconds ?? CONSUMER_LIMITS.leaseSeconds.default,
    release: release ?? false,
  }
}

const ONE_POSITION: FieldProblem = {
  field: '',
  detail: 'Send exactly one of position, since and from.',
}

function readFilters(sent: Readonly<Record<string, string | string[] | undefined>>): FilterValues {
  const filters = readFilterObject(withoutAbsent(sent))
  if (Buffer.byteLength(JSON.stringify(filters)) <= CONSUMER_LIMITS.filterBytes) return filters
  throw invalidField('/filters', `/filters must be at most ${CONSUMER_LIMITS.filterBytes} bytes long, as JSON.`)
}

interface PositionInput {
  position?: 'beginning' | 'now' | 'same'
  since?: string
  from?: string
}

function findPosition({ position, since, from }: PositionInput): ConsumerPosition | undefined {
  if ([position, since, from].filter(value => value !== undefined).length > 1) {
    throw refusedInput('The position', [ONE_POSITION])
  }
  if (since !== undefined) return place(readTimestamp('/since', since).micros)
  if (from !== undefined) return place(readTimestamp('/from', from).micros - 1)
  return position
}

/** A checkpoint before 1970 is the beginning. */
function place(micros: Micros): Micros {
  return Math.max(0, micros)
}

/** The end of a text, which names the cause. Does not split a character. */
function lastBytes(text: string): string {
  const bytes = Buffer.from(text.replaceAll('\0', '\u2400'))
  if (bytes.length <= CONSUMER_LIMITS.errorBytes) return bytes.toString()
  let start = bytes.length - CONSUMER_LIMITS.errorBytes
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.toString('utf8', start)
}

function refused(errors: Parameters<typeof toFieldProblems>[0], input: unknown) {
  const problems = toFieldProblems(errors, input)
  return refusedInput('The body', problems.length > 0 ? problems : [{ field: '', detail: 'It has an invalid member.' }])
}

function withoutAbsent(filters: Readonly<Record<string, string | string[] | undefined>>) {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Record<string, string | string[]>
}
