import type { NewEvent } from '../../model/events/event.js'
import { SOURCE_LIMITS, type SourceDefinition } from '../../model/sources/source-definition.js'
import type { NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { withinDepth } from '../deliveries/delivery-body.js'
import { digestOf, toIdentifier } from '../mapping/identity.js'
import { isPayload, type Payload, REDACTED } from '../mapping/payload.js'
import { readOwnBody, toPayload } from './body.js'
import { compileConditions } from './condition.js'
import { keptHeaders } from './kept-headers.js'
import { compilePointer, namesOf, type Scope } from './place.js'
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
  const { name, each } = definition
  const rules = definition.rules.map((rule, index) => compileRule(rule, `/rules/${index}`))
  const ignored = (definition.ignore ?? []).map((all, index) => compileConditions(all, `/ignore/${index}`))
  const challenge = compileChallenge(definition)
  const deliveryId =
    definition.delivery_id === undefined ? () => undefined : compileValue(definition.delivery_id, '/delivery_id')
  const listAt = each === undefined ? undefined : compilePointer(each, '/each')
  const listNames = each === undefined ? [] : namesOf(each, '/each')
  const secretAt = redactedNames(definition)

  /** @param identity of the delivery and the item in it */
  const map = (scope: Scope, identity: string): Omit<NewEvent, 'payload'> | { misfit: string } => {
    const rule = rules.find(({ applies }) => applies(scope))
    if (rule === undefined) return { misfit: 'No rule has conditions that hold.' }
    const mapped = rule.map(scope)
    if ('misfit' in mapped) return mapped
    const { key = identity, event } = mapped
    return { dedupe_key: `${name}:${toIdentifier(key)}`, source: name, ...event }
  }

  return {
    normalise: delivery => {
      const { root: sent, unreadable } = readOwnBody(delivery)
      const root = secretAt.reduce<unknown>((value, names) => withMember(value, names, hidden), sent)
      const scope: Scope = { root, item: root, headers: delivery.headers }
      const answer = challenge(scope)
      if (answer !== undefined) return { events: [], ignored: 1, answer }
      if (ignored.some(holds => holds(scope))) return { events: [], ignored: 1 }
      const id = deliveryId(scope)
      const identity = `sha256-${digestOf(delivery.body)}`
      const keep = (reason: string, kept: unknown, at: string) =>
        unmapped(name, { reason, root: kept, identity: at, delivery })
      const items = unreadable === undefined ? listAt?.(root) : undefined
      const events = () => {
        if (unreadable !== undefined) return [keep(unreadable, root, identity)]
        if (!Array.isArray(items)) return [withPayload(map(scope, identity), root, () => identity)]
        const tooMany = tooManyOf(items, delivery.body.byteLength)
        if (tooMany !== undefined) return [keep(tooMany, root, identity)]
        return items.map((item, index) => {
          const own = `${identity}:${index}`
          return withPayload(
            map({ ...scope, item }, own),
            withMember(root, listNames, () => [item]),
            () => own,
          )
        })
      }
      const withPayload = (mapped: ReturnType<typeof map>, kept: unknown, own: () => string): NewEvent =>
        'misfit' in mapped ? keep(mapped.misfit, kept, own()) : { ...mapped, payload: withinDepth(toPayload(kept)) }
      return { events: events(), ignored: 0, ...(id === undefined ? {} : { deliveryId: toIdentifier(id) }) }
    },

    remap: ({ root, headers, identity }) => {
      const found = listAt?.(root)
      const item = Array.isArray(found) && found.length === 1 ? found[0] : root
      const mapped = map({ root, item, headers }, identity)
      return 'misfit' in mapped ? undefined : { ...mapped, payload: toPayload(root) }
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

function tooManyOf(items: readonly unknown[], bytes: number): string | undefined {
  if (items.length === 0) return 'The list of items is empty.'
  if (items.length > SOURCE_LIMITS.events) return `The list has more than ${SOURCE_LIMITS.events} items.`
  return items.length * bytes > MOST_SPLIT_BYTES
    ? 'The list has too many items for a delivery of this size.'
    : undefined
}

/** The names of the places that are not kept. A proof in the payload is one of them. */
function redactedNames({ redact = [], proof }: SourceDefinition): string[][] {
  const names = redact.map((at, index) => namesOf(at, `/redact/${index}`))
  return proof.type === 'body' ? [...names, namesOf(proof.at, '/proof/at')] : names
}

function hidden(value: unknown): unknown {
  return value === undefined ? undefined : REDACTED
}

/** A copy in which the value at a place is replaced. A place that does not exist stays away. */
function withMember(root: unknown, [name, ...inner]: readonly string[], replace: (value: unknown) => unknown): unknown {
  if (name === undefined) return replace(root)
  if (Array.isArray(root)) {
    return root.map((value, at) => (String(at) === name ? withMember(value, inner, replace) : value))
  }
  if (!isPayload(root) || !Object.hasOwn(root, name)) return root
  const members = Object.entries(root).map(([each, value]) => {
    return [each, each === name ? withMember(value, inner, replace) : value]
  })
  return Object.fromEntries(members)
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
