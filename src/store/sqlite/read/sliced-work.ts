export interface WorkBounds {
  /** How long a slice may take: writes wait for it. */
  sliceMs: number
  /** How long all slices may take together. */
  workMs: number
}

/** Work on one query that may take long, in slices. */
export class SlicedWork {
  #started = performance.now()
  #spentMs = 0

  constructor(private readonly bounds: WorkBounds) {}

  /** Whether it is time for a pause. */
  get isLong(): boolean {
    return performance.now() - this.#started >= this.bounds.sliceMs
  }

  /** Whether the work took too long. Changes only with a pause. */
  get isOver(): boolean {
    return this.#spentMs > this.bounds.workMs
  }

  *pause(): Generator<void> {
    this.#spentMs += performance.now() - this.#started
    yield
    this.#started = performance.now()
  }

  /** Runs a part of this work that has pauses of its own. */
  *include<Result>(part: Generator<void, Result>): Generator<void, Result> {
    for (;;) {
      const step = part.next()
      if (step.done) return step.value
      yield* this.pause()
    }
  }
}
