import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../model/app-error.js'
import type { Card } from '../model/board/card.js'
import { type CardActor, EXECUTOR } from '../model/board/card-history.js'
import { RUN_LIMITS, type Run } from '../model/board/run.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { MultiServerRuns, RunStore } from '../store/run-store.js'
import { mockRun } from './mock-run.js'
import { type ExecutorSettings, markOf, toOwnVariables } from './new-run.js'
import { endTree, type TreeTimes } from './process-tree.js'
import type { RunFollowers } from './run-followers.js'
import { type HeldRunLease, holdRunLease } from './run-lease.js'
import { type NewLogPiece, RunLog } from './run-log.js'
import { type RunOutcome, runProcess, type StopReason } from './run-process.js'

export interface RunWorkerTimes extends TreeTimes {
  /** Pause between two steps of a mock run. */
  mockStepMs: number
  /** Pause before a refused write is repeated. */
  retryMs: number
  /** If this process sends no heartbeat for so long, another one that shares the board performs its runs. */
  leaseSeconds: number
}

export interface RunWorkerParts {
  runs: RunStore
  /** Absent where only this process has the board open. */
  multiServer?: MultiServerRuns | undefined
  findCard: (id: string) => Promise<Card | undefined>
  settings: ExecutorSettings
  now: () => Micros
  /** An unguessable word: every process that has it in its environment is ended with its run. */
  newMarker: () => string
  /** Called for failures outside a request. */
  report: (error: unknown) => void
}

const LOG_BOUNDS = { bytes: RUN_LIMITS.logBytes, pieces: RUN_LIMITS.logPieces }
const isUnavailable = (error: unknown) => error instanceof AppError && error.category === 'unavailable'

/** How a run is ended from outside. */
interface RunStop {
  /** Aborted with a `StopReason`. */
  controller: AbortController
  /** Who cancelled it. */
  by?: CardActor
}

/**
 * Performs queued runs, one at a time, in the order of the requests. If several processes share the board, the one that
 * holds the lease performs the runs of all.
 */
export class RunWorker {
  readonly #closing = new AbortController()
  /** Resolves when the processes that an earlier server left are ended. */
  readonly #recovered: Promise<void>
  readonly #endedMarkers = new Set<string>()
  /** By run id: the stop of the current run, and of runs that are being cancelled. */
  readonly #stops = new Map<string, RunStop>()
  /** Id of the run in progress. */
  #current: string | undefined
  /** Resolves when no run is in progress. */
  #working: Promise<void> | undefined
  /** The queue may have changed since it was read. */
  #isAsked = false

  constructor(
    private readonly parts: RunWorkerParts,
    private readonly times: RunWorkerTimes,
    private readonly followers: RunFollowers,
    leftMarkers: readonly string[],
  ) {
    this.#recovered = this.#endLeftovers(leftMarkers)
    parts.multiServer?.onChange(id => this.#noticeChange(id))
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted
  }

  /** Starts performing the queued runs. */
  work(): void {
    this.#isAsked = true
    this.#working ??= this.#work()
  }

  async #work(): Promise<void> {
    try {
      await this.#recovered
      // No await between the last check and the end of this function, or a run could be left in the queue.
      while (this.#isAsked && !this.isClosing) {
        this.#isAsked = false
        if (this.parts.multiServer) await this.#performWithLease(this.parts.multiServer)
        else await this.#performQueued()
      }
    } catch (error) {
      this.parts.report(error)
      // A store that is unavailable for a while must not leave runs queued. A store of several servers reports when it is back.
      if (isUnavailable(error) && !this.parts.multiServer) setTimeout(() => this.work(), this.times.retryMs).unref()
    } finally {
      this.#working = undefined
    }
  }

  /** Ends a run that this process performs, or is about to take. */
  cancel(id: string, by: CardActor): void {
    const stop = this.#stopOf(id)
    stop.by ??= by
    stop.controller.abort('cancelled' satisfies StopReason)
  }

