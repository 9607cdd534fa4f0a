import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../model/app-error.js'
import type { CardActor } from '../model/board/card-history.js'
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
import { toTimestamp } from '../model/timestamp.js'
import type { RunFilter, RunStore } from '../store/run-store.js'
import { toNewRun, toPlan } from './new-run.js'
import { TREE_TIMES } from './process-tree.js'
import { RunFollowers } from './run-followers.js'
import { RunWorker, type RunWorkerParts, type RunWorkerTimes } from './run-worker.js'

export interface ExecutorParts extends RunWorkerParts {
  /** Whether an executor token is currently configured; without one no real run is possible. */
  hasToken: () => Promise<boolean>
  /** A new id for a run, never used again. */
  newId: () => string
  times?: Partial<ExecutorTimes>
}

interface ExecutorTimes extends RunWorkerTimes {
  /** How long `cancel` waits for the end of the run. Ending a process tree takes less time. */
  cancelWaitMs: number
}

const TIMES: ExecutorTimes = {
  ...TREE_TIMES,
  mockStepMs: 300,
  retryMs: 1_000,
  leaseSeconds: 30,
  cancelWaitMs: 15_000,
}
const RETRY_AFTER_SECONDS = 5
/** Bytes of a log per read. */
const PIECES_BYTES = 64 * 1024
const SHOWN_CHARACTERS = 100

/**
 * Runs cards: one at a time, in the order of the requests. The store has everything about a run. Followers read from
 * the store, so nothing accumulates for a slow reader.
 *
 * Source: decisions on the board, section 8.
 */
export class Executor {
  readonly #followers = new RunFollowers()
  readonly #worker: RunWorker
  readonly #cancelWaitMs: number
  #closed: Promise<void> | undefined

  /**
   * Runs that an earlier server left unfinished become `interrupted` and are never started again; their remaining
   * processes are ended before any run starts. If several processes share the board, queued runs keep their place.
   *
   * @throws AppError `unavailable/store_…`
   */
  static async open(parts: ExecutorParts): Promise<Executor> {
    const { runs, multiServer } = parts
    if (multiServer) {
      const executor = new Executor(parts, await multiServer.listLeftMarkers())
      executor.#worker.work()
      return executor
    }
    const left = await runs.listActive()
    const finished_at = toTimestamp(parts.now())
    for (const { run } of left) await runs.update(run.id, { state: 'interrupted', finished_at })
    return new Executor(
      parts,
      left.flatMap(({ marker }) => marker ?? []),
    )
  }

  private constructor(
    private readonly parts: ExecutorParts,
    leftMarkers: readonly string[],
  ) {
    const times = { ...TIMES, ...parts.times }
    this.#worker = new RunWorker(parts, times, this.#followers, leftMarkers)
    this.#cancelWaitMs = times.cancelWaitMs
  }

  /**
   * @throws AppError `not_found/not_found`, `conflict/executor_not_configured`, `unavailable/busy`,
   *   `unavailable/stopping`, `unavailable/store_…`
   */
  async start(cardId: string, mode: RunMode, by: CardActor): Promise<Run> {
    const { runs, settings } = this.parts
    if (this.#worker.isClosing)
      throw unavailable('stopping', 'The server is stopping. Start the run again after the restart.')
    if (!(await this.parts.findCard(cardId))) throw unknown('card', cardId)
    if (mode === 'real' && !settings.command) {
      throw new AppError('conflict', 'executor_not_configured', 'No command is configured for real runs.', {
        hint: 'Set BOARD_EXECUTOR_COMMAND and restart the server.',
      })
    }
    const run = toNewRun({ id: this.parts.newId(), cardId, mode, at: this.#at() }, settings)
    const waits = mode === 'dry_run' ? {} : { mostQueued: RUN_LIMITS.queued }
    if (!(await runs.create(run, { keep: RUN_LIMITS.kept, by, ...waits }))) {
      throw unavailable('busy', `${RUN_LIMITS.queued} runs are queued already. Try again later.`)
    }
    if (mode !== 'dry_run') this.#worker.work()
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

  /** The whole stored log. It may be long, so other work gets a turn between reads. */
  async log(id: string, after = 0): Promise<LogPiece[]> {
    const pieces: LogPiece[] = []
    while (pieces.length < RUN_LIMITS.logPieces) {
      const more = await this.parts.runs.readLog(id, pieces.at(-1)?.seq ?? after, PIECES_BYTES)
      if (more.length === 0) break
      pieces.push(...more)
      await nextTurn()
    }
    return pieces
  }

  /**
   * Yields the log while it is written, some pieces at a time, after the piece `after`. A slow follower misses pieces
   * that the log no longer has. Ends with the run, or with the signal.
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
   * @throws AppError `not_found/not_found`, `conflict/run_finished`, `unavailable/store_…`, `unavailable/busy` if it has
   *   not ended after some time: its server may have failed, or cannot store the end
   */
  async cancel(id: string, by: CardActor): Promise<Run> {
    await this.get(id)
    const { runs, multiServer } = this.parts
    if (await runs.cancelQueued(id, { at: this.#at(), by })) {
      this.#followers.wake(id)
      return this.get(id)
    }
    if (isFinished(await this.get(id))) {
      throw new AppError('conflict', 'run_finished', 'The run has ended already; there is nothing to cancel.')
    }
    try {
      this.#worker.cancel(id, by)
      await multiServer?.requestCancel(id, by)
      await this.#untilFinished(id, AbortSignal.timeout(this.#cancelWaitMs))
    } finally {
      this.#worker.forget(id)
    }
    const run = await this.get(id)
    if (isFinished(run)) return run
    throw unavailable(
      'busy',
      'The run has not ended yet. Its server may have failed, or cannot store the end. Try again later.',
    )
  }

  async #untilFinished(id: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { wakes } = this.#followers
      const run = await this.parts.runs.find(id)
      if (!run || isFinished(run)) return
      await this.#followers.changed(id, wakes, signal)
    }
  }

  /** Starts no run until `resume`, not even after a restart. The current run continues. */
  async pause(): Promise<ExecutorStatus> {
    await this.parts.runs.setPaused(true)
    return this.status()
  }

  async resume(): Promise<ExecutorStatus> {
    await this.parts.runs.setPaused(false)
    this.#worker.work()
    return this.status()
  }

  /** The stored runs. */
  async countByState(): Promise<Map<RunState, number>> {
    const none = RUN_STATES.map(state => [state, 0] as const)
    return new Map([...none, ...(await this.parts.runs.countByState())])
  }

  async status(): Promise<ExecutorStatus> {
    const active = await this.parts.runs.listActive()
    return {
      real: (await this.parts.hasToken()) && this.parts.settings.command !== undefined,
      paused: await this.parts.runs.isPaused(),
      running: active.find(({ isTaken }) => isTaken)?.run.id ?? null,
      queued: active.filter(({ isTaken }) => !isTaken).length,
      plan: toPlan(this.parts.settings),
    }
  }

  /**
   * Ends the current run with all its processes; it becomes `interrupted`. Queued runs become `interrupted` too, unless
   * another process that shares the board can perform them.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const closed = this.#worker.close()
    if (!this.parts.multiServer) {
      const active = await this.parts.runs.listActive()
      for (const { run, isTaken } of active) if (!isTaken) await this.#worker.interrupt(run.id)
    }
    await closed
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
