import type { Failure } from './failure.js'

/** A line that the server streams during long work for a client. The last line is the result or the failure. */
export type ProgressLine<Progress, Result> = { progress: Progress } | { result: Result } | { failure: Failure }