  /** Forgets the stop that `cancel` noted for a run of another process. */
  forget(id: string): void {
    if (this.#current !== id) this.#stops.delete(id)
  }

  /** Ends the current run with all its processes. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#interruptCurrent()
    await this.#working
    await this.#recovered
  }

  /** Never rejects: if this fails, the next server marks the run. */
  async interrupt(id: string): Promise<void> {
    try {
      await this.parts.runs.update(id, { state: 'interrupted', finished_at: this.#at() })
    } catch (error) {
      this.parts.report(error)
    }
    this.followers.wake(id)
  }

  #noticeChange(id: string | undefined): void {
    this.followers.wake(id)
    const current = this.#current
    if (current !== undefined && (id ?? current) === current) void this.#noticeCancelRequest(current)
    if (id === undefined && !this.isClosing) this.work()
  }

  async #noticeCancelRequest(id: string): Promise<void> {
    try {
      const by = await this.parts.multiServer?.findCancelRequest(id)
      if (by && this.#current === id) this.cancel(id, by)
    } catch (error) {
      if (!isUnavailable(error)) this.parts.report(error) // the next change repeats the search
    }
  }

  async #performWithLease(multiServer: MultiServerRuns): Promise<void> {
    // Active runs include those of a dead server, until another process takes the lease.
    if ((await this.parts.runs.listActive()).length === 0) return
    const held = await holdRunLease(multiServer, { seconds: this.times.leaseSeconds, at: this.#at() })
    if (!held) return
    held.lost.addEventListener('abort', () => this.#interruptCurrent(), { once: true })
    // Taking the lease has interrupted the runs of a dead server.
    this.followers.wake(undefined)
    try {
      await this.#endLeftovers(await multiServer.listLeftMarkers())
      await this.#performQueued(held)
    } finally {
      await held.release()
    }
  }

  async #performQueued(held?: HeldRunLease): Promise<void> {
    while (!this.isClosing && !held?.lost.aborted) {
      const run = await this.parts.runs.takeQueued(held?.lease)
      if (!run) return
      const stop = this.#stopOf(run.id)
      if (this.isClosing || held?.lost.aborted) stop.controller.abort('interrupted' satisfies StopReason)
      this.#current = run.id
      if (this.parts.multiServer) void this.#noticeCancelRequest(run.id)
      await this.#perform(run, stop)
      this.#current = undefined
      this.#stops.delete(run.id)
    }
  }

  #interruptCurrent(): void {
    if (this.#current !== undefined) {
      this.#stopOf(this.#current).controller.abort('interrupted' satisfies StopReason)
    }
  }

  #stopOf(id: string): RunStop {
    const stop = this.#stops.get(id) ?? { controller: new AbortController() }
    this.#stops.set(id, stop)
    return stop
  }

  /** Never rejects: after any failure of one run, the next one starts. */
  async #perform(run: Run, stop: RunStop): Promise<void> {
    const { id } = run
    const log = new RunLog({ write: pieces => this.#append(id, pieces), now: () => this.#at() })
    try {
      const outcome = await this.#execute(run, log, stop.controller.signal)
      await log.finish()
      const by = (outcome.state === 'cancelled' && stop.by) || EXECUTOR
      await this.#untilStored(() => this.parts.runs.update(id, { ...outcome, finished_at: this.#at() }, by))
    } catch (error) {
      this.parts.report(error)
      await this.interrupt(id)
    }
    this.followers.wake(id)
  }

  async #execute(run: Run, log: RunLog, stop: AbortSignal): Promise<RunOutcome> {
    const { runs, settings } = this.parts
    const { id } = run
    const begin = () => this.#untilStored(() => runs.update(id, { state: 'running', started_at: this.#at() }))
    if (run.mode === 'mock') {
      await begin()
      this.followers.wake(id)
      return mockRun(log, stop, this.times.mockStepMs)
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
          .finally(() => this.followers.wake(id))
      },
      times: this.times,
    })
    try {
      return await running
    } catch (error) {
      // If watching the processes fails, none may continue unwatched.
      await endTree({ mark: markOf(marker), pid: null }, this.times)
      throw error
    } finally {
      await begun
    }
  }

  async #append(id: string, pieces: readonly NewLogPiece[]): Promise<void> {
    await this.#untilStored(() => this.parts.runs.appendLog(id, pieces, LOG_BOUNDS))
    this.followers.wake(id)
  }

  /** Ends the processes that earlier servers left on this machine. */
  async #endLeftovers(markers: readonly string[]): Promise<void> {
    try {
      for (const marker of markers.filter(marker => !this.#endedMarkers.has(marker))) {
        await endTree({ mark: markOf(marker), pid: null }, this.times)
        this.#endedMarkers.add(marker)
      }
    } catch (error) {
      this.parts.report(error)
    }
  }

  /**
   * A full disk must not lose the end of a run: the write is repeated until it succeeds or the server stops. After a
   * stop, the next server marks the run as interrupted.
   */
  async #untilStored(work: () => Promise<unknown>): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        await work()
        return
      } catch (error) {
        if (!isUnavailable(error)) throw error
        if (failures === 0) this.parts.report(error)
        if (this.isClosing) return
      }
      await delay(this.times.retryMs)
    }
  }

  #at(): string {
    return toTimestamp(this.parts.now())
  }
}
