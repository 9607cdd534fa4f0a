/** How messages name a server, and where a command looks for it. */
export interface ServerNames {
  /** "That is no …". */
  noun: string
  /** `code` of the failure if something else responds there. */
  mismatchCode: 'not_a_ledger' | 'not_a_board'
  /** The flag and the setting that give its address. */
  givenBy: string
}

export const LEDGER: ServerNames = {
  noun: 'ledger',
  mismatchCode: 'not_a_ledger',
  givenBy: '--api-url or EVENT_API_URL',
}

export const BOARD: ServerNames = {
  noun: 'board',
  mismatchCode: 'not_a_board',
  givenBy: '--board-url or BOARD_API_URL',
}
