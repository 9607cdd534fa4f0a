import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { Ledger } from '../ledger/ledger.js'
import { AppError } from '../model/app-error.js'
import type { Micros } from '../model/timestamp.js'
import type { LocalSettings } from '../settings/local-settings.js'
import { copyLegacyLedger } from '../store/sqlite/legacy.js'
import { acquireOwnership, type Ownership } from '../store/sqlite/owner.js'
import type { OwnerRole } from '../store/sqlite/owner-record.js'
import { socketPath } from '../store/sqlite/socket-path.js'
import { openSqliteStore, type SqliteStore } from '../store/sqlite/store.js'
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
 * @throws AppError `conflict/ledger_owned` while another process owns it, `unavailable/store_…`, `configuration/…`
 */
export async function openLedger({ database }: LocalSettings, role: OwnerRole): Promise<OpenLedger> {
  const failure = rejectable()
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
    onLost: successor => failure.reject(lostTo(successor?.pid)),
  })
  try {
    const copied =
      database.isDefault && (await copyLegacyLedger({ legacy: database.legacyPath, database: database.path }))
    const store = await openSqliteStore({ path: ownership.database, clock: wallClock, onFailure: failure.reject })
    try {
      const newSubscriptionId = () => `sub_${randomBytes(8).toString('hex')}`
      const ledger = await Ledger.open({ store, clock: wallClock, newSubscriptionId })
      return {
        ledger,
        store,
        ownership,
        socket,
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
  return new AppError('conflict', 'ledger_lost', `This process no longer owns the ledger: ${successor}.`)
}
