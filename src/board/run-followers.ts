/** Wakes the followers of a run when it changes. They read the change from the store, so nothing accumulates for a slow one. */
export class RunFollowers {
  #wakes = 0
  readonly #waiting = new Map<string, Set<() => void>>()

  /** How often followers were woken. A read that begins after a caller got this number sees all changes up to it. */
  get wakes(): number {
    return this.#wakes
  }

  /** Resolves when the run has changed since `wakes` had this value, or with the signal. */
  async changed(id: string, since: number, signal: AbortSignal): Promise<void> {
    if (this.#wakes !== since || signal.aborted) return
    await new Promise<void>(resolve => {
      const waiting = this.#waiting.get(id) ?? new Set()
      this.#waiting.set(id, waiting)
      const go = () => {
        waiting.delete(go)
        signal.removeEventListener('abort', go)
        resolve()
      }
      waiting.add(go)
      signal.addEventListener('abort', go)
    })
  }

  /** @param id undefined: any run may have changed */
  wake(id: string | undefined): void {
    this.#wakes++
    for (const run of id === undefined ? [...this.#waiting.keys()] : [id]) {
      const waiting = this.#waiting.get(run)
      this.#waiting.delete(run)
      for (const go of waiting ?? []) go()
    }
  }
}
