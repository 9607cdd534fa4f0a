import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { LedgerClient } from '../../client/ledger-client.js'
import { toHeadText } from '../../ledger/transfer/page-line.js'
import { AppError } from '../../model/app-error.js'
import type { LedgerCopied } from '../../model/ledger-copy.js'
import { readTimestamp } from '../../model/timestamp.js'
import type { LocalSettings } from '../../settings/local-settings.js'
import { nextFence } from '../../store/consumer-rules.js'
import type { ImportMark, LedgerState, MovedState } from '../../store/copy-store.js'
import type { LedgerHead } from '../../store/event-store.js'
import { type OwnerRecord, readOwner } from '../../store/sqlite/owner/owner-record.js'
import type { Store } from '../../store/store.js'
import { readPage } from '../follow/leader.js'
import { openLedger, wallClock } from '../open-ledger.js'
import { ledgerViaServerOrFile } from '../via-server-or-file.js'
import { type ExportSource, fromStore, viaServer } from './export-ledger.js'
import { lastCommit, mayBeMoved } from './last-commit.js'
import { copyDiffers, findNewest, ledgerNotEmpty, refuseUsed } from './new-ledger.js'

interface CopyLedgerOptions {
  onProgress?: (progress: { events: number; left: number; through: string | null }) => void
  /** Called with the current step, for the terminal. */
  onStep?: (step: 'handing over' | 'comparing') => void
}

/** How long a server may take to answer the requests that it has accepted, and end. */
const STOP_MS = 60_000
const POLL_MS = 50
/** How often a copy stores its position, together with the events. */
const MARK_EVERY_MS = 2_000
const ALL = Number.MAX_SAFE_INTEGER

/**
 * Moves a ledger to another place: copies its events while it records others, then stops it, copies the rest, and
 * compares both. The new ledger has the epoch, instants, counts and digests of the old one, which then accepts no
 * changes. The same call continues an interrupted move; a move that fails leaves the old ledger in use, unless the
 * new one may be open already.
 *
 * @throws AppError `not_found/ledger_missing`, `conflict/ledger_not_empty`, `conflict/copy_differs`,
 *   `configuration/continued_elsewhere`, `unavailable/server_not_stopped`,
 *   `unavailable/…`
 *
 * Source: docs/decisions/0065.
 */
export async function copyLedger(
  { from, to }: { from: LocalSettings; to: LocalSettings },
  { onProgress = () => {}, onStep = () => {} }: CopyLedgerOptions,
): Promise<LedgerCopied> {
  if (from.database.path === to.database.path) throw sameLedger()
  // Checks the source before it opens the target, which would otherwise leave a new ledger. A server only serves ledgers.
  await ledgerViaServerOrFile(from.database, {
    server: async () => {},
    file: async () => (await openLedger({ ...from, mayBeMoved: true }, 'command')).close(),
  })
  const target = await openLedger({ ...to, continuesImport: true }, 'command')
  try {
    const copy = await LedgerCopy.begin(target.store, onProgress)
    await ledgerViaServerOrFile(from.database, {
      server: async (owner, socketPath) => {
        await copy.copyAll(viaServer(new LedgerClient({ socketPath })))
        onStep('handing over')
        await stopServer(from.database.path, owner)
      },
      file: async () => {},
    })
    const source = await openLedger({ ...from, mayBeMoved: true }, 'command')
    try {
      const { copies } = source.store
      const moved = await copies.findMoved()
      if (moved && moved.to !== target.database) throw movedElsewhere(moved.to)
      // Servers of a ledger in PostgreSQL record events until it is marked.
      await copy.copyAll(fromStore(source.store))
      onStep('handing over')
      await copies.saveMoved({ to: target.database })
      try {
        await copy.copyAll(fromStore(source.store))
        onStep('comparing')
        const report = await copy.finish(source.store, target.database)
        return { from: source.database, to: target.database, ...report }
      } catch (error) {
        if (!mayBeMoved(error)) await copies.saveMoved(null)
        throw error
      }
    } finally {
      await source.close()
    }
  } finally {
    await target.close()
  }
}

/** Copies another ledger into a new one. */
class LedgerCopy {
  #events = 0
  #markedAt = performance.now()
  /** Head of the other ledger. */
  #newest: LedgerHead | null = null

  private constructor(
    private readonly store: Store,
    private readonly onProgress: NonNullable<CopyLedgerOptions['onProgress']>,
    private mark: ImportMark | null,
    private head: LedgerHead | null,
  ) {}

  /** @throws AppError `conflict/ledger_not_empty` */
  static async begin(store: Store, onProgress: NonNullable<CopyLedgerOptions['onProgress']>): Promise<LedgerCopy> {
    const mark = await store.copies.findMark()
    if (!mark) {
      await refuseUsed(store)
      if ((await store.sources.list()).length > 0) throw ledgerNotEmpty('it has sources')
    }
    return new LedgerCopy(store, onProgress, mark, await findNewest(store))
  }

