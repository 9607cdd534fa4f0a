/** Runs one piece of work at a time, in the order in which they were given. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** The caller has the error of work that fails; the next work begins regardless. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}
