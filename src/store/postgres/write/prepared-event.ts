import { type LedgerMembers, storedKeyOf } from '../../../model/events/event.js'
import { findTimestamp, type Micros, readTimestamp, toTimestamp } from '../../../model/timestamp.js'
import { contentDigest } from '../../event-digest.js'
import type { EventToRecord, SubscriptionMatch } from '../../event-store.js'
import { isStorable } from '../connection/text-array.js'
import { FACET_SEPARATOR, facetsOf } from '../search/facets.js'
import { type SearchableText, searchableTextOf, searchableTextOfJson } from '../search/searchable-text.js'
import { countTrigrams } from './index-budget.js'

/** All stored parts of an event, except those that the transaction adds. */
export interface PreparedEvent extends SearchableText {
  /** From `storedKeyOf`. */
  storedKey: string
  dedupeKey: string
  source: string
  kind: string
  subjectId: string
  /** Null for none. */
  occurredAt: Micros | null
  /** The members that never change, without the closing brace: what its digest covers. */
  content: string | Buffer
  contentDigest: string
  /** Separated. */
  facets: string
  /** How much its text costs in the search index. */
  trigrams: number
  subscriptionIds: readonly string[]
  matches: readonly SubscriptionMatch[]
  /** Its sender needs the stored event in the outcome. */
  isAnswered: boolean
}

const CLOSING_BRACE = 1

/**
 * @throws AppError never; an `Error` for a text that identifies the event and that PostgreSQL cannot store: readers of
 *   events refuse it earlier
 */
export async function prepareEvent(
  { event, provenance, matches, json }: EventToRecord,
  isAnswered = false,
): Promise<PreparedEvent> {
  const { source, kind, subject_id: subjectId, dedupe_key: dedupeKey } = event
  const storedKey = storedKeyOf(event, provenance)
  for (const text of [storedKey, source, kind, subjectId]) {
    if (!isStorable(text)) throw new Error('An event has a key, source, kind or subject that cannot be stored.')
  }
  const subscriptionIds = matches.map(match => match.id)
  const added = `,"provenance":${JSON.stringify(provenance)}`
  const content = json
    ? Buffer.concat([json.subarray(0, -CLOSING_BRACE), Buffer.from(added)])
    : JSON.stringify(event).slice(0, -CLOSING_BRACE) + added
  const texts = json ? await searchableTextOfJson(event, json) : searchableTextOf(event)
  const facets = facetsOf({ ...event, provenance, subscription_ids: subscriptionIds })
  return {
    occurredAt: findTimestamp(event.occurred_at)?.micros ?? null,
    storedKey,
    dedupeKey,
    source,
    kind,
    subjectId,
    content,
    ...texts,
    trigrams: countTrigrams(texts.text),
    subscriptionIds,
    matches,
    contentDigest: contentDigest(typeof content === 'string' ? Buffer.from(content) : content),
    facets: [...facets].join(FACET_SEPARATOR),
    isAnswered,
  }
}

/** Approximate size in memory, in characters or bytes. */
export function sizeOf({ content, text, longText }: PreparedEvent): number {
  return content.length + (text?.length ?? 0) + (longText?.length ?? 0)
}

/** The members of an event that change, with its closing brace. They follow its content. */
interface MutableMembers {
  subscriptionIds: readonly string[]
  capturedAt: Micros
  seenCount: number
  lastSeenAt: Micros
}

export function mutableMembersJson({ subscriptionIds, capturedAt, seenCount, lastSeenAt }: MutableMembers): string {
  const [captured, seen] = [toTimestamp(capturedAt), toTimestamp(lastSeenAt)]
  const ids = JSON.stringify(subscriptionIds)
  return `,"subscription_ids":${ids},"captured_at":"${captured}","seen_count":${seenCount},"last_seen_at":"${seen}"}`
}

/** The members in a stored tail. */
export function ledgerMembersOf(tail: string): LedgerMembers {
  return JSON.parse(`{${tail.slice(1)}`) as LedgerMembers
}

export function readTail(tail: string): MutableMembers {
  const members = ledgerMembersOf(tail)
  return {
    subscriptionIds: members.subscription_ids,
    capturedAt: readTimestamp('captured_at', members.captured_at).micros,
    seenCount: members.seen_count,
    lastSeenAt: readTimestamp('last_seen_at', members.last_seen_at).micros,
  }
}
