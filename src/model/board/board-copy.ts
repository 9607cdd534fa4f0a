/** A board that was moved to another place. */
export interface BoardCopied {
  /** Folder, or address without its password. */
  from: string
  to: string
  cards: number
  /** Entries of the history of cards. */
  history: number
  runs: number
  /** Pieces of the logs of runs. */
  log_pieces: number
  /** Digest of all these, in hex; both boards have the same. */
  digest: string
}
