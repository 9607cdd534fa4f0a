import type { NewEvent, Provenance } from '../model/events/event.js'

/** A person as named by earlier events. */
interface KnownPerson {
  display?: string
  isBot?: boolean
}

/**
 * Maximum number of people over all sources, separately for verified and unverified deliveries. The person who was
 * named least recently is dropped first.
 */
const MOST_PEOPLE = 10_000

/**
 * Remembers the names of people, and which of them are bots, from platform deliveries: many events name a person by id
 * alone. Names from unverified deliveries are not used for verified ones.
 *
 * Source: docs/decisions/0025.
 */
export class KnownPeople {
  readonly #verified = new Map<string, KnownPerson>()
  readonly #unverified = new Map<string, KnownPerson>()

  /**
   * Returns the event with the names known so far and learns the names it carries. Events of other writers are
   * unchanged.
   */
  complete(event: NewEvent, provenance: Provenance): NewEvent {
    if (!isDelivery(provenance)) return event
    this.learn(event, provenance)
    return withSender(this.#withConcerned(this.#withActor(event, provenance), provenance), event.actor.id, id =>
      this.#find(event, id, provenance),
    )
  }

  /** @param event its payload may be left out */
  learn(event: NewEvent, provenance: Provenance): void {
    if (!isDelivery(provenance)) return
    const { actor, actor_role, payload, action } = event
    const sent = payload?.sender_is_bot
    const isBot = typeof sent === 'boolean' ? sent : actor_role === 'bot' || undefined
    this.#keep(event, provenance, actor.id, { display: actor.display, isBot })
    const { id, display } = concernedOf(event)
    const isBotAccount = action.object_type === 'realm_bot' || undefined
    this.#keep(event, provenance, id, { display, isBot: isBotAccount })
  }

  #keep(
    event: NewEvent,
    { verified }: Provenance,
    id: string | undefined,
    { display, isBot }: { display: string | undefined; isBot: boolean | undefined },
  ): void {
    if (!id || (!display && isBot === undefined)) return
    const people = verified === 'none' ? this.#unverified : this.#verified
    const key = keyOf(event, id)
    const before = people.get(key)
    people.delete(key) // moves it to the end of the order
    people.set(key, { ...before, ...(display ? { display } : {}), ...(isBot === undefined ? {} : { isBot }) })
    if (people.size <= MOST_PEOPLE) return
    for (const oldest of people.keys()) {
      people.delete(oldest)
      break
    }
  }

  #find(event: NewEvent, id: string, { verified }: Provenance): KnownPerson | undefined {
    const key = keyOf(event, id)
    return this.#verified.get(key) ?? (verified === 'none' ? this.#unverified.get(key) : undefined)
  }

  #withActor(event: NewEvent, provenance: Provenance): NewEvent {
    const { actor } = event
    const display = actor.id && !actor.display ? this.#find(event, actor.id, provenance)?.display : undefined
    return display === undefined ? event : { ...event, actor: { ...actor, display } }
  }

  #withConcerned(event: NewEvent, provenance: Provenance): NewEvent {
    const { id, display } = concernedOf(event)
    const known = id && !display ? this.#find(event, id, provenance)?.display : undefined
    if (known === undefined) return event
    const metadata = { ...event.action.metadata, concerned: { id, display: known } }
    return { ...event, action: { ...event.action, metadata } }
  }
}

/** Only deliveries and captured events use the platform's own ids for people. */
function isDelivery({ route }: Provenance): boolean {
  return route === 'webhook' || route === 'capture'
}

/** Fills the sender's members in the payload of a chat event, which are null where the platform did not send them. */
function withSender(event: NewEvent, id: string, find: (id: string) => KnownPerson | undefined): NewEvent {
  const { payload, actor_role } = event
  if (!id || payload.sender_is_bot !== null) return event
  const { isBot, display } = find(id) ?? {}
  if (isBot === undefined && display === undefined) return event
  const sender_full_name = payload.sender_full_name ?? display ?? null
  return {
    ...event,
    actor_role: actor_role || (isBot ? 'bot' : ''),
    payload: { ...payload, sender_full_name, sender_is_bot: isBot ?? null },
  }
}

function concernedOf({ action }: NewEvent): { id?: string; display?: string } {
  const concerned: unknown = action.metadata.concerned
  if (typeof concerned !== 'object' || concerned === null) return {}
  const [id, display] = [Reflect.get(concerned, 'id'), Reflect.get(concerned, 'display')]
  return { ...(typeof id === 'string' ? { id } : {}), ...(typeof display === 'string' ? { display } : {}) }
}

/** Ids are unique per instance. The dedupe key names the instance after the source, with its port if it has one. */
function keyOf({ source, dedupe_key }: NewEvent, id: string): string {
  let end = dedupe_key.indexOf(':', source.length + 1)
  const next = dedupe_key.indexOf(':', end + 1)
  if (next > end && /^\d+$/u.test(dedupe_key.slice(end + 1, next))) end = next
  return `${dedupe_key.slice(0, end)} ${id}`
}
