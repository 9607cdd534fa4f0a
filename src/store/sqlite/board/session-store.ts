import type { BoardSessionStore } from '../../board-session-store.js'
import type { Database } from '../database.js'

const IS_LIVE = /* sql */ `SELECT 1 FROM sessions WHERE digest = ? AND expires_at > ?`
const COUNT = /* sql */ `SELECT count(*) AS sessions FROM sessions`
const INSERT = /* sql */ `INSERT INTO sessions (digest, created_at, expires_at) VALUES (?, ?, ?)`
const DELETE = /* sql */ `DELETE FROM sessions WHERE digest = ?`
const PURGE = /* sql */ `DELETE FROM sessions WHERE expires_at <= ?`

/** Source: decisions on security, section 2, "B capacity" and "B store". */
export class SqliteSessionStore implements BoardSessionStore {
  constructor(
    private readonly database: Database,
    readonly salt: string,
  ) {}

  add(
    { digest, expiresAt }: { digest: string; expiresAt: number },
    { now, max, replaces }: { now: number; max: number; replaces?: string },
  ): boolean {
    return this.database.transaction(() => {
      this.database.run(PURGE, now)
      if (replaces !== undefined) this.database.run(DELETE, replaces)
      if (this.count() >= max) return false
      this.database.run(INSERT, digest, now, expiresAt)
      return true
    })
  }

  isLive(digest: string, now: number): boolean {
    return this.database.first(IS_LIVE, digest, now) !== undefined
  }

  end(digest: string, now: number): void {
    this.database.transaction(() => {
      this.database.run(DELETE, digest)
      this.database.run(PURGE, now)
    })
  }

  purge(now: number): number {
    return this.database.run(PURGE, now)
  }

  count(): number {
    return Number(this.database.first(COUNT)?.sessions)
  }
}
