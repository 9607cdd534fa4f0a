import { AppError } from '../../model/app-error.js'
import type { Micros } from '../../model/timestamp.js'
import { Database, type DatabaseGuard } from './files/database.js'
import { refuseForeign } from './files/foreign.js'
import { countEvents } from './read/event-histogram.js'
import { readPage } from './read/event-reader.js'
import { readStatistics } from './read/statistics.js'
import { SearchIndex } from './search/search-index.js'
import { addAccountLogEntry, listAccountLog } from './tables/account-log-table.js'
import { noteCapture } from './tables/capture-state.js'
import {
  countSubscriptions,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  listSubscriptionsByIds,
  pageSubscriptions,
  saveSubscription,
} from './tables/subscription-table.js'
import {
  addToken,
  createUser,
  deleteToken,
  deleteTokens,
  deleteUser,
  findToken,
  findUser,
  findUserByName,
  isClosed,
  listTokens,
  listUsers,
  markClosed,
  noteTokenUse,
  updateUser,
} from './tables/user-table.js'
import type { AccountChange, Leftover, QueryAnswer, QueryTask, ReadTask, WriteTask } from './thread/protocol.js'
import { LEDGER_MIGRATIONS, SCHEMA_VERSION } from './upgrade/ledger-migrations.js'
import { findLeftovers } from './upgrade/leftovers.js'
import { migrate } from './upgrade/migrate.js'
import { EventWriter } from './write/event-writer.js'

const FIND_EVENT = /* sql */ `
  SELECT octet_length(body) AS bytes, CASE WHEN octet_length(body) <= ?2 THEN CAST(body AS BLOB) END AS body
  FROM events WHERE dedupe_key = ?1`
const KEYS_OF = /* sql */ `
  SELECT dedupe_key FROM events
  WHERE dedupe_key IN (SELECT value FROM json_each(?1))
    AND EXISTS (SELECT 1 FROM json_each(body, '$.subscription_ids') WHERE value = ?2)`
const EPOCH = /* sql */ `SELECT value FROM meta WHERE name = 'epoch'`
/** A write that changes nothing anybody reads, but has to reach the disk. */
const PROBE = /* sql */ `UPDATE meta SET value = value + 1 WHERE name = 'probe'`

/** Writing so much takes long enough without folding the journal at once. */
const LARGE_WRITE_BYTES = 4 * 1024 * 1024

/** The opened ledger: what each task means in terms of tables. Knows nothing of threads. */
export class Engine {
  readonly epoch: string
  readonly schemaVersion = SCHEMA_VERSION
  readonly #database: Database
  readonly #index: SearchIndex
  readonly #writer: EventWriter
  #mustFold = false

