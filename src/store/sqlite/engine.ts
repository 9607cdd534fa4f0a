import { AppError } from '../../model/app-error.js'
import { BackgroundRemoval } from './erase/background-removal.js'
import { Eraser } from './erase/eraser.js'
import { PrunedEvents } from './erase/pruned-events.js'
import { Database } from './files/database.js'
import { refuseForeign } from './files/foreign-database.js'
import type { LossHandling } from './files/loss-watch.js'
import { SearchIndex } from './search/search-index.js'
import { consumerTasks } from './tasks/consumer-tasks.js'
import { copyTasks } from './tasks/copy-tasks.js'
import { eventTasks, type OpenLedger } from './tasks/event-tasks.js'
import { noteTasks } from './tasks/note-tasks.js'
import { sourceTasks } from './tasks/source-tasks.js'
import { subscriptionTasks } from './tasks/subscription-tasks.js'
import { userTasks } from './tasks/user-tasks.js'
import type { TaskCall } from './thread/protocol.js'
import { type CommitLoad, read, TaskList } from './thread/task.js'
import { LEDGER_MIGRATIONS, SCHEMA_VERSION } from './upgrade/ledger-migrations.js'
import { findLeftovers, type Leftover } from './upgrade/leftovers.js'
import { migrate, type Upgrade } from './upgrade/migrate.js'
import { EventChanges } from './write/event-changes.js'
import { EventWriter } from './write/event-writer.js'

const EPOCH = /* sql */ `SELECT value FROM meta WHERE name = 'epoch'`
const RESTORED_AT = /* sql */ `SELECT value FROM meta WHERE name = 'restored_at'`

/** After a write of this size, a WAL checkpoint that is due waits for a later turn. */
const LARGE_WRITE_BYTES = 4 * 1024 * 1024
/** Load of writes that do not give their own. */
const ONE_ROW: CommitLoad = { rows: 1, bytes: 0 }

/** Every task of the ledger's thread, as a row of a table. The side of the main thread is derived from these tables. */
export type LedgerTasks = ReturnType<typeof ledgerTasks>

function ledgerTasks(ledger: OpenLedger) {
  const { database } = ledger
  return {
    events: eventTasks(ledger),
    subscriptions: subscriptionTasks(database),
    consumers: consumerTasks(database, ledger),
    sources: sourceTasks(database),
    notes: noteTasks(database),
    users: userTasks(database),
    copies: copyTasks(ledger),
    file: {
      verify: read(() => database.verify()),
      check: read(() => findDamage(database)),
      beginCopy: read(() => database.beginCopy()),
      checkCopy: read(() => database.checkCopy()),
      endCopy: read(() => database.endCopy()),
    },
  }
}

type Call = Pick<TaskCall, 'task' | 'args'>

/** What the thread reports once the database is open. */
export interface LedgerFacts {
  /** When the ledger was last restored from a backup, in epoch milliseconds; undefined if never. */
  restoredAt: number | undefined
  schemaVersion: number
  /** Rows of an older ledger that could not be carried over. */
  leftovers: readonly Leftover[]
  /** Upgrade of a ledger that an older release had written. */
  upgrade: Upgrade | undefined
}

export interface EngineOptions extends LossHandling {
  /** Copy a ledger of an older release before its upgrade; true if absent. */
  upgradeCopy?: boolean | undefined
}

const NO_ROOM = 'Make room, or make a backup elsewhere and set EVENT_UPGRADE_COPY=off.'

/** The opened ledger, which carries out its tasks. Independent of threads. */
export class Engine {
  readonly facts: LedgerFacts
  readonly tasks: LedgerTasks
  readonly #list: TaskList
  readonly #ledger: OpenLedger
  readonly #database: Database
  readonly #index: SearchIndex
  readonly #writer: EventWriter
  readonly #backgroundRemoval: BackgroundRemoval
  #checkpointDue = false

