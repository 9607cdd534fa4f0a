import Type, { type Static } from '#typebox'
import { type Micros, toTimestamp } from '../timestamp.js'

export const TRACE_LIMITS = {
  days: 7,
  /** Refused deliveries that are kept. */
  refused: 1_000,
  /** Maximum per source and code, so that a flood of one kind does not displace the others. */
  alike: 100,
  sources: 2_000,
  detailCharacters: 300,
} as const

const RefusedDeliverySchema = Type.Object({
  at: Type.String({ description: 'When it was refused.' }),
  source: Type.String(),
  code: Type.String({ description: 'Of the answer, such as signature_invalid.' }),
  detail: Type.String({ description: 'Why it was refused.' }),
  delivery_id: Type.Optional(Type.String({ description: 'As the sender has it; nothing proves it.' })),
  bytes: Type.Optional(Type.Integer({ minimum: 0, description: 'Of the body, as the sender announced it.' })),
})

const SourceDeliveriesSchema = Type.Object({
  source: Type.String(),
  accepted: Type.Integer({ minimum: 0 }),
  last_accepted_at: Type.Union([Type.String(), Type.Null()]),
  refused: Type.Integer({ minimum: 0 }),
  last_refused_at: Type.Union([Type.String(), Type.Null()]),
})

/** Statistics of the deliveries at a ledger's webhooks, without any of their content. */
export const DeliveryTraceSchema = Type.Object({
  since: Type.String({ description: 'Since when deliveries are counted.' }),
  sources: Type.Array(SourceDeliveriesSchema),
  refused: Type.Array(RefusedDeliverySchema, { description: 'Newest first.' }),
})

export type RefusedDelivery = Static<typeof RefusedDeliverySchema>
export type SourceDeliveries = Static<typeof SourceDeliveriesSchema>
export type DeliveryTraceState = Static<typeof DeliveryTraceSchema>

const DAY: Micros = 86_400_000_000

/** Adds up the counts of several servers, or of one server at several times. */
export function joinTraces(states: readonly DeliveryTraceState[], now: Micros): DeliveryTraceState {
  const since = states.map(state => state.since).sort()[0] ?? toTimestamp(now)
  const bySource = new Map<string, SourceDeliveries>()
  for (const each of states.flatMap(({ sources }) => sources)) {
    const known = bySource.get(each.source)
    bySource.set(each.source, known ? added(known, each) : each)
  }
  const newest = [...bySource.values()].sort((left, right) => (lastOf(left) > lastOf(right) ? -1 : 1))
  const sources = newest.slice(0, TRACE_LIMITS.sources).sort((left, right) => (left.source < right.source ? -1 : 1))
  return { since, sources, refused: newestRefused(states, now) }
}

/** Refused deliveries, newest first, within the limits. */
function newestRefused(states: readonly DeliveryTraceState[], now: Micros): RefusedDelivery[] {
  const oldest = toTimestamp(now - TRACE_LIMITS.days * DAY)
  const alike = new Map<string, number>()
  return states
    .flatMap(({ refused }) => refused)
    .filter(({ at }) => at >= oldest)
    .sort((left, right) => (left.at === right.at ? 0 : left.at > right.at ? -1 : 1))
    .filter(({ source, code }) => {
      const count = (alike.get(`${source} ${code}`) ?? 0) + 1
      alike.set(`${source} ${code}`, count)
      return count <= TRACE_LIMITS.alike
    })
    .slice(0, TRACE_LIMITS.refused)
}

function added(left: SourceDeliveries, right: SourceDeliveries): SourceDeliveries {
  return {
    source: left.source,
    accepted: left.accepted + right.accepted,
    last_accepted_at: later(left.last_accepted_at, right.last_accepted_at),
    refused: left.refused + right.refused,
    last_refused_at: later(left.last_refused_at, right.last_refused_at),
  }
}

function lastOf({ last_accepted_at, last_refused_at }: SourceDeliveries): string {
  return later(last_accepted_at, last_refused_at) ?? ''
}

function later(left: string | null, right: string | null): string | null {
  return (left ?? '') > (right ?? '') ? left : right
}
