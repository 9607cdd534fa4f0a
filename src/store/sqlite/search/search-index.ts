import { hash } from 'node:crypto'
import type { StoredEvent } from '../../../model/events/event.js'
import type { EventFilter } from '../../../model/events/event-match.js'
import { foldCase, searchableStrings } from '../../../model/events/search.js'
import { findOutline, LARGE_EVENT_BYTES } from '../../large-event.js'
import type { Database } from '../files/database.js'
import { rowsWithinBytes } from '../read/rows-within-bytes.js'
import { eachFacet, type FacetName, wantedFacets } from './facets.js'
import { readOutline } from './large-body.js'
import { TextIndex } from './text-index.js'
import { UnindexedFacets } from './unindexed-facets.js'

/** Characters. A longer text is not indexed; a search reads such events one by one. */
const INDEXED_TEXT = 128 * 1024
const FACET_CHARACTERS = 200
/**
 * Number of outlines of large events that wait in memory to be indexed. Reading one back takes tens of milliseconds.
 */
const KEPT_OUTLINES = 16

const INDEXED_SEQ = /* sql */ `SELECT value FROM meta WHERE name = 'indexed_seq'`
const ADVANCE = /* sql */ `UPDATE meta SET value = ? WHERE name = 'indexed_seq'`
const NEXT = /* sql */ `
  SELECT seq, octet_length(body) AS bytes, CASE WHEN octet_length(body) <= ${LARGE_EVENT_BYTES} THEN body END AS body
  FROM events WHERE seq > ? ORDER BY seq LIMIT ?`
const ADD_OVERLONG = /* sql */ `INSERT OR IGNORE INTO event_text_overlong (seq) VALUES (?)`
const ADD_FACETS = /* sql */ `INSERT INTO event_facets (rowid, facets) VALUES (?, ?)`
/** The table has no content, so it needs the words of each event. Its option `secure-delete` leaves no trace of them. */
const DELETE_FACETS = /* sql */ `INSERT INTO event_facets (event_facets, rowid, facets) VALUES ('delete', ?, ?)`
const DELETE_OVERLONG = /* sql */ `DELETE FROM event_text_overlong WHERE seq = ?`

/** The form of an event in the indexes. */
interface Indexed {
  seq: number
  bytes: number
  /** Folded. Undefined if a search has to read the event. */
  text: string | undefined
  /** Undefined if its body is not JSON: then nothing finds it. */
  event: StoredEvent | undefined
}

/**
 * The two indexes over events: signatures of their texts, and an inverted index of facets (source, kind, actor, target
 * …). Both trail the commits and are filled in larger batches. For events that are not indexed yet, a query uses the
 * marks of their facets, or reads the events from the table.
 */
export class SearchIndex {
  readonly unindexed = new UnindexedFacets()
  #texts: TextIndex
  #indexedSeq: number
  /** By `seq`. */
  readonly #outlines = new Map<number, StoredEvent>()

  /** Texts were removed, maybe in a transaction that is not committed yet. */
  #forgetsTexts = false

  constructor(private readonly database: Database) {
    this.#texts = new TextIndex(database)
    this.#indexedSeq = this.#committed()
  }

  get texts(): TextIndex {
    return this.#texts
  }

  /** Number of the last event whose facets are in the index. */
  get indexedSeq(): number {
    return this.#indexedSeq
  }

  /** Number of the last event whose text is in the index too; lower after a restart. */
  get through(): number {
    return this.texts.through
  }

