/** Plan for reading pages of events. Each reader follows its own checkpoint. */
export interface WalkPlan {
  port: number
  readers: readonly { since: string; pages: number }[]
  /** Events a page. */
  limit: number
}

export interface WalkResult {
  events: number
  seconds: number
  /** For each reader, the milliseconds of each page and the checkpoint after it. */
  readers: { times: number[]; checkpoints: string[] }[]
}

/** A checkpoint before every event. */
export const BEGINNING = '1970-01-01T00:00:00Z'
