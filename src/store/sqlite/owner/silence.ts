/** What watching a file tells of the process behind it. `unknown`: not watched for long enough yet. */
export type Pulse = 'unknown' | 'beating' | 'silent'

interface Watched {
  fingerprint: string
  lookedAt: number
  silentForMs: number
  beaten: boolean
}

/** A longer gap between two looks counts as this part of the whole: whoever was asleep has not been watching. */
const MAX_SHARE_OF_ONE_LOOK = 1 / 8

/**
 * Decides by watching whether a process is dead that cannot be seen by its pid: its file must stay unchanged through
 * `silenceMs` of looks. A watcher that was itself suspended (with the whole machine, perhaps, so that nobody's heart
 * beat) wakes to a long gap; such a gap must not count as silence.
 */
export class SilenceWatch {
  #watched = new Map<string, Watched>()

  /** @param elapsed monotonic milliseconds: a wall clock that is set forward must not kill an owner */
  constructor(
    private readonly silenceMs: number,
    private readonly elapsed: () => number = () => performance.now(),
  ) {}

  /**
   * One look.
   *
   * @param key what is watched: the nonce of an owner or of a claim
   * @param fingerprint changes whenever the process behind it shows itself
   */
  look(key: string, fingerprint: string): Pulse {
    const at = this.elapsed()
    const known = this.#watched.get(key)
    if (known === undefined || known.fingerprint !== fingerprint) {
      this.#watched.set(key, { fingerprint, lookedAt: at, silentForMs: 0, beaten: known !== undefined })
      return known === undefined ? 'unknown' : 'beating'
    }
    known.silentForMs += Math.min(at - known.lookedAt, this.silenceMs * MAX_SHARE_OF_ONE_LOOK)
    known.lookedAt = at
    if (known.silentForMs >= this.silenceMs) return 'silent'
    return known.beaten ? 'beating' : 'unknown'
  }
}
