import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rateBetween } from './event-rate.js'
import { BATCH_EVENTS, batchPlan, INDEX_TAIL, settle, subscribe } from './ledger-calls.js'
import type { BenchOptions } from './options.js'
import { runLoad, startLedger } from './programs.js'
import type { Workspace } from './workspace.js'

/** How fast the ledger recorded events while it grew, in events/s. */
interface Growth {
  /** Rate of the 10,000th to the 20,000th event. */
  early: number
  /** Rate of 10,000 events once the search index is as far behind as it gets. Absent in a small ledger. */
  earlyBehind?: number
  /** Rate of the last 10,000 events. */
  late: number
  /** Rate of all events. */
  whole: number
  /** Time of the measurement, ISO 8601. */
  measuredAt: string
}

interface FilledLedger {
  /** Folder of its `events.db`. */
  folder: string
  events: number
  growth: Growth
  /** Whether an earlier run has filled it. */
  wasKept: boolean
}

const WINDOW = 10_000
/** Written when the ledger is complete. A ledger without it was abandoned half way. */
const COMPLETE = 'complete.json'

/** The large ledger that several measurements share. Filled at its first use, unless an earlier run has kept it. */
export class LargeLedger {
  #filled: Promise<FilledLedger> | undefined

  constructor(
    private readonly workspace: Workspace,
    private readonly options: BenchOptions,
    private readonly progress: (text: string) => void,
  ) {}

  get(): Promise<FilledLedger> {
    this.#filled ??= this.#findOrFill()
    return this.#filled
  }

  async #findOrFill(): Promise<FilledLedger> {
    const { keep, events } = this.options
    const folder = keep === undefined ? await this.workspace.folder('large') : join(keep, `ledger-${events}`)
    const growth = await this.#findGrowth(folder)
    if (growth) {
      this.progress(`the kept ledger of ${events} events is used`)
      return { folder, events, growth, wasKept: true }
    }
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    const measured = await this.#fill(folder, events)
    await writeFile(join(folder, COMPLETE), JSON.stringify(measured))
    return { folder, events, growth: measured, wasKept: false }
  }

  async #findGrowth(folder: string): Promise<Growth | undefined> {
    try {
      return JSON.parse(await readFile(join(folder, COMPLETE), 'utf8')) as Growth
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async #fill(folder: string, events: number): Promise<Growth> {
    this.progress(`filling a ledger with ${events} events`)
    const server = await startLedger(this.workspace, folder)
    await subscribe(this.workspace, server.port, { which: 'watching', count: 100 })
    const { marks = [] } = await runLoad(this.workspace, batchPlan(server.port, { first: 0, events }))
    this.progress('waiting until its search index is up to date')
    await settle(server.port, this.progress)
    await server.stop()
    const rate = (from: number, to: number) => rateBetween(marks, { from, to, eventsEach: BATCH_EVENTS })
    const behind = INDEX_TAIL + WINDOW
    return {
      early: rate(WINDOW, 2 * WINDOW),
      ...(events >= 2 * behind ? { earlyBehind: rate(behind, behind + WINDOW) } : {}),
      late: rate(events - WINDOW, events),
      whole: rate(0, events),
      measuredAt: new Date().toISOString(),
    }
  }
}
