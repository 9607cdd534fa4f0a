/** Bytes of heap: at the bound on how many there may be, and after many times as many were put in. */
export interface AccountMemory {
  sessions: { atBound: number; beyond: number }
  throttle: { atBound: number; beyond: number }
}
