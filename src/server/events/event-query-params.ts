import Type from '#typebox'
import { VERIFICATIONS } from '../../model/events/event.js'
import type { FacetQuery } from '../../model/events/event-facets.js'
import { HISTOGRAM_LIMITS, HISTOGRAM_SPLITS, type HistogramQuery } from '../../model/events/event-histogram.js'
import { type EventQuery, QUERY_LIMITS } from '../../model/events/event-query.js'
import { defined } from '../../model/events/filter-values.js'
import { OUTCOMES } from '../../model/sentences/event-outcome.js'
import { type Micros, readTimestamp } from '../../model/timestamp.js'
import type { ParameterDoc } from '../http/route.js'
import { QueryString } from '../request/query-string.js'
import { FIELD_LIMITS } from './event-fields.js'
import { type FilterName, REPEATABLE, readFilters } from './event-filter-params.js'

export const WAIT_SECONDS = { min: 1, max: 55 } as const

interface EventQueryRequest {
  query: EventQuery
  /** How long to wait until an event matches; only with `query.since`. */
  waitSeconds?: number
  /** The members of each event to answer with; absent: all. */
  fields?: readonly string[]
}

/**
 * Reads the query string of `GET /api/events`.
 *
 * @param search as sent, with its `?`
 * @param now the ledger's clock, for `days`
 * @throws AppError `invalid/invalid_field`, `invalid/invalid_timestamp`, listing every parameter that is not acceptable
 *
 * Source: Event Ledger Service, "Query parameters of GET /api/events"; it does not define how the time filters combine;
 * we intersect them.
 */
export function readEventQuery(search: string, now: Micros): EventQueryRequest {
  const params = new QueryString(search, EVENT_PARAMETER_NAMES, REPEATABLE)
  const matching = readMatching(params, now)
  const { since } = matching
  const limit = params.integer('limit', { min: 1, max: QUERY_LIMITS.limit }) ?? QUERY_LIMITS.defaultLimit
  const order = params.oneOf('order', ['asc', 'desc']) ?? (since === undefined ? 'desc' : 'asc')
  const waitSeconds = params.integer('wait', WAIT_SECONDS)
  if (params.raw('wait') !== undefined && params.raw('since') === undefined) {
    params.refuse('wait', 'wait needs since: it holds the answer until something comes after that checkpoint.')
  }
  const fields = readFields(params)
  params.finish()
  return { query: { ...matching, order, limit }, ...defined({ waitSeconds, fields }) }
}

/**
 * Reads the query string of `GET /api/histogram`: the parameters of a page, without those for paging.
 *
 * @throws AppError as `readEventQuery`
 */
export function readHistogramQuery(search: string, now: Micros): Omit<HistogramQuery, 'now'> {
  const params = new QueryString(search, HISTOGRAM_PARAMETER_NAMES, REPEATABLE)
  const { buckets: max, defaultBuckets } = HISTOGRAM_LIMITS
  const buckets = params.integer('buckets', { min: 1, max }) ?? defaultBuckets
  const split = params.oneOf('split', HISTOGRAM_SPLITS)
  const matching = readMatching(params, now)
  params.finish()
  return { ...matching, buckets, ...defined({ split }) }
}

/**
 * Reads the query string of `GET /api/facets`: the parameters of a page, without those for paging.
 *
 * @throws AppError as `readEventQuery`
 */
export function readFacetQuery(search: string, now: Micros): Omit<FacetQuery, 'now'> {
  const params = new QueryString(search, MATCH_PARAMETER_NAMES, REPEATABLE)
  const matching = readMatching(params, now)
  params.finish()
  return matching
}

