export interface WorkBounds {
  /** How long it may go on before writes get their turn. */
  sliceMs: number
  /** How long all of it may take, pauses not counted. */
  workMs: number
}

/** The work on one question that may be a long one. */
export class SlicedWork {
  #started = performance.now()
  #spentMs = 0

  constructor(private readonly bounds: WorkBounds) {}

  /** It is time for a pause. */
  get isLong(): boolean {
    return performance.now() - this.#started >= this.bounds.sliceMs
  }

  /** It was too much; looked at after pauses only. */
  get isOver(): boolean {
    return this.#spentMs > this.bounds.workMs
  }

  *pause(): Generator<void> {
    this.#spentMs += performance.now() - this.#started
    yield
    this.#started = performance.now()
  }

  /** Does what pauses by itself, as a part of this work. */
  *include<Result>(part: Generator<void, Result>): Generator<void, Result> {
    for (;;) {
      const step = part.next()
      if (step.done) return step.value
      yield* this.pause()
    }
  }
}
