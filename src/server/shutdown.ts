/** An answer that may stay open for long. */
export interface OpenAnswer {
  /** Aborted when the server stops, or when the answer was ended. */
  signal: AbortSignal
  end: () => void
}

/** The answers that are held open (streams, long polls), so that a server that stops can end them. */
export class Shutdown {
  readonly #open = new Set<AbortController>()
  #begun = false

  get begun(): boolean {
    return this.#begun
  }

  /** Registers an answer; already aborted when the server is stopping. End it when it is over. */
  open(): OpenAnswer {
    const controller = new AbortController()
    if (this.#begun) controller.abort()
    else this.#open.add(controller)
    return {
      signal: controller.signal,
      end: () => {
        this.#open.delete(controller)
        controller.abort()
      },
    }
  }

  /** Ends what is open, and whatever opens from now on. */
  begin(): void {
    this.#begun = true
    for (const controller of this.#open) controller.abort()
    this.#open.clear()
  }
}
