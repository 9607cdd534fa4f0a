/**
 * The rows of a board in a form that all stores share, so that a board can be copied between stores. Sessions are not
 * copied: their digests depend on the store's salt.
 *
 * Source: docs/decisions/0083.
 */

/** `bytes` are hexadecimal digits in a copied row. */
type ColumnType = 'number' | 'text' | 'bytes'

interface BoardTable {
  /** In the order of a copied row. The `key` comes first. */
  columns: Readonly<Record<string, ColumnType>>
  /** Number of leading columns that form the key. Rows are read in key order. */
  key: 1 | 2
  /** Whether the store numbers new rows itself. */
  isNumbered: boolean
}

export const BOARD_TABLES = {
  cards: {
    columns: {
      seq: 'number',
      id: 'text',
      board_column: 'text',
      rank: 'number',
      version: 'number',
      assignee: 'text',
      labels: 'text',
      links: 'text',
      created_at: 'text',
      updated_at: 'text',
      title: 'text',
      body: 'text',
    },
    key: 1,
    isNumbered: true,
  },
  card_history: {
    columns: {
      seq: 'number',
      card_id: 'text',
      at: 'text',
      actor: 'text',
      actor_name: 'text',
      action: 'text',
      body: 'text',
    },
    key: 1,
    isNumbered: true,
  },
  runs: {
    columns: {
      seq: 'number',
      id: 'text',
      card_id: 'text',
      mode: 'text',
      state: 'text',
      reason: 'text',
      exit_code: 'number',
      signal: 'text',
      created_at: 'text',
      started_at: 'text',
      finished_at: 'text',
      timeout_seconds: 'number',
      log_bytes: 'number',
      log_dropped_bytes: 'number',
      log_seq: 'number',
      plan: 'text',
    },
    key: 1,
    isNumbered: true,
  },
  run_log: {
    columns: { run: 'number', seq: 'number', at: 'text', stream: 'text', text: 'bytes' },
    key: 2,
    isNumbered: false,
  },
} as const satisfies Record<string, BoardTable>

export type BoardTableName = keyof typeof BOARD_TABLES
export const BOARD_TABLE_NAMES = Object.keys(BOARD_TABLES) as BoardTableName[]

/** The value of each column. */
export type BoardRow = readonly (string | number | null)[]

/** Why a board accepts no changes. */
export interface BoardClosed {
  /** `moved`: `place` continues it. `incomplete`: it has only a part of the rows of `place`. */
  state: 'moved' | 'incomplete'
  /** Folder, or address without its password. */
  place: string
}

export interface BoardRows {
  /**
   * @param after key of the previous row; null: from the beginning
   * @returns up to `BOARD_ROWS_A_READ` rows, in key order
   */
  read(table: BoardTableName, after: readonly number[] | null): Promise<BoardRow[]>
  /** Writes rows in one transaction, even if the board is closed. */
  write(table: BoardTableName, rows: readonly BoardRow[]): Promise<void>
  /** Deletes every row. */
  clear(): Promise<void>
  findClosed(): Promise<BoardClosed | undefined>
  /**
   * Applies to the next transaction, also in other processes that have the board open.
   *
   * @param closed undefined: the board accepts changes
   */
  setClosed(closed: BoardClosed | undefined): Promise<void>
}

/** A row has 64 KiB at most. */
export const BOARD_ROWS_A_READ = 128

export function columnsOf(table: BoardTableName): [name: string, type: ColumnType][] {
  return Object.entries(BOARD_TABLES[table].columns)
}

/** The key of a row. */
export function keyOf(table: BoardTableName, row: BoardRow): number[] {
  return row.slice(0, BOARD_TABLES[table].key).map(Number)
}