/** JSON Lines, or a table for spreadsheets. */
const EXPORT_FORMATS = ['jsonl', 'csv'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/**
 * Reads the query string of `GET /api/export`: the parameters of a page, without those for paging.
 *
 * @throws AppError as `readEventQuery`
 */
export function readExportQuery(search: string, now: Micros): { matching: Partial<EventQuery>; format: ExportFormat } {
  const params = new QueryString(search, EXPORT_PARAMETER_NAMES, REPEATABLE)
  const format = params.oneOf('format', EXPORT_FORMATS) ?? 'jsonl'
  const matching = readMatching(params, now)
  params.finish()
  return { matching, format }
}

/** A request for a stream: the filters, and where to begin. */
interface EventStreamRequest {
  filters: Partial<EventQuery>
  /** The checkpoint after which it begins; absent: `filters.from`, or now. */
  since?: Micros
}

/**
 * Reads the query string of `GET /api/stream`. A stream is in order and has neither end nor pages, so `to`,
 * `before`, `order`, `limit` and `wait` are refused there. `from` and `days` begin it in the past, as `since` does.
 *
 * @param lastEventId of a reconnecting reader; takes precedence over the address
 * @throws AppError as `readEventQuery`
 */
export function readEventStreamRequest(
  search: string,
  lastEventId: string | undefined,
  now: Micros,
): EventStreamRequest {
  const params = new QueryString(search, STREAM_PARAMETER_NAMES, REPEATABLE)
  const resumed = lastEventId ? params.attempt(() => readTimestamp('Last-Event-ID', lastEventId).micros) : undefined
  const since = resumed ?? params.timestamp('since')?.micros
  const from = readFrom(params, now)
  const filters = readFilters(params)
  params.finish()
  return { filters: { ...filters, ...defined({ from }) }, ...defined({ since }) }
}

type StreamParameter = FilterName | 'since' | 'from' | 'days'
/** Filters and range, which decide what matches. */
type MatchParameter = StreamParameter | 'to' | 'before'
type EventParameter = MatchParameter | 'order' | 'limit' | 'wait' | 'fields'

const Timestamp = Type.String({ format: 'date-time' })
const Text = Type.String({ minLength: 1 })

const DOCS: Record<EventParameter, Omit<ParameterDoc, 'name'>> = {
  source: {
    description:
      'Platform source: chat, forum, code_a, code_b, or a word of a direct writer; `!chat`: not this one. Several: any of them.',
    schema: Text,
    repeatable: true,
  },
  kind: {
    description: 'Event kind; `message.*` covers all of message, `!message.*` none of it. Several: any of them.',
    schema: Text,
    repeatable: true,
  },
  subscription_id: {
    description: 'Events that matched this subscription when captured. Several: any of them.',
    schema: Text,
    repeatable: true,
  },
  subject_id: { description: 'Exact `subject_id`.', schema: Text },
  actor: {
    description: "The actor's id or, ignoring case, display name; `!ada`: not by this actor. Several: any of them.",
    schema: Text,
    repeatable: true,
  },
  target: { description: 'A key anywhere in the target chain, such as stream:4.', schema: Text },
  verified: {
    description: `How the delivery was verified, as a comma list of: ${VERIFICATIONS.join(', ')}.`,
    schema: Type.String(),
  },
  outcome: {
    description:
      'How a run ended: failed, succeeded or cancelled; running covers all that has not ended; `!failed`: not this one. Several: any of them.',
    schema: Type.Enum([...OUTCOMES, ...OUTCOMES.map(outcome => `!${outcome}`)]),
    repeatable: true,
  },
  occurred_from: { description: 'Happened there (`occurred_at`) at this time or later.', schema: Timestamp },
  occurred_to: { description: 'Happened there (`occurred_at`) at this time or earlier.', schema: Timestamp },
  exclude_source: { description: 'Not of this source. Several: none of them.', schema: Text, repeatable: true },
  exclude_kind: {
    description: 'Not of this kind; `message.*` covers all of message. Several: none of them.',
    schema: Text,
    repeatable: true,
  },
  exclude_actor: {
    description: 'Not by the actor with this id or, ignoring case, display name. Several: none of them.',
    schema: Text,
    repeatable: true,
  },
  exclude_target: {
    description: 'This key is nowhere in the target chain. Several: none of them.',
    schema: Text,
    repeatable: true,
  },
  exclude_outcome: {
    description: 'Not with this outcome; events without one match. Several: none of them.',
    schema: Type.Enum([...OUTCOMES]),
    repeatable: true,
  },
  exclude_q: {
    description: 'No event in which all these words occur, as in `q`. Several: none of them.',
    schema: Type.String({ minLength: 1, maxLength: QUERY_LIMITS.searchCharacters }),
    repeatable: true,
  },
  q: {
    description:
      'Words separated by blanks, all must occur in payload, actor or conversation, ignoring case; "a phrase" stays together.',
    schema: Type.String({ maxLength: QUERY_LIMITS.searchCharacters }),
  },
  since: {
    description: 'Checkpoint: only events captured after it. Save `next_since` and send it.',
    schema: Timestamp,
  },
  from: { description: 'Captured at this time or later.', schema: Timestamp },
  to: { description: 'Captured at this time or earlier.', schema: Timestamp },
  before: {
    description:
      'Captured earlier than this time: with the last `captured_at` of a page, the events that are older than that page.',
    schema: Timestamp,
  },
  days: {
    description: 'Captured in this many days of 24 hours before the request.',
    schema: Type.Integer({ minimum: 1, maximum: QUERY_LIMITS.days }),
  },
  order: {
    description: 'Oldest or newest first; default: oldest first with `since`, otherwise newest first.',
    schema: Type.Enum(['asc', 'desc']),
  },
  limit: {
    description: `Events a page, ${QUERY_LIMITS.defaultLimit} when absent.`,
    schema: Type.Integer({ minimum: 1, maximum: QUERY_LIMITS.limit }),
  },
  fields: {
    description: `Only these members of each event, as a comma list of at most ${FIELD_LIMITS.names}: dedupe_key,kind,captured_at.`,
    schema: Text,
  },
  wait: {
    description: 'With `since`: seconds to hold the answer until something matches.',
    schema: Type.Integer({ minimum: WAIT_SECONDS.min, maximum: WAIT_SECONDS.max }),
  },
}

const EVENT_PARAMETER_NAMES = Object.keys(DOCS) as EventParameter[]
const FOR_PAGING: readonly EventParameter[] = ['order', 'limit', 'wait', 'fields']
const NOT_FOR_STREAMS: readonly EventParameter[] = ['to', 'before', ...FOR_PAGING]
const STREAM_PARAMETER_NAMES = EVENT_PARAMETER_NAMES.filter(isStreamParameter)

const MATCH_PARAMETER_NAMES = EVENT_PARAMETER_NAMES.filter(isMatchParameter)
const HISTOGRAM_PARAMETER_NAMES = [...MATCH_PARAMETER_NAMES, 'buckets', 'split'] as const
const EXPORT_PARAMETER_NAMES = [...MATCH_PARAMETER_NAMES, 'format'] as const

/** The parameters of `GET /api/events`, described. */
export const EVENT_PARAMETERS = EVENT_PARAMETER_NAMES.map(toParameterDoc)

/** The parameters of `GET /api/stream`, described. */
export const EVENT_STREAM_PARAMETERS = STREAM_PARAMETER_NAMES.map(toParameterDoc)

/** The parameters of `GET /api/facets`, described. */
export const FACET_PARAMETERS: readonly ParameterDoc[] = MATCH_PARAMETER_NAMES.map(toParameterDoc)

/** The parameters of `GET /api/histogram`, described. */
export const HISTOGRAM_PARAMETERS: readonly ParameterDoc[] = [
  ...FACET_PARAMETERS,
  {
    name: 'buckets',
    description: `The number of equal parts of the range, ${HISTOGRAM_LIMITS.defaultBuckets} when absent.`,
    schema: Type.Integer({ minimum: 1, maximum: HISTOGRAM_LIMITS.buckets }),
  },
  {
    name: 'split',
    description: 'outcome: counts failed, succeeded, running and cancelled events separately as well.',
    schema: Type.Enum([...HISTOGRAM_SPLITS]),
  },
]

/** The parameters of `GET /api/export`, described. */
export const EXPORT_PARAMETERS: readonly ParameterDoc[] = [
  ...FACET_PARAMETERS,
  {
    name: 'format',
    description: 'jsonl: an event a line, as stored, the default; csv: a table for spreadsheets, without payloads.',
    schema: Type.Enum([...EXPORT_FORMATS]),
  },
]

function isMatchParameter(name: EventParameter): name is MatchParameter {
  return !FOR_PAGING.includes(name)
}

function isStreamParameter(name: EventParameter): name is StreamParameter {
  return !NOT_FOR_STREAMS.includes(name)
}

function toParameterDoc(name: EventParameter): ParameterDoc {
  return { name, ...DOCS[name] }
}

/** Filters and range. */
function readMatching<Other extends string>(
  params: QueryString<Other | MatchParameter>,
  now: Micros,
): Partial<EventQuery> {
  const since = params.timestamp('since')?.micros
  const to = readTo(params)
  const from = readFrom(params, now)
  return { ...readFilters(params), ...defined({ since, from, to }) }
}

/** The later of `from` and the beginning of `days`. */
function readFrom<Other extends string>(params: QueryString<Other | StreamParameter>, now: Micros): Micros | undefined {
  const from = params.timestamp('from')?.micros
  const days = params.integer('days', { min: 1, max: QUERY_LIMITS.days })
  if (days === undefined) return from
  return Math.max(from ?? Number.NEGATIVE_INFINITY, now - days * 86_400_000_000)
}

/** The earlier of `to`, which is inclusive, and `before`, which is not. */
function readTo<Other extends string>(params: QueryString<Other | 'to' | 'before'>): Micros | undefined {
  const to = params.timestamp('to')?.micros
  const before = params.timestamp('before')?.micros
  return before === undefined ? to : Math.min(to ?? Number.POSITIVE_INFINITY, before - 1)
}

function readFields<Other extends string>(params: QueryString<Other | 'fields'>): readonly string[] | undefined {
  const list = params.raw('fields')
  if (list === undefined) return undefined
  const { names, characters } = FIELD_LIMITS
  const fields = list.split(',').map(name => name.trim())
  const isFit = fields.length <= names && fields.every(name => name !== '' && name.length <= characters)
  if (!isFit) params.refuse('fields', `fields must be a comma list of 1 to ${names} names of members.`)
  return fields
}
