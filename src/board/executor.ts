import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { AppError } from '../model/app-error.js'
import type { Card } from '../model/board/card.js'
import { type CardActor, EXECUTOR } from '../model/board/card-history.js'
import {
  type ExecutorStatus,
  isFinished,
  type LogPiece,
  RUN_LIMITS,
  RUN_STATES,
  type Run,
  type RunMode,
  type RunState,
} from '../model/board/run.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { RunFilter, RunStore } from '../store/run-store.js'
import { mockRun } from './mock-run.js'
import { type ExecutorSettings, markOf, toNewRun, toOwnVariables, toPlan } from './new-run.js'
import { endTree, TREE_TIMES, type TreeTimes } from './process-tree.js'
import { RunFollowers } from './run-followers.js'
import { type NewLogPiece, RunLog } from './run-log.js'
import { type RunOutcome, runProcess, type StopReason } from './run-process.js'

export interface ExecutorTimes extends TreeTimes {
  /** Between two steps of a mock run. */
  mockStepMs: number
  /** Before a write that the store refused is tried again. */
  retryMs: number
}

export interface ExecutorParts {
  runs: RunStore
  findCard: (id: string) => Promise<Card | undefined>
  settings: ExecutorSettings
  /** Whether an executor token is currently configured; without one no real run is possible. */
  hasToken: () => Promise<boolean>
  now: () => Micros
  /** A new id for a run, never used again. */
  newId: () => string
  /** An unguessable word: every process that has it in its environment is ended with its run. */
  newMarker: () => string
  /** Called for failures outside a request. */
  report: (error: unknown) => void
  times?: Partial<ExecutorTimes>
}

const TIMES: ExecutorTimes = { ...TREE_TIMES, mockStepMs: 300, retryMs: 1_000 }
/** How long `cancel` waits for the end of the run. Ending a tree takes less, unless the store fails. */
const CANCEL_WAIT_MS = 15_000
const RETRY_AFTER_SECONDS = 5
/** Of a log, in one read. */
const PIECES_BYTES = 64 * 1024
const LOG_BOUNDS = { bytes: RUN_LIMITS.logBytes, pieces: RUN_LIMITS.logPieces }
const SHOWN_CHARACTERS = 100
const isUnavailable = (error: unknown) => error instanceof AppError && error.category === 'unavailable'

interface CurrentRun {
  id: string
  /** Aborted with a `StopReason`. */
  stop: AbortController
  /** Resolves when it has ended. */
  over: Promise<void>
  /** Who cancelled it. */
  cancelledBy?: CardActor
}

/**
 * Runs cards: one at a time, in the order of the requests. Everything about a run is in the store; its followers read there,
 * so nothing accumulates for a slow reader.
 *
 * Source: decisions on the board, section 8.
 */
export class Executor {
  readonly #times: ExecutorTimes
  readonly #queue: string[] = []
  readonly #followers = new RunFollowers()
  readonly #closing = new AbortController()
  /** Resolves when the processes that an earlier server left are ended. */
  readonly #recovered: Promise<void>
  #current: CurrentRun | undefined
  #isWorking = false
  /** Runs that are being stored. */
  #starting = 0

  /**
   * Runs that an earlier server left unfinished become `interrupted` and are never started again; their remaining processes
   * are ended before any run starts.
   *
   * @throws AppError `unavailable/store_…`
   */
  static async open(parts: ExecutorParts): Promise<Executor> {
    const { runs, now } = parts
    const left = await runs.listActive()
    for (const { run } of left) await runs.update(run.id, { state: 'interrupted', finished_at: toTimestamp(now()) })
    const markers = left.flatMap(({ marker }) => marker ?? [])
    return new Executor(parts, markers)
  }

  private constructor(
    private readonly parts: ExecutorParts,
    leftMarkers: readonly string[],
  ) {
    this.#times = { ...TIMES, ...parts.times }
    this.#recovered = this.#endLeftovers(leftMarkers)
  }

