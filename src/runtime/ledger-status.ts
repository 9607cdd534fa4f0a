import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { LedgerClient } from '../client/ledger-client.js'
import { AppError } from '../model/app-error.js'
import { toTimestamp } from '../model/timestamp.js'
import type { LocalSettings } from '../settings/local-settings.js'
import type { LedgerStats } from '../store/event-store.js'
import { type OwnerRecord, readOwner } from '../store/sqlite/owner-record.js'
import { answersAt } from '../store/sqlite/socket-path.js'
import { openLedger } from './open-ledger.js'

/** What there is to say of a ledger on this machine. Instants are UTC text. */
export interface LedgerStatus {
  database: string
  /** The database and its journal together. */
  size_bytes: number
  /** The server that has it open; null when it was opened for this look alone. */
  server: { pid: number; address: string | null; since: string } | null
  /** Null while a server has it open. */
  schema_version: number | null
  event_count: number
  duplicate_count: number
  subscription_count: number
  head: string | null
  epoch: string
  /** What an integrity check found wrong; null when none was asked for. */
  problems: string[] | null
}

/** How long a server may take to answer that has just begun or is about to end, and how often it is looked for. */
const WAIT_MS = 10_000
const POLL_MS = 50

/**
 * Looks at a ledger: through the server that has it open, else by opening it.
 *
 * @throws AppError `not_found/ledger_missing`, `conflict/ledger_owned` for a check while a server has it open
 */
export async function ledgerStatus(settings: LocalSettings, options: { check: boolean }): Promise<LedgerStatus> {
  const { path, isDefault, legacyPath } = settings.database
  // A ledger of the older layout is one as well: opening the default path brings it forward.
  if ((await sizeOf(path)) === 0 && !(isDefault && (await sizeOf(legacyPath)) > 0)) {
    throw new AppError('not_found', 'ledger_missing', `There is no ledger at ${path}.`, {
      hint: '`daybook serve` makes one; --db names another.',
    })
  }
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const owner = await readOwner(path)
    const socket =
      owner?.role === 'server' && owner.socket && (await answersAt(owner.socket)) ? owner.socket : undefined
    if (owner && socket && options.check) throw checkedByOwner(owner)
    try {
      return owner && socket ? await statusOfServer(path, owner, socket) : await statusOfFile(settings, options.check)
    } catch (error) {
      if (!isPassing(error) || performance.now() >= deadline) throw error
    }
    await sleep(POLL_MS)
  }
}

/** A server owns its ledger a moment before it answers and a moment after, and may be killed in the middle of an answer. */
function isPassing(error: unknown): boolean {
  return error instanceof AppError && ['ledger_owned', 'server_unreachable', 'connection_lost'].includes(error.code)
}

async function statusOfServer(path: string, owner: OwnerRecord, socketPath: string): Promise<LedgerStatus> {
  const client = new LedgerClient({ socketPath })
  const health = (await client.health()).json() as { database: string; head: string | null; epoch: string }
  const stats = (await client.stats()).json() as LedgerStats
  return {
    database: health.database,
    size_bytes: await sizeOf(path),
    server: { pid: owner.pid, address: owner.address ?? null, since: owner.since },
    schema_version: null,
    ...countsOf(stats),
    head: health.head,
    epoch: health.epoch,
    problems: null,
  }
}

async function statusOfFile(settings: LocalSettings, check: boolean): Promise<LedgerStatus> {
  const opened = await openLedger(settings, 'command')
  try {
    const { database, head, epoch } = await opened.ledger.health()
    return {
      database,
      size_bytes: await sizeOf(database),
      server: null,
      schema_version: opened.store.schemaVersion,
      ...countsOf(await opened.ledger.stats()),
      head: head === null ? null : toTimestamp(head),
      epoch,
      problems: check ? await opened.store.check() : null,
    }
  } finally {
    await opened.close()
  }
}

function countsOf({ event_count, duplicate_count, subscription_count }: LedgerStats) {
  return { event_count, duplicate_count, subscription_count }
}

async function sizeOf(database: string): Promise<number> {
  const sizes = await Promise.all([database, `${database}-wal`].map(path => stat(path).then(file => file.size, noFile)))
  return sizes.reduce((total, size) => total + size, 0)
}

function noFile(error: NodeJS.ErrnoException): number {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return 0
  throw error
}

function checkedByOwner({ pid }: OwnerRecord): AppError {
  return new AppError('conflict', 'ledger_owned', `A server (process ${pid}) has the ledger open.`, {
    hint: 'Stop it to check the file, or check a copy.',
  })
}