  /** @throws AppError `unavailable/store_…`, `configuration/store_foreign`, `configuration/store_newer` */
  constructor(path: string, guard: DatabaseGuard = {}) {
    this.#database = new Database(path, { noun: 'ledger', refuseForeign, ...guard })
    try {
      migrate(this.#database, 'ledger', LEDGER_MIGRATIONS)
      this.epoch = String(this.#database.first(EPOCH)?.value)
      this.#index = new SearchIndex(this.#database)
      this.#writer = new EventWriter(this.#database, this.#index)
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  /** Newest `captured_at`, or null in an empty ledger. */
  get head(): Micros | null {
    return this.#writer.last || null
  }

  /** What of an older ledger could not be carried over. */
  get leftovers(): Leftover[] {
    return findLeftovers(this.#database)
  }

  /** How many events there are. */
  get appended(): number {
    return this.#writer.appended
  }

  /** Events that are committed but not in the search index yet. */
  get unindexed(): number {
    return Math.max(0, this.appended - this.#index.indexedSeq)
  }

  /** Carries out all tasks in one transaction. @returns their results, in order */
  commit(tasks: readonly WriteTask[]): unknown[] {
    const before = this.#writer.place
    const work = () => tasks.map(task => this.#write(task))
    try {
      if (!isLarge(tasks)) return this.#database.transaction(work)
      this.#mustFold = true
      return this.#database.foldedLater(work)
    } catch (error) {
      this.#writer.rewind(before)
      throw error
    }
  }

  read(task: ReadTask): unknown {
    switch (task.task) {
      case 'find_event':
        return findEvent(this.#database, task)
      case 'list_keys_of':
        return listKeysOf(this.#database, task)
      case 'stats':
        return readStatistics(this.#database)
      case 'find_subscription':
        return findSubscription(this.#database, task.subscriptionId)
      case 'list_subscriptions_by_ids':
        return listSubscriptionsByIds(this.#database, task.ids)
      case 'list_subscriptions':
        return listSubscriptions(this.#database, task.owner)
      case 'page_subscriptions':
        return pageSubscriptions(this.#database, task)
      case 'count_subscriptions':
        return countSubscriptions(this.#database, task.owner)
      case 'is_closed':
        return isClosed(this.#database)
      case 'find_user':
        return findUser(this.#database, task.userId)
      case 'find_user_by_name':
        return findUserByName(this.#database, task.username)
      case 'list_users':
        return listUsers(this.#database)
      case 'find_token':
        return findToken(this.#database, task.digest)
      case 'list_tokens':
        return listTokens(this.#database, task.userId)
      case 'list_account_log':
        return listAccountLog(this.#database, task.limit)
      case 'verify':
        return this.#database.verify()
      case 'check':
        return findDamage(this.#database)
    }
  }

  /** Answers in slices; between them the engine may be used for anything else. */
  query(task: QueryTask): Generator<void, QueryAnswer> {
    switch (task.task) {
      case 'query':
        return readPage(this.#database, this.#index, this.epoch, task.query)
      case 'histogram':
        return countEvents(this.#database, this.#index, this.epoch, task.query)
    }
  }

  /** So much was written that it is time to fold the journal into the file. */
  get mustFold(): boolean {
    return this.#mustFold
  }

  /** @throws AppError `unavailable/store_…`; then a later transaction does it */
  fold(): void {
    this.#mustFold = false
    this.#database.foldJournal()
  }

  /** Brings up to `count` more events into the search index, fewer where they are large. @returns how many */
  advanceIndex(count: number): number {
    return this.#index.advance(count)
  }

  close(): void {
    this.#database.close()
  }

  #write(task: WriteTask): unknown {
    switch (task.task) {
      case 'record':
        return this.#writer.append(task.rows, task.now)
      case 'save_subscription':
        return saveSubscription(this.#database, task.subscription, task.overwrite)
      case 'delete_subscription':
        return deleteSubscription(this.#database, task.subscriptionId)
      case 'note_capture':
        return noteCapture(this.#database, task.subscriptionId, task.changes, task.cursor)
      case 'probe':
        this.#database.run(PROBE)
        return { head: this.head }
      case 'mark_closed':
        return markClosed(this.#database)
      case 'note_token_use':
        return noteTokenUse(this.#database, task.tokenId, task.at)
      case 'log_account':
        return addAccountLogEntry(this.#database, task.entry)
      default:
        return this.#logged(task)
    }
  }

  /** A change of accounts and its entry in the log are made together, or neither. */
  #logged(task: AccountChange): unknown {
    const result = this.#changeAccount(task)
    const isMade = result !== undefined && result !== false && result !== 0 && result !== 'last_admin'
    if (isMade && task.log) addAccountLogEntry(this.#database, task.log)
    return result
  }

  #changeAccount(task: AccountChange): unknown {
    switch (task.task) {
      case 'create_user':
        return createUser(this.#database, task.user)
      case 'update_user':
        return updateUser(this.#database, task.userId, task.changes, task.rule)
      case 'delete_user':
        return deleteUser(this.#database, task.userId, task.rule)
      case 'add_token':
        return addToken(this.#database, task.token, task.keep)
      case 'delete_token':
        return deleteToken(this.#database, task.userId, task.tokenId)
      case 'delete_tokens':
        return deleteTokens(this.#database, task.userId)
    }
  }
}

/** The event's body, or its size where that is larger than `maxBytes`. */
function findEvent(
  database: Database,
  { dedupeKey, maxBytes }: { dedupeKey: string; maxBytes: number },
): Uint8Array | number | undefined {
  const row = database.first(FIND_EVENT, dedupeKey, maxBytes)
  return row && ((row.body as Uint8Array | null) ?? Number(row.bytes))
}

function listKeysOf(
  database: Database,
  { subscriptionId, storedKeys }: { subscriptionId: string; storedKeys: readonly string[] },
): string[] {
  return database.all(KEYS_OF, JSON.stringify(storedKeys), subscriptionId).map(row => String(row.dedupe_key))
}

function isLarge(tasks: readonly WriteTask[]): boolean {
  return tasks.some(task => task.task === 'record' && task.rows.buffer.byteLength > LARGE_WRITE_BYTES)
}

function findDamage(database: Database): string[] {
  const check = (sql: string) => database.all(sql).map(row => String(row.integrity_check))
  try {
    return check('PRAGMA integrity_check')
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'store_corrupt') throw error
    // Some damage ends the check before its answer is complete; the first finding it always gets to tell.
    return [...check('PRAGMA integrity_check(1)'), error.message]
  }
}
