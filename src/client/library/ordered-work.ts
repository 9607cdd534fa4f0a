import { type DeadLetterInput, messageOf } from './consumer-reader.js'
import { growingWait } from './growing-wait.js'
import type { LedgerEvent } from './ledger-event.js'

/** The work failed for a reason outside the event. It is repeated later, and the attempt does not count. */
export class NotNow extends Error {
  constructor(
    message: string,
    readonly milliseconds: number,
  ) {
    super(message)
  }
}

/** Nothing more can be done: the consumer ends. */
export class WorkEnds extends Error {}

export interface WorkOptions {
  /** Does the work for some events, of different keys or one after the other. @throws when it failed */
  handle: (events: readonly LedgerEvent[]) => Promise<void>
  concurrency: number
  /** Maximum number of events handled together. */
  unit: number
  /** Events of one key are handled one after the other. */
  keyOf: (event: LedgerEvent) => string
  /** How often a failed event is tried again. */
  retries: number
  onFailure: 'stop' | 'dead-letter'
  /** No further work is begun. */
  signal: AbortSignal
  /** Called when events are done. */
  onProgress: () => void
  random?: () => number
}

/** Key and place are read before the work, which may change the event. */
interface Task {
  event: LedgerEvent
  key: string
  place: Pick<LedgerEvent, 'dedupe_key' | 'captured_at'>
  isDone: boolean
  attempts: number
  /** Set after the event failed together with others. */
  isAlone: boolean
}

const ERROR_BYTES = 4 * 1024
/** A timer that is set for longer ends immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
const RETRY = { first: 500, last: 30_000 }

/**
 * Processes the events of a batch, some at the same time, those of one key in order. An event that waits for a retry keeps
 * only its own key waiting.
 */
export class OrderedWork {
  readonly deadLetters = new Map<LedgerEvent, DeadLetterInput>()
  /** Why it stopped early. */
  failure: unknown
  readonly #tasks: Task[]
  readonly #queues = new Map<string, Task[]>()
  #ready: string[] = []
  #running = 0
  readonly #delayed = new Set<ReturnType<typeof setTimeout>>()
  #end: () => void = () => {}
  #isOver = false

  constructor(
    events: readonly LedgerEvent[],
    private readonly options: WorkOptions,
  ) {
    this.#tasks = events.map(event => {
      const { dedupe_key, captured_at } = event
      const place = { dedupe_key, captured_at }
      return { event, key: options.keyOf(event), place, isDone: false, attempts: 0, isAlone: false }
    })
    for (const task of this.#tasks) {
      const { key } = task
      const queue = this.#queues.get(key)
      if (queue) queue.push(task)
      else {
        this.#queues.set(key, [task])
        this.#ready.push(key)
      }
    }
  }

  /** How many events are done, from the first one on without a gap. */
  get done(): number {
    const gap = this.#tasks.findIndex(task => !task.isDone)
    return gap === -1 ? this.#tasks.length : gap
  }

  /** `captured_at` of the last of them. */
  get doneThrough(): string | undefined {
    return this.#tasks[this.done - 1]?.place.captured_at
  }

  /** Resolves when all events are done. After a stop: when the work that was begun is done. */
  run(): Promise<void> {
    const { signal } = this.options
    return new Promise(resolve => {
      const stop = () => this.stop()
      signal.addEventListener('abort', stop)
      this.#end = () => {
        signal.removeEventListener('abort', stop)
        resolve()
      }
      if (signal.aborted) this.stop()
      else this.#fill()
    })
  }

  /** Begins no more work. */
  stop(): void {
    this.#isOver = true
    for (const timer of this.#delayed) clearTimeout(timer)
    this.#delayed.clear()
    this.#fill()
  }

  #fill(): void {
    while (!this.#isOver && this.#running < this.options.concurrency && this.#ready.length > 0) {
      void this.#try(this.#take())
    }
    if (this.#running === 0 && this.#delayed.size === 0 && (this.#isOver || this.#ready.length === 0)) this.#end()
  }

  /** Tasks of keys that no other unit has. */
  #take(): Task[] {
    const unit: Task[] = []
    while (unit.length < this.options.unit) {
      const key = this.#ready[0]
      const queue = key === undefined ? undefined : this.#queues.get(key)
      if (!queue || (queue[0]?.isAlone && unit.length > 0)) break
      this.#ready.shift()
      if (queue[0]?.isAlone) return queue.splice(0, 1)
      const next = queue.findIndex(task => task.isAlone)
      unit.push(...queue.splice(0, Math.min(this.options.unit - unit.length, next === -1 ? queue.length : next)))
    }
    return unit
  }

  async #try(unit: Task[]): Promise<void> {
    this.#running++
    try {
      await this.options.handle(unit.map(({ event }) => event))
      this.#finish(unit)
    } catch (error) {
      // `undefined` and `null` mean that there is no failure.
      this.#failed(unit, error ?? new Error('The handler failed without a reason.'))
    }
    this.#running--
    this.#fill()
  }

  #finish(unit: readonly Task[]): void {
    for (const task of unit) task.isDone = true
    this.#free(unit)
    this.options.onProgress()
  }

  /** Makes the keys of these tasks ready again, if they have more tasks. */
  #free(unit: readonly Task[]): void {
    for (const key of new Set(unit.map(({ key }) => key))) {
      if (this.#queues.get(key)?.length) this.#ready.push(key)
    }
  }

  #failed(unit: Task[], error: unknown): void {
    const { retries, onFailure, random } = this.options
    const [task] = unit
    if (error instanceof WorkEnds) this.#give(error)
    else if (error instanceof NotNow) this.#later(unit, error.milliseconds)
    else if (!task || unit.length > 1) this.#separate(unit)
    else if (task.attempts++ < retries) this.#later(unit, growingWait(task.attempts, RETRY, random))
    else if (onFailure === 'stop') this.#give(error)
    else {
      this.deadLetters.set(task.event, { ...task.place, error: endOf(error), attempts: task.attempts })
      this.#finish(unit)
    }
  }

  #give(error: unknown): void {
    this.failure ??= error
    this.stop()
  }

  /** After one of them failed, each is handled alone, so that only that one fails again. */
  #separate(unit: readonly Task[]): void {
    for (const task of [...unit].reverse()) {
      task.isAlone = true
      this.#queues.get(task.key)?.unshift(task)
    }
    this.#free(unit)
  }

  #later(unit: Task[], milliseconds: number): void {
    if (this.#isOver) return
    const timer = setTimeout(
      () => {
        this.#delayed.delete(timer)
        const [first] = unit
        if (!first || this.#isOver) return
        // Their keys are not ready, so they are the first of their queues.
        for (const task of [...unit].reverse()) this.#queues.get(task.key)?.unshift(task)
        this.#free(unit)
        this.#fill()
      },
      Math.min(milliseconds, LONGEST_TIMER_MS),
    )
    this.#delayed.add(timer)
  }
}

/** The part of an error that the ledger stores: the end of the text, which names the cause. */
export function endOf(error: unknown): string {
  const bytes = new TextEncoder().encode(messageOf(error))
  return new TextDecoder().decode(bytes.subarray(-ERROR_BYTES))
}
