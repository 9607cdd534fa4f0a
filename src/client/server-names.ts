/** How messages speak of a server, and tell where a command looks for it. */
export interface ServerNames {
  /** "That is no …". */
  noun: string
  /** `code` of the failure when something else answers there. */
  notOne: 'not_a_ledger' | 'not_a_board'
  /** The flag and the setting that say where it is. */
  givenBy: string
}

export const LEDGER: ServerNames = {
  noun: 'ledger',
  notOne: 'not_a_ledger',
  givenBy: '--api-url or EVENT_API_URL',
}

export const BOARD: ServerNames = {
  noun: 'board',
  notOne: 'not_a_board',
  givenBy: '--board-url or BOARD_API_URL',
}
