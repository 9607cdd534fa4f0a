import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { AppError } from '../../../../src/model/app-error.js'
import {
  acquireOwnership,
  type Ownership,
  type OwnershipRequest,
} from '../../../../src/store/sqlite/owner/database-lock.js'
import type { OwnerRecord } from '../../../../src/store/sqlite/owner/owner-record.js'
import { ownIdentity } from '../../../../src/store/sqlite/owner/process-identity.js'
import { CHEAP_START } from '../../../support/cheap-start.js'

/** Number of rounds of races and crashes; `DAYBOOK_TEST_ROUNDS` sets more. */
export const ROUNDS = Number(process.env.DAYBOOK_TEST_ROUNDS ?? 1)

const NOW = Date.UTC(2031, 4, 4, 9, 0, 0)

/** A folder whose name leaves room for a socket, gone with the test. The fixture folders of tap are too deep. */
export function shortFolder(t: Test): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'daybook-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Acquires a ledger with short waiting times, and releases it at the end of the test. */
export async function own(t: Test, request: Partial<OwnershipRequest> & { database: string }): Promise<Ownership> {
  let beats = 0
  const ownership = await acquireOwnership({
    role: 'command',
    waitMs: 0,
    now: () => {
      beats += 1
      return NOW + beats
    },
    random: () => 0.5,
    onLost: successor => t.fail('the ledger was lost', { successor }),
    heartbeatMs: 30,
    silenceMs: 300,
    ...request,
  })
  t.teardown(() => ownership.release())
  return ownership
}

/** `category/code` of the error of `work`. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'no refusal'
  } catch (error) {
    if (error instanceof AppError) return `${error.category}/${error.code}`
    throw error
  }
}

/** An owner record of this process with these changes. */
export async function recordWith(changes: Partial<OwnerRecord>): Promise<OwnerRecord> {
  const self = await ownIdentity()
  return { ...self, nonce: '0123456789abcdef', role: 'server', since: '2031-05-04T08:00:00.000000Z', ...changes }
}

interface Program {
  child: ChildProcess
  /** Resolves with a line that starts so, or `undefined` when the program ends without one. */
  line(start: string): Promise<string | undefined>
  /** Everything it printed, and how it ended. */
  end: Promise<{ output: string; code: number | null; signal: NodeJS.Signals | null }>
}

/** Runs one of `programs/` as a process of its own, which ends with the test at the latest. */
export function runProgram(t: Test, name: string, args: string[], options: SpawnOptions = {}): Program {
  const path = fileURLToPath(new URL(`programs/${name}.js`, import.meta.url))
  // Through `env`, which becomes the process.
  const child = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, ...CHEAP_START, path, ...args], {
    stdio: 'pipe',
    ...options,
  })
  let output = ''
  const collect = (bytes: Buffer) => {
    output += bytes
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  const end = once(child, 'close').then(([code, signal]) => ({ output, code, signal }))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await end
  })
  const line = async (start: string) => {
    let over = false
    void end.then(() => {
      over = true
    })
    for (;;) {
      const found = output.split('\n').find(text => text.startsWith(start))
      if (found !== undefined || over) return found
      await Promise.race([once(child.stdout ?? child, 'data'), end])
    }
  }
  return { child, line, end }
}

/** Runs SQL in the `sqlite3` program. @returns what it printed, errors included */
export function native(database: string, sql: string): string {
  try {
    return execFileSync('sqlite3', [database, sql], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return `${stdout}${stderr}`.trim()
  }
}

/** A running `sqlite3` shell; `run` resolves with the next line that it prints. */
export function nativeShell(t: Test, database: string) {
  const child: ChildProcess = spawn('sqlite3', ['-batch', database], { stdio: 'pipe' })
  const end = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await end
  })
  const run = async (sql: string): Promise<string> => {
    child.stdin?.write(`${sql}\n`)
    const [bytes] = await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), end])
    return String(bytes).trim()
  }
  return { child, run, end }
}
