/** Runs one task at a time, in the order of the calls. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** If a task fails, its caller receives the error, and the next task begins. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}
