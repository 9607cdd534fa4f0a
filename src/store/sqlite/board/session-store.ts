import type { NewBoardSession } from '../../board-session-store.js'
import type { Database } from '../files/database.js'

const IS_LIVE = /* sql */ `SELECT 1 FROM sessions WHERE digest = ? AND signing_key = ? AND expires_at > ?`
const COUNT = /* sql */ `SELECT count(*) AS sessions FROM sessions`
const COUNT_SIGNED = /* sql */ `SELECT count(*) AS sessions FROM sessions WHERE signing_key = ?`
const INSERT = /* sql */ `INSERT INTO sessions (digest, created_at, expires_at, signing_key) VALUES (?, ?, ?, ?)`
const DELETE = /* sql */ `DELETE FROM sessions WHERE digest = ?`
const DELETE_ALL = /* sql */ `DELETE FROM sessions`
const PURGE = /* sql */ `DELETE FROM sessions WHERE expires_at <= ?`
/** Sessions of a release that stored no key belong to the key in use at the first start after the upgrade. */
const SIGN_UNSIGNED = /* sql */ `UPDATE sessions SET signing_key = ? WHERE signing_key IS NULL`
const DELETE_SIGNED_OTHERWISE = /* sql */ `DELETE FROM sessions WHERE signing_key <> ?`
/** Their key is only assumed, so they must not prevent a session with a known key. */
const DELETE_OLDEST_ASSUMED = /* sql */ `
  DELETE FROM sessions WHERE digest IN (
    SELECT digest FROM sessions WHERE signing_key = ? AND key_is_assumed = 1 ORDER BY created_at LIMIT 1
  )`

/** Source: decisions on security, section 2, "B capacity" and "B store". */
export class SqliteSessionStore {
  constructor(
    private readonly database: Database,
    readonly salt: string,
  ) {}

  add(
    { digest, key, expiresAt }: NewBoardSession,
    { now, max, replaces }: { now: number; max: number; replaces?: string },
  ): boolean {
    return this.database.transaction(() => {
      this.database.run(PURGE, now)
      if (replaces !== undefined) this.database.run(DELETE, replaces)
      const isFull = Number(this.database.first(COUNT_SIGNED, key)?.sessions) >= max
      if (isFull && this.database.run(DELETE_OLDEST_ASSUMED, key) === 0) return false
      this.database.run(INSERT, digest, now, expiresAt, key)
      return true
    })
  }

  isLive(digest: string, key: string, now: number): boolean {
    return this.database.first(IS_LIVE, digest, key, now) !== undefined
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

  keepSignedBy(key: string | undefined): void {
    this.database.transaction(() => {
      if (key === undefined) {
        this.database.run(DELETE_ALL)
        return
      }
      this.database.run(SIGN_UNSIGNED, key)
      this.database.run(DELETE_SIGNED_OTHERWISE, key)
    })
  }

  count(): number {
    return Number(this.database.first(COUNT)?.sessions)
  }
}
