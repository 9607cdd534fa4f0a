import { join } from 'node:path'
import type { Test } from 'tap'
import type { BoardAccess } from '../../src/gate/access.js'
import { createGate, type GateSettings } from '../../src/gate/board-gate.js'
import type { Gate, RequestFacts } from '../../src/gate/gate.js'
import { SigningKeys } from '../../src/gate/signing-keys.js'
import type { BoardSecrets } from '../../src/model/board/board-secrets.js'
import { openSessionDatabase, type SessionDatabase } from '../../src/store/sqlite/board/session-database.js'
import { asyncStore } from '../../src/store/sqlite/thread/task.js'
import { testFolder } from '../support/test-folder.js'

export const PASSWORD = 'a password of the tests'
export const API_KEY = 'key-0123456789-abcdefgh'
export const EXECUTOR_TOKEN = 'executor-0123456789-abc'
export const AUTH_SECRET = 'signing-0123456789-abcd'

const HOST = '127.0.0.1:8766'
export const ORIGIN = `http://${HOST}`
export const SERVICE_ORIGIN = 'https://board.example.org'

const START_SECONDS = 1_800_000_000

export type GateOptionsOfTest = Partial<Omit<GateSettings, 'secrets'>>

/** A board's sessions in a file of their own, a stopped clock, and secrets that can be changed. */
export class GateRig {
  seconds = START_SECONDS
  elapsedMs = 0
  /** How often a password was stretched, and with what salt. */
  readonly derived: { password: string; salt: string; iterations: number }[] = []
  /** Delays every derivation while it is set. */
  deriving: Promise<void> | undefined
  secrets: BoardSecrets

  private constructor(
    readonly path: string,
    public database: SessionDatabase,
    secrets: BoardSecrets,
  ) {
    this.secrets = secrets
  }

  static open(t: Test, secrets: BoardSecrets = { password: PASSWORD }): GateRig {
    const path = join(testFolder(t), 'sessions.sqlite3')
    const rig = new GateRig(path, openSessions(path), secrets)
    t.teardown(() => rig.database.close())
    return rig
  }

  /** A gate as after a start: it has forgotten everything but the file and the secrets. */
  start(settings: GateOptionsOfTest = {}): Gate {
    return createGate({
      settings: { secrets: this.secrets, sessionTtlSeconds: 3600, throttleLogins: false, ...settings },
      secrets: () => this.secrets,
      sessions: { ...asyncStore(this.database.sessions), salt: this.database.sessions.salt },
      now: () => this.seconds * 1_000_000,
      elapsed: () => this.elapsedMs,
      derive: async (password, salt, iterations) => {
        this.derived.push({ password, salt: salt.toString('hex'), iterations })
        await this.deriving
        return stretch(password)
      },
    })
  }

  /** Adds sessions that the key in use has signed, which last a minute. */
  async fill(sessions: number): Promise<void> {
    const keys = new SigningKeys(this.database.sessions.salt, async password => stretch(password))
    const key = (await keys.keyFor(this.secrets))?.digest ?? ''
    for (let i = 0; i < sessions; i++) {
      const session = { digest: `${i}`, key, expiresAt: this.seconds + 60 }
      this.database.sessions.add(session, { now: this.seconds, max: sessions })
    }
  }

  reopen(): void {
    this.database.close()
    this.database = openSessions(this.path)
  }
}

function stretch(password: string): Buffer {
  return Buffer.from(password.padEnd(32).slice(0, 32))
}

/** The facts of a request to a route: its host and the given members. */
export function facts(access: BoardAccess, shown: Partial<RequestFacts> = {}): RequestFacts {
  return {
    access,
    method: 'GET',
    local: false,
    host: HOST,
    origin: undefined,
    referer: undefined,
    fetchSite: undefined,
    bearer: undefined,
    boardToken: undefined,
    csrfToken: undefined,
    executorToken: undefined,
    cookies: undefined,
    address: '192.0.2.1',
    ...shown,
  }
}

export const FROM = { cookies: undefined, address: '192.0.2.1' }

/** The session of a browser that logged in. */
export async function logIn(gate: Gate, body: object = { password: PASSWORD }, cookies?: string) {
  const { cookie, csrfToken } = await gate.login(body, { ...FROM, cookies })
  return { cookie, csrfToken, cookies: `board_session=${cookie}` }
}

function openSessions(path: string): SessionDatabase {
  const onCorrupt = (kept: string) => {
    throw new Error(`The sessions were damaged: ${kept}`)
  }
  return openSessionDatabase(path, { onCorrupt })
}
