import type { NewEvent } from '../../../model/events/event.js'
import { searchableStrings } from '../../../model/events/search.js'
import { payloadStrings } from '../../large-event.js'
import { storable } from '../connection/text-array.js'

/** Separates the texts of an event. */
const SEPARATOR = '\x01'
/** Characters. A longer text is not in the index; a search reads each of these. */
const INDEXED_TEXT = 128 * 1024
/** Characters of a term that the stored text cannot distinguish: then the event itself decides. */
const AMBIGUOUS = /[\x01\ufffd]/u

/** The folded texts of an event, as they are stored: in one of two columns. */
export interface SearchableText {
  text: string | null
  longText: string | null
}

export function searchableTextOf(event: Pick<NewEvent, 'actor' | 'conversation' | 'payload'>): SearchableText {
  return toSearchableText(searchableStrings(event))
}

/** The same for an event that is already serialised. It may be large, so it is read in slices. */
export async function searchableTextOfJson(event: NewEvent, json: Uint8Array): Promise<SearchableText> {
  const texts = searchableStrings(event)
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength)
  for (const text of payloadStrings(bytes)) {
    if (text === undefined) await new Promise(resolve => setImmediate(resolve))
    else if (text) texts.add(text)
  }
  return toSearchableText(texts)
}

function toSearchableText(texts: ReadonlySet<string>): SearchableText {
  const joined = storable([...texts].join(SEPARATOR))
  return joined.length > INDEXED_TEXT ? { text: null, longText: joined } : { text: joined, longText: null }
}

/** Whether the stored text alone decides about this folded term. */
export function isDecided(term: string): boolean {
  return !AMBIGUOUS.test(storable(term))
}

/** A folded term as a pattern of LIKE. */
export function likePattern(term: string): string {
  return `%${storable(term).replaceAll(/[\\%_]/gu, '\\$&')}%`
}
