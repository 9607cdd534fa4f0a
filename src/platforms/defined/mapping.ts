import type { NewEvent } from '../../model/events/event.js'
import { SOURCE_LIMITS, type SourceDefinition } from '../../model/sources/source-definition.js'
import type { DeliveryContext, NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { withinDepth } from '../deliveries/delivery-body.js'
import { digestOf, toIdentifier } from '../mapping/identifiers.js'
import { type Payload, REDACTED } from '../mapping/payload.js'
import { decoded, fromPayload, readOwnBody, toPayload } from './body.js'
import { Budget, NotMapped } from './budget.js'
import { compileChallenge } from './challenge.js'
import { compileConditions } from './condition.js'
import { keptHeaders } from './kept-headers.js'
import type { Scope } from './place.js'
import { hasListAt, type ItemInContext, itemsAt, readPointer, type Step, withReplaced } from './pointer.js'
import { compileRule } from './rule.js'
import { signsForm } from './signature.js'
import { compileValue } from './template.js'

/** The kind of a delivery that no rule of a mapping fits. It is kept unchanged and can be mapped later. */
export const UNMAPPED = 'delivery.unmapped'

/** The identity of an item is that of its delivery, with the index of the item at its end. */
const OF_ITEM = /:\d+$/u

export interface Mapping {
  /** Never throws: a delivery that does not fit becomes an event of the kind `delivery.unmapped`. */
  normalise(delivery: WebhookDelivery, context: DeliveryContext): NormalisedDelivery
  /** Maps a kept payload to the events that its delivery would become now. */
  remap(kept: KeptDelivery): RemappedDelivery
  /** For authors of a mapping: the values without a result, as places in the definition, of the first `most` items. */
  placesWithoutResult(delivery: WebhookDelivery, most: number): string[][]
}

/** A delivery, or one item of it, that was kept because it did not fit. */
interface KeptDelivery {
  root: unknown
  headers: Readonly<Record<string, string | undefined>>
  /** Identifies the delivery if the mapping does not. */
  identity: string
}

interface RemappedDelivery {
  events: NewEvent[]
  /** Number of items, or whole deliveries, that still do not fit. */
  unmapped: number
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
  const prepare = compilePreparation(definition)
  const isSignedForm = signsForm(definition.proof)
  const proofHeader = 'header' in definition.proof ? definition.proof.header.toLowerCase() : undefined
  const ordinary = ordinaryAnswer === undefined ? {} : { answer: ordinaryAnswer }

  /** @param identity of the delivery and item, used if nothing else identifies the event: a digest takes time */
  const map = (scope: Scope, identity: () => string): NewEvent | { misfit: string } => {
    const rule = rules.find(({ applies }) => applies(scope))
    if (rule === undefined) return { misfit: 'No rule has conditions that hold.' }
    const mapped = rule.map(scope)
    if ('misfit' in mapped) return mapped
    const { key = identity(), event } = mapped
    return { dedupe_key: `${name}:${toIdentifier(key)}`, source: name, ...event, payload: toPayload(scope.root) }
  }

  /** The scopes that become one event each. @throws NotMapped */
  const scopesOf = (scope: Scope): { scopes: Scope[]; isList: boolean } => {
    if (listAt === undefined || !hasListAt(scope.root, listAt)) return { scopes: [scope], isList: false }
    const scopes = takeItems(scope, listAt).map(({ item, around }) => {
      return { ...scope, item, root: around.rootWith([item]) }
    })
    return { scopes, isList: true }
  }

  return {
    normalise: (delivery, { verified, secrets = [] }) => {
      const { root: sent, unreadable } = readOwnBody(delivery, isSignedForm)
      const root = prepare(sent)
      const { headers } = delivery
      const scope: Scope = { root, item: root, headers, budget: new Budget(root) }
      let digest: string | undefined
      const identity = () => {
        digest ??= digestOf(delivery.body)
        return `sha256-${digest}`
      }
      const keep = (reason: string, kept: unknown, at: string) =>
        unmapped(name, {
          reason,
          root: kept,
          identity: at,
          headers: keptHeaders(headers, { secrets, except: proofHeader }),
        })
      const events = () => {
        if (unreadable !== undefined) return [keep(unreadable, root, identity())]
        const { scopes, isList } = scopesOf(scope)
        return scopes.map((each, index) => {
          const own = isList ? () => `${identity()}:${index}` : identity
          const mapped = map(each, own)
          return 'misfit' in mapped ? keep(mapped.misfit, each.root, own()) : mapped
        })
      }
      let deliveryIdOf = {}
      try {
        const answer = challenge(scope, verified === 'signature' ? secrets : [])
        if (answer !== undefined) return { events: [], ignored: 1, answer }
        if (ignored.some(holds => holds(scope))) return { events: [], ignored: 1, ...ordinary }
        const id = deliveryId(scope)
        if (id !== undefined) deliveryIdOf = { deliveryId: toIdentifier(id) }
        return { events: events(), ignored: 0, ...deliveryIdOf, ...ordinary }
      } catch (error) {
        if (!(error instanceof NotMapped)) throw error
        return { events: [keep(error.message, root, identity())], ignored: 0, ...deliveryIdOf, ...ordinary }
      }
    },

    remap: ({ root: kept, headers, identity }) => {
      const root = prepare(kept)
      const isItem = OF_ITEM.test(identity)
      try {
        const { scopes, isList } = scopesOf({ root, item: root, headers, budget: new Budget(root) })
        // The original delivery would number the items in another order.
        if (isItem && scopes.length > 1) return { events: [], unmapped: 1 }
        const mapped = scopes.map((each, index) =>
          map(each, () => (isList && !isItem ? `${identity}:${index}` : identity)),
        )
        const events = mapped.flatMap(each => ('misfit' in each ? [] : [each]))
        return { events, unmapped: mapped.length - events.length }
      } catch (error) {
        if (!(error instanceof NotMapped)) throw error
        return { events: [], unmapped: 1 }
      }
    },

    placesWithoutResult: (delivery, most) => {
      const root = prepare(readOwnBody(delivery, isSignedForm).root)
      try {
        const { scopes } = scopesOf({ root, item: root, headers: delivery.headers, budget: new Budget(root) })
        return scopes
          .slice(0, most)
          .map(scope => rules.find(({ applies }) => applies(scope))?.placesWithoutResult(scope) ?? [])
      } catch (error) {
        if (!(error instanceof NotMapped)) throw error
        return []
      }
    },
  }
}

/** Stops before the events would be too many or too large: each repeats the data around its item. @throws NotMapped */
function takeItems({ root, budget }: Scope, listAt: readonly Step[]): ItemInContext[] {
  const listed: ItemInContext[] = []
  for (const each of itemsAt(root, listAt)) {
    if (listed.push(each) > SOURCE_LIMITS.events) {
      throw new NotMapped(`The list has more than ${SOURCE_LIMITS.events} items.`)
    }
    // The first item repeats nothing: the delivery already contains the data around it.
    if (listed.length > 1) budget.takeRepeated(each.around)
  }
  if (listed.length === 0) throw new NotMapped('The list of items is empty.')
  return listed
}

/** Texts of one delivery that are decoded. Each that is no JSON costs as much as a hundred others that are read. */
const DECODED_TEXTS = 1_000

/**
 * What is done with a body before anything is read: texts are decoded, and what is not kept is hidden. Doing it twice to
 * the same body changes nothing.
 */
function compilePreparation({ decode = [], redact = [], proof }: SourceDefinition): (root: unknown) => unknown {
  const changes = [
    ...decode.map(({ at, base64 = false }, index) => {
      const change = (value: unknown, texts: { left: number }) => {
        // An object may be a text that was decoded before.
        const isText = typeof value === 'string' || (typeof value === 'object' && value !== null)
        return isText && texts.left-- > 0 ? decoded(value, base64) : value
      }
      return { steps: readPointer(at, `/decode/${index}/at`), change }
    }),
    ...redact.map((at, index) => ({ steps: readPointer(at, `/redact/${index}`), change: hidden })),
    ...(proof.type === 'body' ? [{ steps: readPointer(proof.at, '/proof/at'), change: hidden }] : []),
  ]
  return sent => {
    const texts = { left: DECODED_TEXTS }
    const replace = (value: unknown, { steps, change }: (typeof changes)[number]) =>
      withReplaced(value, steps, each => change(each, texts))
    return withinLevels(changes.reduce(replace, sent))
  }
}

function hidden(value: unknown): unknown {
  return value === undefined ? undefined : REDACTED
}

/** Without values nested deeper than an event may be. Done once per delivery: checking each event takes time. */
function withinLevels(root: unknown): unknown {
  const payload = toPayload(root)
  return fromPayload(withinDepth(payload), payload !== root)
}

interface Unmapped {
  reason: string
  root: unknown
  identity: string
  headers: Record<string, string>
}

function unmapped(name: string, { reason, root, identity, headers }: Unmapped): NewEvent {
  const payload: Payload = toPayload(root)
  const metadata = { reason, headers, ...(payload === root ? {} : { wrapped: true }) }
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
    payload,
  }
}
