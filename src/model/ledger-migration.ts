/** What `daybook ledger migrate` has done. */
export interface LedgerMigration {
  /** The address without its password. */
  database: string
  /** The schema before; 0 for a new ledger. */
  from_version: number
  schema_version: number
  /** Partitions that it has made. */
  partitions: readonly string[]
  /** The role that may use the tables; null if none was named. */
  granted_to: string | null
}
