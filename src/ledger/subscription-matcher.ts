import type { NewEvent } from '../model/events/event.js'
import { kindMatches } from '../model/events/event-match.js'
import { findTarget, scopeKeysOf, toScopeKey, toTarget } from '../model/subscriptions/scope-key.js'
import type { Subscription } from '../model/subscriptions/subscription.js'
import type { Micros } from '../model/timestamp.js'
import { chatHostOf, followedKeyOf, followedKeysOf } from '../platforms/chat/followed-keys.js'
import type { SubscriptionMatch } from '../store/event-store.js'
import { expiresAt } from './watch-times.js'

/** The part of a subscription that matching needs. Kept small: there may be a hundred thousand. */
interface Watch {
  id: string
  /** Empty: every kind. */
  kinds: readonly string[]
  expiresAt: Micros
  followsCursor: boolean
  /** The server it was captured from, if any: message ids of another server cannot be its cursor. */
  host: string | undefined
}

/** Used in place of a source for the places that capture has found. */
const FOLLOWED = 'chat:followed'
/** Scope of a subscription that names none: its whole source. */
const WHOLE_SOURCE = '*'
const MESSAGE_ID = /^\d{1,18}$/

/**
 * Finds the subscriptions that an event matches: source → scope key → subscriptions. An event is looked up by the few
 * keys of its target chain, so a hundred thousand subscriptions cost no more than ten. A captured watch is also found
 * by the place where capture found it, so it still matches after a rename.
 *
 * Source: Event Ledger Service, "Events" 3; decisions, section 6.
 */
export class SubscriptionMatcher {
  readonly #bySource = new Map<string, Map<string, Map<string, Watch>>>()
  readonly #places = new Map<string, { source: string; key: string }[]>()

  /** Adds a subscription or replaces it with its new form. Disabled ones match nothing. */
  put(subscription: Subscription): void {
    this.remove(subscription.id)
    if (!subscription.enabled) return
    const { id, source } = subscription
    const watch = toWatch(subscription)
    const places = watchedKeys(subscription).map(key => ({ source, key }))
    const followed = followedKeyOf(subscription)
    if (followed !== undefined) places.push({ source: FOLLOWED, key: followed })
    for (const place of places) scopeOf(sourceOf(this.#bySource, place.source), place.key).set(id, watch)
    this.#places.set(id, places)
  }

  remove(id: string): void {
    const places = this.#places.get(id) ?? []
    this.#places.delete(id)
    for (const { source, key } of places) {
      const scopes = sourceOf(this.#bySource, source)
      scopes.get(key)?.delete(id)
      if (scopes.get(key)?.size === 0) scopes.delete(key)
    }
  }

  match(event: NewEvent, now: Micros): SubscriptionMatch[] {
    const scopes = this.#bySource.get(event.source)
    if (!scopes || scopes.size === 0) return []
    const matches = new Map<string, SubscriptionMatch>()
    const collect = (watches: ReadonlyMap<string, Watch> | undefined) => {
      if (!watches) return
      for (const watch of watches.values()) {
        if (watch.expiresAt > now && kindWatched(watch, event.kind)) matches.set(watch.id, toMatch(watch, event))
      }
    }
    collect(scopes.get(WHOLE_SOURCE))
    for (const key of scopeKeysOf(event.target)) collect(scopes.get(key))
    const followed = event.source === 'chat' ? this.#bySource.get(FOLLOWED) : undefined
    if (followed?.size) for (const key of followedKeysOf(event.target)) collect(followed.get(key))
    return [...matches.values()]
  }
}

function toWatch({ id, source, event_kinds, filters, metadata, capture }: Subscription): Watch {
  return {
    id,
    kinds: event_kinds,
    expiresAt: expiresAt(metadata),
    followsCursor: source === 'chat' && typeof filters.topic === 'string',
    host: capture?.host ?? undefined,
  }
}

function toMatch(watch: Watch, event: NewEvent): SubscriptionMatch {
  const moves = watch.followsCursor && event.kind === 'message.created' && MESSAGE_ID.test(event.subject_id)
  return moves && mayCompare(watch, event) ? { id: watch.id, cursor: event.subject_id } : { id: watch.id }
}

/** An unnamed server may be the same one. */
function mayCompare({ host }: Watch, { target }: NewEvent): boolean {
  return host === undefined || (chatHostOf(target) ?? host) === host
}

function kindWatched(watch: Watch, kind: string): boolean {
  return watch.kinds.length === 0 || watch.kinds.some(pattern => kindMatches(kind, pattern))
}

/** Every key by which the subscription names its scope; all of them count. */
function watchedKeys({ source, target, scope, filters }: Subscription): string[] {
  const keys = new Set<string>()
  const byScope = toScopeKey(source, scope)
  if (byScope !== undefined) keys.add(byScope)
  const byFilters = toTarget(source, { filters })
  for (const text of [target, byFilters]) {
    // A target of an older ledger may be outside the grammar: the subscription then matches by its scope or filters.
    const key = text ? findTarget(source, text)?.scopeKey : undefined
    if (key !== undefined) keys.add(key)
  }
  const namesNothing = target === '' && Object.keys(scope).length === 0 && Object.keys(filters).length === 0
  if (namesNothing) keys.add(WHOLE_SOURCE)
  return [...keys]
}

function sourceOf(sources: Map<string, Map<string, Map<string, Watch>>>, source: string) {
  const scopes = sources.get(source) ?? new Map<string, Map<string, Watch>>()
  sources.set(source, scopes)
  return scopes
}

function scopeOf(scopes: Map<string, Map<string, Watch>>, key: string) {
  const watches = scopes.get(key) ?? new Map<string, Watch>()
  scopes.set(key, watches)
  return watches
}