  /**
   * @throws AppError `not_found/not_found`, `conflict/executor_not_configured`, `unavailable/busy`,
   *   `unavailable/stopping`, `unavailable/store_…`
   */
  async start(cardId: string, mode: RunMode, by: CardActor): Promise<Run> {
    const { runs, settings } = this.parts
    if (this.#closing.signal.aborted) throw unavailable('stopping', 'The server stops. Start the run when it is back.')
    if (!(await this.parts.findCard(cardId))) throw unknown('card', cardId)
    if (mode === 'real' && !settings.command) {
      throw new AppError('conflict', 'executor_not_configured', 'No command is configured for real runs.', {
        hint: 'Set BOARD_EXECUTOR_COMMAND and restart the server.',
      })
    }
    if (mode !== 'dry_run' && this.#queue.length + this.#starting >= RUN_LIMITS.queued) {
      throw unavailable('busy', `${RUN_LIMITS.queued} runs are queued already. Try again later.`)
    }
    const run = toNewRun({ id: this.parts.newId(), cardId, mode, at: this.#at() }, settings)
    if (mode === 'dry_run') {
      await runs.create(run, { keep: RUN_LIMITS.kept, by })
      return run
    }
    this.#starting++
    try {
      await runs.create(run, { keep: RUN_LIMITS.kept, by })
      this.#queue.push(run.id)
    } finally {
      this.#starting--
    }
    void this.#work()
    return run
  }

  list(filter: RunFilter, page: { limit: number; after: number | null }): ReturnType<RunStore['list']> {
    return this.parts.runs.list(filter, page)
  }

  /** @throws AppError `not_found/not_found` */
  async get(id: string): Promise<Run> {
    const run = await this.parts.runs.find(id)
    if (run) return run
    throw unknown('run', id, 'Only the newest are kept.')
  }

  find(id: string): Promise<Run | undefined> {
    return this.parts.runs.find(id)
  }

  /** The whole stored log. It may be long, so other work gets a turn in between. */
  async log(id: string, after = 0): Promise<LogPiece[]> {
    const pieces: LogPiece[] = []
    while (pieces.length < RUN_LIMITS.logPieces) {
      const more = await this.parts.runs.readLog(id, pieces.at(-1)?.seq ?? after, PIECES_BYTES)
      if (more.length === 0) break
      pieces.push(...more)
      await turn()
    }
    return pieces
  }

  /**
   * The log while it is written, some pieces at a time, after the one with that `seq`. A follower that is slower than the
   * run misses pieces that the log no longer has. Ends with the run, or with the signal.
   */
  async *follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<LogPiece[]> {
    for (let seq = after; !signal.aborted; ) {
      const { wakes } = this.#followers
      const run = await this.parts.runs.find(id)
      const pieces = await this.parts.runs.readLog(id, seq, PIECES_BYTES)
      if (pieces.length > 0) {
        seq = pieces.at(-1)?.seq ?? seq
        yield pieces
      } else if (!run || isFinished(run)) {
        return
      } else {
        await this.#followers.changed(id, wakes, signal)
      }
    }
  }

  /**
   * Ends a run with all its processes, and waits for the end.
   *
   * @returns the run, which may have ended for another reason just before
   * @throws AppError `not_found/not_found`, `conflict/run_finished`, `unavailable/store_…`
   */
  async cancel(id: string, by: CardActor): Promise<Run> {
    await this.get(id)
    const at = this.#queue.indexOf(id)
    if (at !== -1) {
      // It must not start while this is stored.
      this.#queue.splice(at, 1)
      try {
        await this.parts.runs.update(id, { state: 'cancelled', finished_at: this.#at() }, by)
      } catch (error) {
        this.#queue.splice(at, 0, id)
        void this.#work()
        throw error
      }
      this.#followers.wake(id)
    } else if (this.#current?.id === id) {
      const { stop, over } = this.#current
      this.#current.cancelledBy ??= by
      stop.abort('cancelled' satisfies StopReason)
      await Promise.race([over, delay(CANCEL_WAIT_MS, undefined, { ref: false })])
    } else {
      throw new AppError('conflict', 'run_finished', 'The run has ended already; there is nothing to cancel.')
    }
    return this.get(id)
  }

  /** No run starts until `resume`, also after a restart; the current one continues. */
  async pause(): Promise<ExecutorStatus> {
    await this.parts.runs.setPaused(true)
    return this.status()
  }

  async resume(): Promise<ExecutorStatus> {
    await this.parts.runs.setPaused(false)
    void this.#work()
    return this.status()
  }

  /** The stored runs. */
  async countByState(): Promise<Map<RunState, number>> {
    const none = RUN_STATES.map(state => [state, 0] as const)
    return new Map([...none, ...(await this.parts.runs.countByState())])
  }

  async status(): Promise<ExecutorStatus> {
    return {
      real: (await this.parts.hasToken()) && this.parts.settings.command !== undefined,
      paused: await this.parts.runs.isPaused(),
      running: this.#current?.id ?? null,
      queued: this.#queue.length,
      plan: toPlan(this.parts.settings),
    }
  }

  /** Ends the current run with all its processes. It and the queued ones become `interrupted`. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#current?.stop.abort('interrupted' satisfies StopReason)
    for (const id of this.#queue.splice(0)) await this.#interrupt(id)
    await this.#current?.over
    await this.#recovered
  }

  /** Performs queued runs one after the other. */
  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    try {
      await this.#recovered
      // No await between the last check of the queue and the end of this function, or a run could be left in the queue.
      while (this.#queue.length > 0) {
        if ((await this.parts.runs.isPaused()) || this.#closing.signal.aborted) break
        const id = this.#queue.shift()
        if (id === undefined) break
        const stop = new AbortController()
        const over = this.#perform(id, stop.signal)
        this.#current = { id, stop, over }
        await over
        this.#current = undefined
      }
    } catch (error) {
      this.parts.report(error)
      // A store that is unavailable for a while must not leave runs in the queue.
      if (isUnavailable(error)) setTimeout(() => this.#work(), this.#times.retryMs).unref()
    } finally {
      this.#isWorking = false
    }
  }

  /** Never rejects: after any failure of one run, the next one starts. */
  async #perform(id: string, stop: AbortSignal): Promise<void> {
    const log = new RunLog({ write: pieces => this.#append(id, pieces), now: () => this.#at() })
    try {
      const outcome = await this.#execute(id, log, stop)
      await log.finish()
      const by = (outcome.state === 'cancelled' && this.#current?.cancelledBy) || EXECUTOR
      await this.#untilStored(() => this.parts.runs.update(id, { ...outcome, finished_at: this.#at() }, by))
    } catch (error) {
      this.parts.report(error)
      await this.#interrupt(id)
    }
    this.#followers.wake(id)
  }

  async #execute(id: string, log: RunLog, stop: AbortSignal): Promise<RunOutcome> {
    const { runs, settings } = this.parts
    const run = await this.get(id)
    const begin = () => this.#untilStored(() => runs.update(id, { state: 'running', started_at: this.#at() }))
    if (run.mode === 'mock') {
      await begin()
      this.#followers.wake(id)
      return mockRun(log, stop, this.#times.mockStepMs)
    }
    const card = await this.parts.findCard(run.card_id)
    if (!card) {
      log.note('The card was deleted.')
      return { state: 'failed', reason: 'not_started', exit_code: null, signal: null }
    }
    const marker = this.parts.newMarker()
    // Stored before a process has it: after a crash, the next server must know which processes to end.
    await this.#untilStored(() => runs.mark(id, marker))
    let begun = Promise.resolve()
    const running = runProcess({
      command: settings.command ?? [],
      folder: settings.folder,
      environment: { ...settings.environment, ...toOwnVariables({ runId: id, cardId: card.id, marker }) },
      mark: markOf(marker),
      input: `${JSON.stringify(card)}\n`,
      timeoutSeconds: run.timeout_seconds,
      log,
      stop,
      onStarted: () => {
        begun = begin()
          .catch(this.parts.report)
          .finally(() => this.#followers.wake(id))
      },
      times: this.#times,
    })
    try {
      return await running
    } catch (error) {
      // After any failure of watching the processes: none may continue unwatched.
      await endTree({ mark: markOf(marker), pid: null }, this.#times)
      throw error
    } finally {
      await begun
    }
  }

  async #append(id: string, pieces: readonly NewLogPiece[]): Promise<void> {
    await this.#untilStored(() => this.parts.runs.appendLog(id, pieces, LOG_BOUNDS))
    this.#followers.wake(id)
  }

  async #endLeftovers(markers: readonly string[]): Promise<void> {
    try {
      for (const marker of markers) await endTree({ mark: markOf(marker), pid: null }, this.#times)
    } catch (error) {
      this.parts.report(error)
    }
  }

  async #interrupt(id: string): Promise<void> {
    try {
      await this.parts.runs.update(id, { state: 'interrupted', finished_at: this.#at() })
    } catch (error) {
      this.parts.report(error) // the next server marks it
    }
    this.#followers.wake(id)
  }

  /**
   * A full disk must not lose the end of a run: the write is repeated until it succeeds or the server stops. In that case the
   * next server marks the run as interrupted.
   */
  async #untilStored(work: () => Promise<unknown>): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        await work()
        return
      } catch (error) {
        if (!isUnavailable(error)) throw error
        if (failures === 0) this.parts.report(error)
        if (this.#closing.signal.aborted) return
      }
      await delay(this.#times.retryMs)
    }
  }

  #at(): string {
    return toTimestamp(this.parts.now())
  }
}

function unknown(noun: 'card' | 'run', id: string, hint?: string): AppError {
  const shown = id.length > SHOWN_CHARACTERS ? `${id.slice(0, SHOWN_CHARACTERS)}…` : id
  return new AppError('not_found', 'not_found', `There is no ${noun} "${shown}".`, hint === undefined ? {} : { hint })
}

function unavailable(code: string, message: string): AppError {
  return new AppError('unavailable', code, message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
}
