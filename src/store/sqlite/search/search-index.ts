import { type StoredEvent, targetChain } from '../../../model/events/event.js'
import type { EventFilter } from '../../../model/events/event-match.js'
import { foldCase, searchableStrings } from '../../../model/events/search.js'
import type { Database } from '../files/database.js'
import { findOutline, LARGE_BODY_BYTES, readOutline } from './large-body.js'

/** A longer text is not indexed; a search reads such events one by one. Characters. */
const INDEXED_TEXT = 128 * 1024
const FACET_CHARACTERS = 200
/** What one batch reads, but at least one event: writes wait for it. */
const BATCH_BYTES = 1024 * 1024
/** How many outlines of large events wait in memory to be indexed: to read one back takes tens of milliseconds. */
const KEPT_OUTLINES = 16
/** Further trigrams would not narrow a search; the text itself is checked later. */
const SEARCHED_TRIGRAMS = 48

const INDEXED_SEQ = /* sql */ `SELECT value FROM meta WHERE name = 'indexed_seq'`
const ADVANCE = /* sql */ `UPDATE meta SET value = ? WHERE name = 'indexed_seq'`
const UNINDEXED_SIZES = /* sql */ `SELECT octet_length(body) AS bytes FROM events WHERE seq > ? ORDER BY seq LIMIT ?`
const UNINDEXED = /* sql */ `
  SELECT seq, CASE WHEN octet_length(body) <= ${LARGE_BODY_BYTES} THEN body END AS body
  FROM events WHERE seq > ? ORDER BY seq LIMIT ?`
const ADD_TEXT = /* sql */ `INSERT INTO event_text (rowid, text) VALUES (?, ?)`
const ADD_OVERLONG = /* sql */ `INSERT INTO event_text_overlong (seq) VALUES (?)`
const ADD_FACETS = /* sql */ `INSERT INTO event_facets (rowid, facets) VALUES (?, ?)`

/**
 * The two inverted indexes over events: trigrams of the text, and facets (source, kind, actor, target …). They are the most
 * expensive part of a write, so they trail the commits and are filled in larger batches. A query reads events that are not
 * indexed yet from the table.
 */
export class SearchIndex {
  #indexedSeq: number
  /** By `seq`. */
  readonly #outlines = new Map<number, StoredEvent>()

  constructor(private readonly database: Database) {
    this.#indexedSeq = this.#committed()
  }

  /** Events up to this one are in the indexes. */
  get indexedSeq(): number {
    return this.#indexedSeq
  }

  /** Indexes up to `count` more events in one transaction, fewer where they are large. @returns how many */
  advance(count: number): number {
    const added = this.database.laterDurable(() => {
      const rows = this.database.all(UNINDEXED, this.#indexedSeq, this.#countThatFit(count))
      for (const { seq, body } of rows) {
        if (body === null) this.#addLarge(Number(seq))
        else this.#add(Number(seq), JSON.parse(String(body)) as StoredEvent)
      }
      if (rows.length > 0) this.database.run(ADVANCE, this.#indexedSeq + rows.length)
      return rows.length
    })
    for (let taken = 0; taken < added; taken++) this.#outlines.delete(++this.#indexedSeq)
    return added
  }

  /** For a large event in the caller's transaction, while its body is in memory. */
  keepOutline(seq: number, body: Buffer): void {
    const outline = this.#outlines.size < KEPT_OUTLINES ? findOutline(body) : undefined
    if (outline) this.#outlines.set(seq, outline)
  }

  /** After a rollback of the caller's transaction: later events receive the same numbers. */
  forgetOutlines(): void {
    this.#outlines.clear()
  }

  /**
   * For an event that is marked after it was stored, inside the caller's transaction. The index has no content, so its row
   * cannot be changed: a second row has the same number.
   */
  addSubscription(seq: number, id: string): void {
    this.#outlines.delete(seq)
    if (seq <= this.#indexedSeq) this.database.run(ADD_FACETS, seq, facet('subscription', id))
  }

  #countThatFit(count: number): number {
    let bytes = 0
    let rows = 0
    for (const row of this.database.all(UNINDEXED_SIZES, this.#indexedSeq, count)) {
      bytes += Math.min(Number(row.bytes), LARGE_BODY_BYTES)
      if (bytes > BATCH_BYTES && rows > 0) break
      rows++
    }
    return rows
  }

  #add(seq: number, event: StoredEvent): void {
    const text = inIndex([...searchableStrings(event)].join('\n'))
    if (text.length > INDEXED_TEXT) this.database.run(ADD_OVERLONG, seq)
    else this.database.run(ADD_TEXT, seq, text)
    this.#addFacets(seq, event)
  }

  /** Its text counts as overlong without a check. */
  #addLarge(seq: number): void {
    this.database.run(ADD_OVERLONG, seq)
    this.#addFacets(seq, this.#outlines.get(seq) ?? readOutline(this.database, seq))
  }

  #addFacets(seq: number, event: StoredEvent): void {
    this.database.run(ADD_FACETS, seq, [...facetsOf(event)].join(' '))
  }

