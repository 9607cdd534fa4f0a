/** Those who wait for something new of a run. What it is they find in the store, so nothing piles up for a slow one. */
export class RunFollowers {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** Resolves when something of the run has changed, or with the signal. */
  changed(id: string, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
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
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    for (const go of waiting ?? []) go()
  }
}
