import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { Ledger } from '../ledger/ledger.js'
import { AppError } from '../model/app-error.js'
import type { Micros } from '../model/timestamp.js'
import type { LocalSettings } from '../settings/local-settings.js'
import { acquireOwnership, type Ownership } from '../store/sqlite/owner/owner.js'
import type { OwnerRole } from '../store/sqlite/owner/owner-record.js'
import { socketPath } from '../store/sqlite/owner/socket-path.js'
import { openSqliteStore, type SqliteStore } from '../store/sqlite/store.js'
import { copyLegacyLedger } from '../store/sqlite/upgrade/legacy.js'
import { rejectable } from './rejectable.js'

/** A ledger that this process owns. */
export interface OpenLedger {
  ledger: Ledger
  store: SqliteStore
  ownership: Ownership
  /** Where a server that owns it listens for local callers. */
  socket: string
  /** A ledger of the older layout was copied here just now. */
  copiedFrom: string | undefined
  /** What seems to be missing of a ledger that was not closed in order; undefined when nothing does. */
  warning: string | undefined
  /** Rejects when the ledger can no longer be written by us: its thread died, or somebody took it over. */
  failed: Promise<never>
  /** Finishes what was accepted, closes the files and lets go of the ledger. */
  close(): Promise<void>
}

/** How long to wait for a short command that owns the ledger at this moment. */
const WAIT_MS = 10_000

/** The wall clock in microseconds. It may step back; the ledger's order does not. */
export function wallClock(): Micros {
  return Date.now() * 1000
}

/**
 * Takes ownership of the ledger file and opens it: new, as it is, or brought forward from an older layout or schema.
 *
 * @param clock the wall clock when absent
 * @param report called with what the operator has to know before `failed` rejects
 * @throws AppError `conflict/ledger_owned` while another process owns it, `conflict/ledger_remains`,
 *   `unavailable/store_…`, `configuration/…`
 */
export async function openLedger(
  { database, maxSubscriptions }: LocalSettings & { maxSubscriptions?: number },
  role: OwnerRole,
  clock: () => Micros = wallClock,
  report: (problem: unknown) => void = () => {},
): Promise<OpenLedger> {
  const failure = rejectable()
  let opened: SqliteStore | undefined
  let noted = Promise.resolve()
  // What SQLite makes beside the file as well is for its owner alone.
  process.umask(0o077)
  const socket = await socketPath(database.path, tmpdir())
  const ownership = await acquireOwnership({
    database: database.path,
    role,
    socket,
    waitMs: WAIT_MS,
    now: Date.now,
    random: Math.random,
    onLost: successor => {
      const error = lostTo(successor?.pid)
      // The store looks as well, and saves what the files hold where they are gone too; then it says when that is done.
      if (opened === undefined) failure.reject(error)
      else opened.verify().then(() => failure.reject(error), report)
    },
  })
  try {
    const copied =
      database.isDefault && (await copyLegacyLedger({ legacy: database.legacyPath, database: database.path }))
    const store = await openSqliteStore({
      path: ownership.database,
      ownerNonce: ownership.record.nonce,
      clock,
      onFailure: error => void noted.then(() => failure.reject(error)),
      onLost: error => {
        report(error)
        noted = ownership.noteLoss().catch(report)
      },
    })
    opened = store
    try {
      await ownership.noteFiles()
      const newSubscriptionId = () => `sub_${randomBytes(8).toString('hex')}`
      const ledger = await Ledger.open({ store, clock, newSubscriptionId, maxSubscriptions })
      return {
        ledger,
        store,
        ownership,
        socket,
        warning: ownership.warning,
        copiedFrom: copied ? database.legacyPath : undefined,
        failed: failure.promise,
        close: async () => {
          try {
            await store.close()
          } finally {
            await ownership.release()
          }
        },
      }
    } catch (error) {
      await store.close()
      throw error
    }
  } catch (error) {
    await ownership.release()
    throw error
  }
}

function lostTo(pid: number | undefined): AppError {
  const successor = pid === undefined ? 'somebody removed its owner file' : `process ${pid} took it over`
  return new AppError('unavailable', 'ledger_lost', `This process no longer owns the ledger: ${successor}.`)
}
