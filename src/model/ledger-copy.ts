/** Lines of an export, and of the answers from which another ledger copies. Source: docs/decisions/0053. */

/** An event and the digest that vouches for everything up to it. */
export interface HeadText {
  captured_at: string
  /** Lowercase hex; null while events of an older release have none. */
  digest: string | null
}

/** The last line of a page: `{"page":…}`. */
export interface CopyPageLine {
  /** The last event of the page. If the page has none, the newest event before it. */
  through: HeadText | null
  /** The number of the last change in the page. */
  changes: number
  has_more: boolean
  /** Identifies the database that numbers the changes. */
  numbering: string
  /** Number of events after the page. */
  events_left: number
  /** Newest `captured_at` of the ledger. */
  head: string | null
  epoch: string
}

/** The first line of an export: `{"export":…}`. */
export interface ExportHeader {
  format: typeof EXPORT_FORMAT
  /** Release that wrote it. */
  version: string
  epoch: string
  /** Only events captured after this are included; null for a complete export. */
  since: string | null
  /** The ledger has, or once had, users or an admin token. */
  closed: boolean
  /** Whether it contains users, password hashes and digests of tokens. */
  accounts: boolean
}

/** The last line of an export: `{"end":…}`. */
export interface ExportEnd {
  events: number
  subscriptions: number
  users: number
  tokens: number
  /** The newest event. */
  through: HeadText | null
  /** As in the header, but when the last line was written. Absent in exports of earlier releases. */
  closed?: boolean
}

export const EXPORT_FORMAT = 1

/** Events per page, and dead letters per copy of the other state. */
export const COPY_LIMITS = { events: 500, deadLetters: 10_000 } as const

/** A ledger that was moved to another place. */
export interface LedgerCopied {
  /** Path, or address without its password. */
  from: string
  to: string
  /** Events that this run has copied. */
  events: number
  subscriptions: number
  users: number
  tokens: number
  consumers: number
  /** Defined by operators. */
  sources: number
  /** `captured_at` of the newest event. */
  head: string | null
  head_digest: string | null
  epoch: string
}

/** A finished import. */
export interface LedgerImport {
  /** Path of the ledger. */
  database: string
  /** `identical`: the ledger was new, and has the same events, instants and digests. `merged`: it recorded what was missing. */
  mode: 'identical' | 'merged'
  /** Events that were stored by this run. */
  events: number
  /** Events that were there already. */
  known: number
  subscriptions: number
  users: number
  tokens: number
  /** `captured_at` of the newest event. */
  head: string | null
  head_digest: string | null
  epoch: string
}
