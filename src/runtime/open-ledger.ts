import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { Ledger } from '../ledger/ledger.js'
import type { Micros } from '../model/timestamp.js'
import type { LocalSettings } from '../settings/local-settings.js'
import type { StoreHealth } from '../store/event-store.js'
import { acquireOwnership, type Ownership } from '../store/sqlite/owner/database-lock.js'
import type { OwnerRole } from '../store/sqlite/owner/owner-record.js'
import { socketPath } from '../store/sqlite/owner/socket-path.js'
import { openSqliteStore, type SqliteStore } from '../store/sqlite/store.js'
import { copyLegacyLedger } from '../store/sqlite/upgrade/legacy.js'
import type { Store } from '../store/store.js'
import { deferredFailure, OWNER_WAIT_MS, ownershipLost } from './ownership.js'
import { type AllowedStates, refuseUnusable } from './refuse-unusable.js'

/** An open ledger: in a file that this process owns, or in a database that it shares with others. */
export interface OpenLedger {
  ledger: Ledger
  store: Store
  /** That of the events: of this machine for a file, of the database server for PostgreSQL. */
  clock: () => Micros
  /** Path of the file, or the address without its password. */
  database: string
  engine: StoreHealth['engine']
  /** Absent for a ledger in PostgreSQL. */
  file?: OpenLedgerFile
  /** Rejects when this process can no longer write the ledger: its thread died, or another process took it over. */
  failed: Promise<never>
  /** Finishes what was accepted, and closes the ledger. */
  close(): Promise<void>
}

interface OpenLedgerFile {
  store: SqliteStore
  ownership: Ownership
  /** Where a server that owns it listens for local callers. */
  socket: string
  /** The path of a ledger of the older layout that was copied just now. */
  copiedFrom: string | undefined
  /** Describes what may be missing after an unclean shutdown; undefined if nothing is. */
  warning: string | undefined
}

/** The wall clock in microseconds. It may step back; the ledger's order does not. */
export function wallClock(): Micros {
  return Date.now() * 1000
}

/** A fresh identifier for a subscription. */
export function newSubscriptionId(): string {
  return `sub_${randomBytes(8).toString('hex')}`
}

interface LedgerToOpen extends LocalSettings, AllowedStates {
  maxSubscriptions?: number
}

/**
 * Opens the ledger. A file: takes ownership of it first; creates it, or upgrades an older layout or schema, if necessary.
 *
 * @param clock of this machine, for a file
 * @param report called with problems that the operator has to know of before `failed` rejects
 * @throws AppError `conflict/ledger_owned` while another process owns it, `conflict/ledger_remains`,
 *   `unavailable/store_…`, `configuration/…`
 */
export async function openLedger(
  { database, maxSubscriptions, upgradeCopy, ...allowed }: LedgerToOpen,
  role: OwnerRole,
  clock: () => Micros = wallClock,
  report: (problem: unknown) => void = () => {},
): Promise<OpenLedger> {
  const { postgres, replica } = database
  if (postgres) {
    // Loaded only for those who use it.
    const { openPostgresLedger } = await import('./open-postgres-ledger.js')
    return openPostgresLedger({ postgres, replica }, { maxSubscriptions, allowed })
  }
  const failure = deferredFailure()
  let opened: SqliteStore | undefined
  let noted = Promise.resolve()
  const socket = await socketPath(database.path, tmpdir())
  const ownership = await acquireOwnership({
    database: database.path,
    role,
    socket,
    waitMs: OWNER_WAIT_MS,
    now: Date.now,
    random: Math.random,
    onLost: successor => {
      const error = ownershipLost('the ledger', successor)
      // The store also checks its files. If they are gone, it first saves their content.
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
      // The file of the older layout already serves as the copy.
      upgradeCopy: upgradeCopy && !copied,
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
      await refuseUnusable(store.copies, ownership.database, allowed)
      const ledger = await Ledger.open({ store, clock, newSubscriptionId, maxSubscriptions })
      return {
        ledger,
        store,
        clock,
        database: ownership.database,
        engine: 'sqlite',
        file: {
          store,
          ownership,
          socket,
          warning: ownership.warning,
          copiedFrom: copied ? database.legacyPath : undefined,
        },
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