  #committed(): number {
    return Number(this.database.first(INDEXED_SEQ)?.value ?? 0)
  }
}

function facetsOf(event: StoredEvent): Set<string> {
  const facets = new Set<string>()
  facets.add(facet('source', event.source))
  facets.add(facet('kind', event.kind))
  facets.add(facet('subject', event.subject_id))
  facets.add(facet('verified', event.provenance.verified))
  if (event.actor.id) facets.add(facet('actor', event.actor.id))
  if (event.actor.display) facets.add(facet('actor', event.actor.display))
  for (const id of event.subscription_ids) facets.add(facet('subscription', id))
  for (const node of targetChain(event.target)) if (node.key) facets.add(facet('target', node.key))
  return facets
}

/**
 * One token of the facet index. Characters that would split it are replaced, case is folded, long values are cut. If two
 * values share a token, a search reads an event that does not match.
 */
function facet(name: string, value: string): string {
  return `${name}:${foldCase(value)
    .slice(0, FACET_CHARACTERS)
    .replaceAll(/[\s\x00-\x20"'\x7f\p{Surrogate}]/gu, '_')}`
}

/** The FTS5 expression over `event_facets` that every event of the filter matches; undefined if any event may match. */
export function facetExpression(filter: EventFilter): string | undefined {
  const required: string[] = []
  const oneOf = (name: string, values: readonly string[] | undefined) => {
    if (values !== undefined) required.push(anyOf(values.map(value => token(facet(name, value)))))
  }
  oneOf('source', filter.sources)
  oneOf('subscription', filter.subscriptionIds)
  if (filter.subjectId !== undefined) required.push(token(facet('subject', filter.subjectId)))
  oneOf('actor', filter.actors)
  if (filter.target !== undefined) required.push(token(facet('target', filter.target)))
  oneOf('verified', filter.verified)
  if (filter.kinds !== undefined && !filter.kinds.includes('*')) required.push(anyOf(filter.kinds.map(kindToken)))
  return required.length > 0 ? required.join(' AND ') : undefined
}

function kindToken(pattern: string): string {
  return pattern.endsWith('.*') ? `${token(facet('kind', pattern.slice(0, -1)))} *` : token(facet('kind', pattern))
}

function anyOf(tokens: string[]): string {
  return tokens.length === 1 ? (tokens[0] as string) : `(${tokens.join(' OR ')})`
}

/** The FTS5 expression over `event_text` for the terms that have a trigram; undefined if none has. */
export function textExpression(terms: readonly string[]): string | undefined {
  const trigrams = new Set<string>()
  for (const term of terms) {
    const characters = [...term]
    for (let at = 0; at + 3 <= characters.length; at++) trigrams.add(characters.slice(at, at + 3).join(''))
  }
  if (trigrams.size === 0) return undefined
  return [...trigrams].slice(0, SEARCHED_TRIGRAMS).map(inIndex).map(token).join(' AND ')
}

/** SQLite ends a text at a NUL, and the driver cuts a text at half of a surrogate pair. */
function inIndex(text: string): string {
  return text.replaceAll(/[\0\p{Surrogate}]/gu, '\u0001')
}

function token(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
