/** Those who wait for something new of a run. What it is they find in the store, so nothing piles up for a slow one. */
export class RunFollowers {
  #wakes = 0
  readonly #waiting = new Map<string, Set<() => void>>()

  /** How often followers were woken: what happened by then is known to a look that begins now. */
  get wakes(): number {
    return this.#wakes
  }

  /** Resolves when something of the run has changed since then, or with the signal. */
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

  wake(id: string): void {
    this.#wakes++
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    for (const go of waiting ?? []) go()
  }
}