  /** Copies until nothing is missing. */
  async copyAll(source: ExportSource): Promise<void> {
    const { copies } = this.store
    for (;;) {
      const since = toHeadText(this.head)?.captured_at
      const { appended, changed, line } = readPage(await source.page({ since, changes: this.mark?.changes }))
      const { epoch, changes, numbering } = line
      if (this.mark && this.mark.epoch !== epoch) throw copyDiffers('It has a part of another ledger.')
      if (this.mark && this.mark.numbering !== numbering) {
        // The source is another copy of the same ledger, or an import was begun, so all changes are read again.
        this.mark = { epoch, changes: 0, numbering }
        continue
      }
      if (!this.mark) await copies.saveMark({ epoch, changes, numbering })
      const through = line.through && {
        capturedAt: readTimestamp('through', line.through.captured_at).micros,
        digest: line.through.digest,
      }
      if (appended.length + changed.length > 0) {
        this.head = await copies.write({ appended, changed, through: appended.length > 0 ? through : null })
      }
      this.#events += appended.length
      this.#newest = through
      this.mark = { epoch, changes, numbering }
      if (performance.now() - this.#markedAt > MARK_EVERY_MS) await this.#saveMark(this.mark)
      this.onProgress({ events: this.#events, left: line.events_left, through: line.through?.captured_at ?? null })
      if (!line.has_more) return
    }
  }

  /** @param source closed for changes */
  async finish(source: Store, to: string): Promise<Omit<LedgerCopied, 'from' | 'to'>> {
    const { copies } = this.store
    const state = withoutLeases(await source.copies.readState(ALL))
    await copies.writeState(state)
    const moved = await source.copies.readMovedState()
    await copies.writeMovedState(moved)
    await this.#compare(source, state)
    await this.#compareMoved(moved)
    const epoch = this.mark?.epoch ?? ''
    const isIncomplete = async () => (await copies.findMark()) !== null
    await lastCommit(() => copies.saveMark(null, epoch), isIncomplete, to)
    const { captured_at = null, digest = null } = toHeadText(this.head) ?? {}
    const { subscriptions, users, tokens, consumers } = state
    return {
      events: this.#events,
      subscriptions: subscriptions.length,
      users: users.length,
      tokens: tokens.length,
      consumers: consumers.length,
      sources: moved.sources.length,
      head: captured_at,
      head_digest: digest,
      epoch,
    }
  }

  /** The digest proves the content and order of all events. The rest is compared by counts. */
  async #compare(source: Store, state: LedgerState): Promise<void> {
    if (!isDeepStrictEqual(this.head, this.#newest))
      throw copyDiffers('Its newest event differs, or that event has another digest.')
    const [there, here] = [await source.events.stats(), await this.store.events.stats()]
    for (const [name, value] of Object.entries(there)) {
      if (!isDeepStrictEqual(value, Reflect.get(here, name))) throw copyDiffers(`Its ${name} is different.`)
    }
    const stored = await this.store.copies.readState(ALL)
    for (const [name, list] of Object.entries(state)) {
      if (!isDeepStrictEqual(comparable(list), comparable(Reflect.get(stored, name)))) {
        throw copyDiffers(`It has other ${name.replace('_', ' ')}.`)
      }
    }
  }

  /** Error messages contain no values, because these may be secrets. */
  async #compareMoved(moved: MovedState): Promise<void> {
    const stored = await this.store.copies.readMovedState()
    if (!isDeepStrictEqual(stored.sources, moved.sources))
      throw copyDiffers('It has other sources, or other secrets of them.')
    if (!isDeepStrictEqual(stored.feeds, moved.feeds)) throw copyDiffers('It has other states of feeds.')
    if (!isDeepStrictEqual(stored.queue, moved.queue)) throw copyDiffers('It has another place in the event queue.')
    if (!isDeepStrictEqual(stored.missed, moved.missed)) throw copyDiffers('It misses other events of a former leader.')
    if (!isDeepStrictEqual(stored.promotion, moved.promotion)) throw copyDiffers('It reports another former leader.')
  }

  async #saveMark(mark: ImportMark): Promise<void> {
    await this.store.copies.saveMark(mark)
    this.#markedAt = performance.now()
  }
}

/** Ends all leases: instances that read for a consumer get a new one, and read unacknowledged events again. */
function withoutLeases(state: LedgerState): LedgerState {
  const now = wallClock()
  const consumers = state.consumers.map(one => ({ ...one, fence: nextFence(one, now), leased_until: 0 }))
  return { ...state, consumers }
}

/** Each database numbers dead letters itself, and lists rows of equal rank in its own order. */
function comparable(list: unknown): unknown {
  if (!Array.isArray(list)) return list
  return list.map(({ id, ...one }) => JSON.stringify('dedupe_key' in one ? one : { id, ...one })).sort()
}

async function stopServer(database: string, { pid }: OwnerRecord): Promise<void> {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH') throw notStopped(pid, 'This account may not stop it.')
  }
  for (const deadline = performance.now() + STOP_MS; performance.now() < deadline; await sleep(POLL_MS)) {
    if ((await readOwner(database))?.pid !== pid) return
  }
  throw notStopped(pid, 'It does not end.')
}

function notStopped(pid: number, reason: string): AppError {
  const detail = `The server of the ledger (process ${pid}) still runs. ${reason}`
  return new AppError('unavailable', 'server_not_stopped', detail, {
    hint: 'Stop it, and repeat the command: it continues.',
  })
}

function movedElsewhere(to: string): AppError {
  return new AppError('configuration', 'continued_elsewhere', `The ledger was moved to ${to} already.`, {
    hint: 'Copy from there.',
  })
}

function sameLedger(): AppError {
  return new AppError('invalid', 'same_ledger', '--from and --to name the same ledger.')
}
