import type { NewEvent } from '../../model/events/event.js'
import { SOURCE_LIMITS, type SourceDefinition } from '../../model/sources/source-definition.js'
import type { NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { withinDepth } from '../deliveries/delivery-body.js'
import { digestOf, toIdentifier } from '../mapping/identity.js'
import { type Payload, REDACTED } from '../mapping/payload.js'
import { readOwnBody, toPayload } from './body.js'
import { compileConditions } from './condition.js'
import { keptHeaders } from './kept-headers.js'
import type { Scope } from './place.js'
import { hasListAt, itemsAt, type ListedItem, readPointer, type Step, withReplaced } from './pointer.js'
import { compileRule } from './rule.js'
import { compileValue } from './template.js'

/** The kind of what no rule of a mapping fits. It is kept whole, and can be mapped later. */
export const UNMAPPED = 'delivery.unmapped'

/** Every event has the delivery with its own item alone, so their sizes add up. */
const MOST_SPLIT_BYTES = 64 * 1024 * 1024

export interface Mapping {
  /** Never throws: what does not fit becomes an event of the kind `delivery.unmapped`. */
  normalise(delivery: WebhookDelivery): NormalisedDelivery
  /** Maps a payload that was kept. @returns undefined if it still does not fit */
  remap(kept: KeptDelivery): NewEvent | undefined
  /** For those who write a mapping: the values without a result, as places in the definition, for each item of the delivery. */
  without(delivery: WebhookDelivery): string[][]
}

/** A delivery, or one item of it, that was kept because it did not fit. */
export interface KeptDelivery {
  root: unknown
  headers: Readonly<Record<string, string | undefined>>
  /** Identifies it if the mapping does not. */
  identity: string
}

/** @throws AppError `invalid/invalid_field` with the place in the definition */
export function compileMapping(definition: SourceDefinition): Mapping {
  const { name, each, answer: ordinaryAnswer } = definition
  const rules = definition.rules.map((rule, index) => compileRule(rule, `/rules/${index}`))
  const ignored = (definition.ignore ?? []).map((all, index) => compileConditions(all, `/ignore/${index}`))
  const challenge = compileChallenge(definition)
  const deliveryId =
    definition.delivery_id === undefined ? () => undefined : compileValue(definition.delivery_id, '/delivery_id')
  const listAt = each === undefined ? undefined : readPointer(each, '/each')
  const secretAt = redactedPlaces(definition)
  const ordinary = ordinaryAnswer === undefined ? {} : { answer: ordinaryAnswer }

  /** @param identity of the delivery and the item in it, if nothing else identifies the event: a digest takes time */
  const map = (scope: Scope, identity: () => string): Omit<NewEvent, 'payload'> | { misfit: string } => {
    const rule = rules.find(({ applies }) => applies(scope))
    if (rule === undefined) return { misfit: 'No rule has conditions that hold.' }
    const mapped = rule.map(scope)
    if ('misfit' in mapped) return mapped
    const { key = identity(), event } = mapped
    return { dedupe_key: `${name}:${toIdentifier(key)}`, source: name, ...event }
  }

  return {
    normalise: delivery => {
      const { root: sent, unreadable } = readOwnBody(delivery)
      const root = secretAt.reduce<unknown>((value, steps) => withReplaced(value, steps, hidden), sent)
      const { headers } = delivery
      const scope: Scope = { root, item: root, headers }
      const answer = challenge(scope)
      if (answer !== undefined) return { events: [], ignored: 1, answer }
      if (ignored.some(holds => holds(scope))) return { events: [], ignored: 1, ...ordinary }
      const id = deliveryId(scope)
      let digest: string | undefined
      const identity = () => {
        digest ??= digestOf(delivery.body)
        return `sha256-${digest}`
      }
      const keep = (reason: string, kept: unknown, at: string) =>
        unmapped(name, { reason, root: kept, identity: at, delivery })
      const toEvent = (listed: ListedItem, own: () => string): NewEvent => {
        const mapped = map({ ...listed, headers }, own)
        if ('misfit' in mapped) return keep(mapped.misfit, listed.root, own())
        return { ...mapped, payload: withinDepth(toPayload(listed.root)) }
      }
      const events = () => {
        if (unreadable !== undefined) return [keep(unreadable, root, identity())]
        if (listAt === undefined || !hasListAt(root, listAt)) return [toEvent({ item: root, root }, identity)]
        const items = takeItems(root, listAt, delivery.body.byteLength)
        if ('tooMany' in items) return [keep(items.tooMany, root, identity())]
        return items.listed.map((listed, index) => toEvent(listed, () => `${identity()}:${index}`))
      }
      const deliveryIdOf = id === undefined ? {} : { deliveryId: toIdentifier(id) }
      return { events: events(), ignored: 0, ...deliveryIdOf, ...ordinary }
    },

    remap: ({ root, headers, identity }) => {
      const [only, ...others] = listAt === undefined ? [] : firstTwo(itemsAt(root, listAt))
      const item = only !== undefined && others.length === 0 ? only.item : root
      const mapped = map({ root, item, headers }, () => identity)
      return 'misfit' in mapped ? undefined : { ...mapped, payload: toPayload(root) }
    },

    without: delivery => {
      const { root } = readOwnBody(delivery)
      const items = listAt === undefined ? undefined : takeItems(root, listAt, delivery.body.byteLength)
      const listed = items && 'listed' in items ? items.listed : [{ item: root, root }]
      return listed.map(each => {
        const scope: Scope = { ...each, headers: delivery.headers }
        return rules.find(({ applies }) => applies(scope))?.without(scope) ?? []
      })
    },
  }
}

function compileChallenge({ challenge }: SourceDefinition): (scope: Scope) => Record<string, string> | undefined {
  if (challenge === undefined) return () => undefined
  const asks = compileConditions(challenge.when, '/challenge/when')
  const members = Object.entries(challenge.answer).map(
    ([member, value]) => [member, compileValue(value, `/challenge/answer/${member}`)] as const,
  )
  return scope =>
    asks(scope)
      ? Object.fromEntries(
          members.flatMap(([member, read]) => {
            const text = read(scope)
            return text === undefined ? [] : [[member, text]]
          }),
        )
      : undefined
}

/** Stops before the events would be too many or too large: each of them has a copy of what is around its item. */
function takeItems(
  root: unknown,
  listAt: readonly Step[],
  bytes: number,
): { listed: ListedItem[] } | { tooMany: string } {
  const listed: ListedItem[] = []
  for (const each of itemsAt(root, listAt)) {
    listed.push(each)
    if (listed.length > SOURCE_LIMITS.events) {
      return { tooMany: `The list has more than ${SOURCE_LIMITS.events} items.` }
    }
    if (listed.length * bytes > MOST_SPLIT_BYTES) {
      return { tooMany: 'The list has too many items for a delivery of this size.' }
    }
  }
  return listed.length === 0 ? { tooMany: 'The list of items is empty.' } : { listed }
}

function firstTwo(items: Iterable<ListedItem>): ListedItem[] {
  const taken: ListedItem[] = []
  for (const each of items) if (taken.push(each) === 2) break
  return taken
}

/** The places that are not kept. A proof in the payload is one of them. */
function redactedPlaces({ redact = [], proof }: SourceDefinition): Step[][] {
  const places = redact.map((at, index) => readPointer(at, `/redact/${index}`))
  return proof.type === 'body' ? [...places, readPointer(proof.at, '/proof/at')] : places
}

function hidden(value: unknown): unknown {
  return value === undefined ? undefined : REDACTED
}

interface Unmapped {
  reason: string
  root: unknown
  identity: string
  delivery: WebhookDelivery
}

function unmapped(name: string, { reason, root, identity, delivery }: Unmapped): NewEvent {
  const payload: Payload = toPayload(root)
  const metadata = { reason, headers: keptHeaders(delivery.headers), ...(payload === root ? {} : { wrapped: true }) }
  return {
    dedupe_key: `${name}:unmapped:${identity}`,
    kind: UNMAPPED,
    subject_id: identity,
    subject_type: 'delivery',
    action: { kind: UNMAPPED, object_type: 'delivery', verb: 'unmapped', metadata },
    actor: { id: '', display: '', metadata: {} },
    actor_role: '',
    target: { type: 'delivery', key: `delivery:${identity}`, metadata: {} },
    conversation: {},
    source: name,
    occurred_at: null,
    payload: withinDepth(payload),
  }
}
