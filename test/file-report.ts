/** What a test file came to, as one process tells it to another. */
export interface FileReport {
  file: string
  /** Assertions. */
  passed: number
  failures: Failure[]
  /** Names of what was skipped, and why. */
  skipped: string[]
  /** What the file says of itself, as its seed. */
  comments: string[]
  seconds: number
}

export interface Failure {
  fullname: string
  /** tap's diagnosis: difference, place, stack. */
  diag: unknown
}
