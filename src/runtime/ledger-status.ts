import { LedgerClient } from '../client/ledger-client.js'
import { AppError } from '../model/app-error.js'
import type { FollowStatus } from '../model/follow.js'
import type { LedgerStatus } from '../model/ledger-status.js'
import type { LiveStatus } from '../model/subscriptions/live-capture.js'
import { toTimestamp } from '../model/timestamp.js'
import type { LocalSettings } from '../settings/local-settings.js'
import type { LedgerStats } from '../store/event-store.js'
import type { OwnerRecord } from '../store/sqlite/owner/owner-record.js'
import { requireFile } from './not-a-file.js'
import { openLedger } from './open-ledger.js'
import { ledgerViaServerOrFile, sizeOf } from './via-server-or-file.js'

/**
 * Reads the status through the server that has the ledger open, else by opening it.
 *
 * @throws AppError `not_found/ledger_missing`, `conflict/ledger_owned` for a check while a server runs
 */
export async function ledgerStatus(settings: LocalSettings, options: { check: boolean }): Promise<LedgerStatus> {
  if (options.check) requireFile(settings.database)
  return ledgerViaServerOrFile(settings.database, {
    server: (owner, socketPath) => {
      if (options.check) throw checkedByOwner(owner)
      return statusOfServer(settings.database.path, owner, socketPath)
    },
    file: () => statusOfFile(settings, options.check),
  })
}

interface HealthAnswer {
  database: string
  head: string | null
  head_digest?: string | null
  epoch: string
  schema_version?: number
  follows?: FollowStatus
  chat_live?: LiveStatus
}

async function statusOfServer(path: string, owner: OwnerRecord, socketPath: string): Promise<LedgerStatus> {
  const client = new LedgerClient({ socketPath })
  const health = (await client.health()).json() as HealthAnswer
  const stats = (await client.stats()).json() as LedgerStats
  return {
    database: health.database,
    size_bytes: await sizeOf(path),
    server: { pid: owner.pid, address: owner.address ?? null, since: owner.since },
    chat_live: health.chat_live ?? null,
    schema_version: health.schema_version ?? null,
    ...countsOf(stats),
    head: health.head,
    head_digest: health.head_digest ?? null,
    epoch: health.epoch,
    follows: health.follows ?? null,
    moved_to: null,
    problems: null,
  }
}

async function statusOfFile(settings: LocalSettings, check: boolean): Promise<LedgerStatus> {
  const opened = await openLedger({ ...settings, mayFollow: true, mayBeMoved: true }, 'command')
  try {
    const { database, head, epoch } = await opened.store.events.health({ withoutProof: true })
    const { mark } = await opened.store.copies.findFollow()
    return {
      database,
      size_bytes: (await opened.store.multiServer?.sizeBytes()) ?? (await sizeOf(database)),
      server: null,
      chat_live: null,
      schema_version: opened.store.schemaVersion,
      ...countsOf(await opened.ledger.stats()),
      head: head && toTimestamp(head.capturedAt),
      head_digest: head?.digest ?? null,
      epoch,
      follows: mark && { leader: mark.leader },
      moved_to: (await opened.store.copies.findMoved())?.to ?? null,
      problems: check && opened.file ? await opened.file.store.check() : null,
    }
  } finally {
    await opened.close()
  }
}

function countsOf({ event_count, duplicate_count, subscription_count }: LedgerStats) {
  return { event_count, duplicate_count, subscription_count }
}

function checkedByOwner({ pid }: OwnerRecord): AppError {
  return new AppError('conflict', 'ledger_owned', `A server (process ${pid}) has the ledger open.`, {
    hint: 'Stop it to check the file, or check a copy.',
  })
}
