/** Whether the process behind a file lives. `unknown`: the file has not been observed for long enough. */
type Pulse = 'unknown' | 'beating' | 'silent'

interface Watched {
  fingerprint: string
  observedAt: number
  silentForMs: number
  wasBeating: boolean
}

/** A longer gap between two observations counts as this part of the silence: this process may have been suspended. */
const MAX_SHARE_OF_A_GAP = 1 / 8

/**
 * Decides whether a process whose pid is not visible here is dead: its file must stay unchanged for `silenceMs` of
 * observation. If this process was itself suspended, maybe with the whole machine, so that it sent no heartbeat, it wakes
 * after a long gap; such a gap must not count as silence.
 */
export class SilenceWatch {
  #watched = new Map<string, Watched>()

  /** @param elapsed monotonic milliseconds: a wall clock that is set forward must not kill an owner */
  constructor(
    private readonly silenceMs: number,
    private readonly elapsed: () => number = () => performance.now(),
  ) {}

  /**
   * Observes a file once.
   *
   * @param key the nonce of an owner or of a claim
   * @param fingerprint changes with every heartbeat of the process
   */
  observe(key: string, fingerprint: string): Pulse {
    const at = this.elapsed()
    const known = this.#watched.get(key)
    if (known === undefined || known.fingerprint !== fingerprint) {
      this.#watched.set(key, { fingerprint, observedAt: at, silentForMs: 0, wasBeating: known !== undefined })
      return known === undefined ? 'unknown' : 'beating'
    }
    known.silentForMs += Math.min(at - known.observedAt, this.silenceMs * MAX_SHARE_OF_A_GAP)
    known.observedAt = at
    if (known.silentForMs >= this.silenceMs) return 'silent'
    return known.wasBeating ? 'beating' : 'unknown'
  }
}
