/** The result of `daybook ledger migrate`. */
export interface LedgerMigration {
  /** The address without its password. */
  database: string
  /** The schema version before the migration; 0 for a new ledger. */
  from_version: number
  schema_version: number
  /** Partitions that the command created. */
  partitions: readonly string[]
  /** The role that may use the tables; null if none was named. */
  granted_to: string | null
  /** The new epoch of a restored ledger; null for another one. */
  epoch: string | null
}