  /** Indexes up to `count` more events, fewer where they are large. @returns how many */
  advance(count: number): number {
    const from = this.through
    const rows = this.database.all(NEXT, from, rowsWithinBytes(this.database, from, count))
    const added = rows.map(({ seq, bytes, body }) => this.#read(Number(seq), Number(bytes), body))
    const last = from + added.length
    if (last > this.#indexedSeq) {
      const isNew = ({ seq }: Indexed) => seq > this.#indexedSeq
      this.database.withRelaxedSync(() => {
        for (const { seq, text, event } of added.filter(isNew)) {
          if (text === undefined) this.database.run(ADD_OVERLONG, seq)
          if (event) this.database.run(ADD_FACETS, seq, facetTokens(event))
        }
        this.database.run(ADVANCE, last)
      })
      this.#indexedSeq = last
      this.unindexed.dropThrough(last)
    }
    for (const { seq, bytes, text } of added) {
      this.texts.add(text, bytes)
      this.#outlines.delete(seq)
    }
    this.texts.store()
    return added.length
  }

  /** Adds the marks of a new event, in the caller's transaction. @param marks of its facets, from `addMarks` */
  addUnindexed(seq: number, marks: Uint32Array): void {
    this.unindexed.add(seq, marks)
  }

  /** Keeps the outline of a large event, in the caller's transaction, while its body is in memory. */
  keepOutline(seq: number, body: Buffer): void {
    const outline = this.#outlines.size < KEPT_OUTLINES ? findOutline(body) : undefined
    if (outline) this.#outlines.set(seq, outline)
  }

  /**
   * Call it after a rollback of the caller's transaction: later events receive the same numbers, and removed texts are
   * back.
   */
  rewind(): void {
    this.#outlines.clear()
    if (this.#forgetsTexts) this.#texts = new TextIndex(this.database)
    this.#forgetsTexts = false
  }

  /** Removes an event, except its text, in the caller's transaction. @param event as it was indexed; undefined: not JSON */
  forgetEvent(seq: number, event: StoredEvent | undefined): void {
    this.#outlines.delete(seq)
    if (seq > this.#indexedSeq) return
    if (event && isIndexed(event)) this.database.run(DELETE_FACETS, seq, facetTokens(event))
    this.database.run(DELETE_OVERLONG, seq)
  }

  /** Adds facets for what is left of a removed event, so that it is found again. */
  addFacets(seq: number, event: StoredEvent): void {
    if (seq <= this.#indexedSeq) this.database.run(ADD_FACETS, seq, facetTokens(event))
    else {
      eachFacet(event, event.provenance.verified, event.subscription_ids, (name, value) => {
        this.unindexed.addFacet(seq, name, value)
      })
    }
  }

  /**
   * Removes the texts of events, in the caller's transaction. After a yield, the rest may be in another transaction.
   */
  forgetTexts(seqs: readonly number[]): Generator<void> {
    this.#forgetsTexts = true
    return this.texts.forget(seqs)
  }

  /** The same for all texts up to an event. */
  forgetTextsUpTo(seq: number): Generator<void> {
    this.#forgetsTexts = true
    return this.texts.forgetUpTo(seq)
  }

  /**
   * Marks an event after it was stored, inside the caller's transaction. The index has no content, so its row cannot be
   * changed: a second row with the same number is added.
   */
  addSubscription(seq: number, id: string): void {
    this.#outlines.delete(seq)
    if (seq <= this.#indexedSeq) this.database.run(ADD_FACETS, seq, facetToken('subscription', id))
    else this.unindexed.addFacet(seq, 'subscription', id)
  }

  /** The text of a large event counts as overlong without a check. */
  #read(seq: number, bytes: number, body: unknown): Indexed {
    if (body === null) {
      return { seq, bytes, text: undefined, event: this.#outlines.get(seq) ?? readOutline(this.database, seq) }
    }
    const event = readEvent(String(body))
    if (!event) return { seq, bytes, text: '', event }
    const text = [...searchableStrings(event)].join('\n')
    return { seq, bytes, text: text.length > INDEXED_TEXT ? undefined : text, event }
  }

  #committed(): number {
    return Number(this.database.first(INDEXED_SEQ)?.value ?? 0)
  }
}

/** Another program may have changed the file: such an event must not stop the index. */
function readEvent(body: string): StoredEvent | undefined {
  try {
    const event = JSON.parse(body) as StoredEvent
    return isIndexed(event) ? event : undefined
  } catch {
    return undefined // `daybook ledger verify` reports it
  }
}

function facetTokens(event: StoredEvent): string {
  const tokens = new Set<string>()
  eachFacet(event, event.provenance.verified, event.subscription_ids, (name, value) => {
    tokens.add(facetToken(name, value))
  })
  return [...tokens].join(' ')
}

/** The body of an event that retention has removed has no such member. */
function isIndexed(event: StoredEvent): boolean {
  return event.actor !== undefined
}

/**
 * Facets that stay when an event is erased. All other values are in the index as their digests, because the index keeps
 * parts of removed tokens.
 */
const CLEAR_FACETS: readonly FacetName[] = ['source', 'kind', 'verified', 'outcome']
const DIGEST_DIGITS = 16

/**
 * One token of the facet index. Case is folded; in a clear value, characters that would split it are replaced, and long
 * values are cut. If two values share a token, a search reads an event that does not match.
 *
 * Source: docs/decisions/0054.
 */
function facetToken(name: FacetName, value: string): string {
  const folded = foldCase(value)
  if (!CLEAR_FACETS.includes(name)) return `${name}:${hash('sha1', folded).slice(0, DIGEST_DIGITS)}`
  return `${name}:${folded.slice(0, FACET_CHARACTERS).replaceAll(/[\s\x00-\x20"'\x7f\p{Surrogate}]/gu, '_')}`
}

/** The FTS5 expression over `event_facets` that every event of the filter matches; undefined if any event may match. */
export function facetExpression(filter: EventFilter): string | undefined {
  const required = wantedFacets(filter).map(({ name, values }) => anyOf(values.map(value => asked(name, value))))
  return required.length > 0 ? required.join(' AND ') : undefined
}

function asked(name: FacetName, value: string): string {
  const isPrefix = name === 'kind' && value.endsWith('.*')
  const token = `"${facetToken(name, isPrefix ? value.slice(0, -1) : value).replaceAll('"', '""')}"`
  return isPrefix ? `${token} *` : token
}

function anyOf(tokens: string[]): string {
  return tokens.length === 1 ? (tokens[0] as string) : `(${tokens.join(' OR ')})`
}
