import Type from '#typebox'

export const BACKUP_LIMITS = { pathCharacters: 4_096, requestBytes: 32 * 1024 } as const

/** Where a server writes a copy. */
export const BackupPathSchema = Type.String({
  minLength: 1,
  maxLength: BACKUP_LIMITS.pathCharacters,
  pattern: '^[^\\u0000\\uD800-\\uDFFF]*$',
  description: 'Absolute path of a file that does not exist yet.',
})

/** A copy of the ledger to be made. */
export const LedgerCopySchema = Type.Object({ path: BackupPathSchema }, { additionalProperties: false })

/** A ledger that was replaced by a backup. Source: decision 47. */
export interface RestoredLedger {
  /** Path of the ledger. */
  database: string
  events: number
  /** `captured_at` of the newest event. */
  head: string | null
  /** A new epoch. */
  epoch: string
  /** New path of the replaced file; null if there was none. */
  replaced: string | null
}

/** A finished backup of a ledger. Source: decision 47. */
export interface LedgerBackup {
  /** Absolute, or `-` for standard output. */
  path: string
  bytes: number
  events: number
  /** `captured_at` of the newest event. */
  head: string | null
  epoch: string
  schema_version: number
}

/** A ledger whose file was rebuilt. Source: decision 55. */
export interface CompactedLedger {
  /** Path of the ledger. */
  database: string
  bytes_before: number
  bytes: number
}
