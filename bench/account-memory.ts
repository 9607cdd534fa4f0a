/** Bytes of heap: at the maximum number of entries, and after many times as many were added. */
export interface AccountMemory {
  sessions: { atBound: number; beyond: number }
  throttle: { atBound: number; beyond: number }
}