  /** @throws AppError `unavailable/store_…`, `configuration/store_foreign`, `configuration/store_newer`; as `migrate` */
  constructor(path: string, { upgradeCopy = true, ...guard }: EngineOptions = {}) {
    const database = new Database(path, { noun: 'ledger', refuseForeign, ...guard })
    try {
      const copyAdvice = upgradeCopy ? NO_ROOM : undefined
      const upgrade = migrate(database, { noun: 'ledger', steps: LEDGER_MIGRATIONS, copyAdvice })
      const epoch = String(database.first(EPOCH)?.value)
      const restored = database.first(RESTORED_AT)?.value
      const restoredAt = restored === undefined ? undefined : Number(restored)
      const index = new SearchIndex(database)
      const pruned = new PrunedEvents(database)
      const changes = new EventChanges(database)
      const writer = new EventWriter(database, { index, pruned, changes })
      const eraser = new Eraser(database, { index, changes })
      const backgroundRemoval = new BackgroundRemoval(database, { index, eraser, pruned })
      this.facts = { restoredAt, schemaVersion: SCHEMA_VERSION, leftovers: findLeftovers(database), upgrade }
      this.#ledger = { database, index, writer, pruned, eraser, backgroundRemoval, epoch }
      this.tasks = ledgerTasks(this.#ledger)
      this.#list = new TaskList(this.tasks)
      this.#index = index
      this.#writer = writer
      this.#backgroundRemoval = backgroundRemoval
    } catch (error) {
      database.close()
      throw error
    }
    this.#database = database
  }

  /** Number of events. */
  get appended(): number {
    return this.#writer.appended
  }

  /** Events that are committed but not in the search index yet. */
  get unindexed(): number {
    return Math.max(0, this.appended - this.#index.through)
  }

  /** Events that have no digest yet, because an older release has written them or some before them. */
  get unchained(): number {
    return this.#writer.unchained
  }

  /** Load that a write adds to a commit. */
  loadOf({ task, args }: Call): CommitLoad {
    return this.#list.get(task).load?.(...args) ?? ONE_ROW
  }

  /** Carries out all writes in one transaction. @returns their results, in order */
  commit(writes: readonly Call[]): unknown[] {
    const before = this.#writer.place
    const { epoch } = this.#ledger
    const work = () => writes.map(write => this.#run(write))
    try {
      if (!writes.some(write => this.loadOf(write).bytes > LARGE_WRITE_BYTES)) return this.#database.transaction(work)
      this.#checkpointDue = true
      return this.#database.transactionWithoutCheckpoint(work)
    } catch (error) {
      this.#writer.rewind(before)
      this.#ledger.epoch = epoch
      throw error
    }
  }

  read(call: Call): unknown {
    return this.#run(call)
  }

  /** Answers in slices; between them the engine may be used for anything else. */
  query(call: Call): Generator<void, unknown> {
    return this.#run(call) as Generator<void, unknown>
  }

  /** Whether a large write left the WAL checkpoint to `checkpoint`. */
  get checkpointDue(): boolean {
    return this.#checkpointDue
  }

  /** @throws AppError `unavailable/store_…`; then a later transaction does it */
  checkpoint(): void {
    this.#checkpointDue = false
    this.#database.checkpointWal()
  }

  /** Adds up to `count` more events to the search index, fewer where they are large. @returns how many */
  advanceIndex(count: number): number {
    return this.#index.advance(count)
  }

  /** Computes the digests of up to `count` more events. */
  advanceChain(count: number): void {
    this.#writer.advanceChain(count)
  }

  /** Whether content of pruned events is still in the file, or pages of it are unused. */
  get backgroundRemovalDue(): boolean {
    return this.#backgroundRemoval.isDue
  }

  /** Runs one slice of background removal. @throws AppError `unavailable/store_…`; then it is repeated */
  advanceBackgroundRemoval(): void {
    this.#backgroundRemoval.advance()
  }

  close(): void {
    this.#database.close()
  }

  #run({ task, args }: Call): unknown {
    return this.#list.get(task).run(...args)
  }
}

function findDamage(database: Database): string[] {
  const check = (sql: string) => database.all(sql).map(row => String(row.integrity_check))
  try {
    return check('PRAGMA integrity_check')
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'store_corrupt') throw error
    // Some damage ends the check before its answer is complete. The first finding is always reported.
    return [...check('PRAGMA integrity_check(1)'), error.message]
  }
}
