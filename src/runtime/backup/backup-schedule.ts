import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { AppError } from '../../model/app-error.js'
import { makeFolder } from '../../model/files/make-folder.js'
import type { BackupSettings } from '../../settings/ledger-settings.js'
import { RepeatedWork } from '../repeated-work.js'
import { writeBackup } from './write-backup.js'

/** Wait after a failure, unless the next backup is due sooner. */
const RETRY_MS = 5 * 60_000
/** `ledger-20310504T090000Z.db.gz`, and the partial files of interrupted backups. */
const NAME =
  /^ledger-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db\.gz(\.part(?:\.db(?:\.part|-wal|-journal|-shm|\.lock)?)?)?$/

export interface BackupScheduleParts {
  settings: BackupSettings
  copyTo: (path: string, signal: AbortSignal) => Promise<void>
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Epoch milliseconds. */
  now: () => number
}

interface StoredBackup {
  name: string
  /** Epoch milliseconds. */
  at: number
}

/** Backs the ledger up at an interval, and keeps the newest backups, until it is stopped. */
export class BackupSchedule {
  readonly #work: RepeatedWork
  #newest: number | undefined

  /** Starts immediately. A backup that an earlier server made counts. */
  constructor(private readonly parts: BackupScheduleParts) {
    this.#work = new RepeatedWork(signal => this.#backUpIfDue(signal))
  }

  /** When the newest backup was made, in epoch milliseconds; undefined until one is known. */
  get newest(): number | undefined {
    return this.#newest
  }

  /** Removes an incomplete backup. */
  stop(): Promise<void> {
    return this.#work.stop()
  }

  /** @returns how long to wait before the next check, in milliseconds */
  async #backUpIfDue(signal: AbortSignal): Promise<number> {
    const { settings, now, logger } = this.parts
    const { folder, everyMs, keep } = settings
    try {
      const stored = await this.#stored().catch((cause: NodeJS.ErrnoException) => {
        const message = `The folder ${folder}, for backups, cannot be created or read (${cause.code}).`
        const hint = 'Set EVENT_BACKUP_DIR to a folder that this user can write to.'
        throw new AppError('configuration', 'backup_folder_unusable', message, { hint, cause })
      })
      const newest = stored.at(-1)?.at ?? Number.NEGATIVE_INFINITY
      this.#newest = stored.at(-1)?.at
      const dueIn = newest > now() ? 0 : newest + everyMs - now()
      if (dueIn > 0) return dueIn
      const at = now()
      const { path, bytes, events, head } = await this.#backUp(at, signal)
      this.#newest = at
      logger.info({ path, bytes, events, head }, 'backed the ledger up')
      const extra = stored.slice(0, Math.max(0, stored.length + 1 - keep))
      for (const { name } of extra) {
        await rm(join(folder, name), { force: true }).catch(error => {
          logger.warn({ path: join(folder, name), detail: String(error) }, 'an old backup cannot be removed')
        })
      }
      return everyMs
    } catch (error) {
      if (signal.aborted) return 0
      if (error instanceof AppError) logger.error({ code: error.code, detail: error.message }, 'the backup failed')
      else logger.error({ err: error }, 'the backup failed')
      return Math.min(everyMs, RETRY_MS)
    }
  }

  /**
   * The stored backups, oldest first. One with a time in the future was made before the clock was corrected, so it is older
   * than all others. Creates the folder; removes the partial files of interrupted backups, and SQLite's lock folders.
   */
  async #stored(): Promise<StoredBackup[]> {
    const { folder } = this.parts.settings
    await makeFolder(folder)
    const stored: StoredBackup[] = []
    const found = await readdir(folder, { withFileTypes: true })
    const unfinished = new Set<string>()
    for (const { name } of found) {
      const part = NAME.exec(name)?.[7]
      if (part !== undefined) unfinished.add(name).add(name.slice(0, -part.length))
    }
    for (const name of unfinished) await rm(join(folder, name), { recursive: name.endsWith('.lock'), force: true })
    for (const { name } of found) {
      const time = NAME.exec(name)
      if (!time || unfinished.has(name)) continue
      const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = time.slice(1, 7).map(Number)
      stored.push({ name, at: Date.UTC(year, month - 1, day, hour, minute, second) })
    }
    const now = this.parts.now()
    const isPast = ({ at }: StoredBackup) => Number(at <= now)
    return stored.sort((left, right) => isPast(left) - isPast(right) || left.at - right.at)
  }

  #backUp(at: number, signal: AbortSignal) {
    const time = new Date(at).toISOString().replaceAll(/[-:]|\.\d+/gu, '')
    const path = join(this.parts.settings.folder, `ledger-${time}.db.gz`)
    return writeBackup(path, copy => this.parts.copyTo(copy, signal), { signal })
  }
}
