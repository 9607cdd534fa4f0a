/** The result of a test file, as one process sends it to another. */
export interface FileReport {
  file: string
  /** Assertions. */
  passed: number
  failures: Failure[]
  /** Names of what was skipped, and why. */
  skipped: string[]
  /** What the file reports about itself, such as its seed. */
  comments: string[]
  seconds: number
  /** The process runs no further file. */
  isLast: boolean
}

export interface Failure {
  fullname: string
  /** tap's diagnosis: difference, place, stack. */
  diag: unknown
}
