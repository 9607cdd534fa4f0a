import type { StoredEvent } from '#model/events/event'
import { type Outcome, outcomeGroupOf } from '#model/sentences/event-outcome'
import { type SentencePart, sentenceOf } from '#model/sentences/event-sentence'
import { burstsOf, isFolded, type MachineRun, machineRunOf } from '#model/sentences/machine-runs'
import { dayOf, shownZone } from '../../../shared/words/time.js'
import { crumbsOf, eventKey, placeWords } from '../event-words.js'
import { type RowWords, rowWords } from './row-words.js'

type Shown = 'captured_at' | 'source' | 'kind' | 'actor_role' | 'seen_count'

/** The part of an event that the list keeps, which is the content of a row. A whole event may have a megabyte. */
export interface ListedEvent extends Pick<StoredEvent, Shown> {
  key: string
  verified: StoredEvent['provenance']['verified']
  actor: { display: string; id: string }
  /** The steps of the target that have a key, outermost first. */
  places: readonly { key: string; text: string }[]
  outcome: Outcome | undefined
  run: MachineRun | undefined
  sentence: readonly SentencePart[]
  words: RowWords
}

/** Longer names are not kept. UTF-16 characters; a row shows half as many. */
export const LONGEST_NAME = 400

/** @param terms search terms, which the row's text is to show */
export function toListed(event: StoredEvent, terms: readonly string[]): ListedEvent {
  const { captured_at, source, kind, actor_role, seen_count, provenance, actor } = event
  const run = machineRunOf(event)
  const listed: ListedEvent = {
    ...{ captured_at, source, kind, seen_count, key: eventKey(event), verified: provenance.verified },
    actor_role: short(actor_role),
    actor: { display: short(actor.display), id: short(actor.id) },
    places: crumbsOf(event).flatMap(({ node, text }) =>
      node.key ? [{ key: short(node.key), text: short(placeWords(node, text)) }] : [],
    ),
    outcome: outcomeGroupOf(event),
    run: run && { ...run, key: short(run.key), repository: short(run.repository), commit: short(run.commit) },
    sentence: sentenceOf(event).map(part =>
      part.kind === 'place' ? { ...part, steps: part.steps.map(short) } : { ...part, text: short(part.text) },
    ),
    words: rowWords(event, terms),
  }
  // Copied, because a cut text would keep the whole text in memory, and a name the whole JSON from which it was read.
  return structuredClone(listed)
}

function short(text: string): string {
  return text.slice(0, LONGEST_NAME)
}

/** A line above everything that existed at a checkpoint. */
export interface Line {
  name: string
  text: string
  /** A `captured_at`: later events are above the line. */
  above: string
}

/** A row above neighbouring events of runs. It represents the folded ones. */
export interface Burst {
  /** Newest first. */
  burst: readonly ListedEvent[]
  isOpen: boolean
}

/** Rows of the list: events, bursts of them, and lines between them. */
export type ListRow = ListedEvent | Burst | (Line & { day: string })

/**
 * Inserts lines between events, and folds bursts. No line divides a burst. Omits a line with nothing below or above it.
 *
 * @param events newest first
 * @param isOpen whether the events of a burst are rows too; undefined if nothing is folded
 */
export function toRows(
  events: readonly ListedEvent[],
  lines: readonly Line[],
  isOpen?: (burst: readonly ListedEvent[]) => boolean,
): readonly ListRow[] {
  const places = lines
    .map(line => ({ line, at: events.findIndex(event => event.captured_at <= line.above) }))
    .filter(({ at }) => at > 0)
    .sort((a, b) => a.at - b.at)
  const rows = (from: number, to?: number) => {
    const part = events.slice(from, to)
    return isOpen ? burstsOf(part).flatMap(burst => burstRows(burst, isOpen)) : part
  }
  const above = places.flatMap(({ line, at }, index) => [
    ...rows(places[index - 1]?.at ?? 0, at),
    { ...line, day: eventDay(events[at - 1] as ListedEvent) },
  ])
  return [...above, ...rows(places.at(-1)?.at ?? 0)]
}

function burstRows(burst: readonly ListedEvent[], isOpen: (burst: readonly ListedEvent[]) => boolean): ListRow[] {
  if (burst.length === 1) return [...burst]
  const row = { burst, isOpen: isOpen(burst) }
  return [row, ...(row.isOpen ? burst : burst.filter(event => !isFolded(event)))]
}

export function isLine(row: ListRow): row is Line & { day: string } {
  return 'above' in row
}

export function isBurst(row: ListRow): row is Burst {
  return 'burst' in row
}

export function isEvent(row: ListRow): row is ListedEvent {
  return 'sentence' in row
}

/** A burst has the key of its oldest event, which stays while Live adds newer ones. */
export function rowKey(row: ListRow): string {
  if (isBurst(row)) return `burst ${row.burst.at(-1)?.key}`
  return isLine(row) ? `line ${row.name}` : row.key
}

const days = new WeakMap<ListedEvent, { zone: string | undefined; day: string }>()

/** The local day of an event, cached because it is needed for all rows on every change. */
export function eventDay(event: ListedEvent): string {
  const zone = shownZone.value
  const known = days.get(event)
  if (known && known.zone === zone) return known.day
  const day = dayOf(event.captured_at)
  days.set(event, { zone, day })
  return day
}

export function rowDay(row: ListRow): string {
  if (isLine(row)) return row.day
  return eventDay(isBurst(row) ? (row.burst[0] as ListedEvent) : row)
}
