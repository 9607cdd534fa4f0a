/** A board that was moved to another place. */
export interface BoardCopied {
  /** Folder, or address without its password. */
  from: string
  to: string
  cards: number
  /** Entries of the history of cards. */
  history: number
  runs: number
  /** Of the logs of runs. */
  log_pieces: number
  /** Of all of these, in hex: both boards have it. */
  digest: string
}
