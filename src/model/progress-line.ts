import type { Failure } from './failure.js'

/** A line that the server streams while it works for a client; the last one is the result or failure. */
export type ProgressLine<Progress, Result> = { progress: Progress } | { result: Result } | { failure: Failure }
