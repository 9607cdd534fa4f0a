/** Milliseconds that one call of the board's session store takes with 1,024 live sessions, at the 99th percentile. */
export interface SessionStoreTimes {
  login: number
  check: number
  purge: number
}
