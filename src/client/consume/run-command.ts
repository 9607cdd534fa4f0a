import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { LedgerEvent } from '../library/ledger-event.js'

export interface CommandOptions {
  command: string
  timeoutSeconds: number
  /** The environment of the command, without the variables of the event. */
  environment: Readonly<Record<string, string | undefined>>
  /** Receives what the command writes to standard error. */
  stderr: { write(bytes: Uint8Array): unknown }
}

const ERROR_BYTES = 4 * 1024
const KILL_MS = 5_000
const POLL_MS = 20

/**
 * Runs the command in a shell for some events. Its standard input has one JSON object a line. Events are never
 * arguments: other users can see those, and the system limits their size. A command that takes too long is ended, with
 * the processes it has started: none of them works beside a retry.
 *
 * @throws with the end of its standard error, if it fails
 */
export async function runCommand(events: readonly LedgerEvent[], options: CommandOptions): Promise<void> {
  const { command, timeoutSeconds, environment, stderr } = options
  const child = spawn(command, {
    shell: true,
    // A group of its own: Ctrl+C reaches only this process, which lets the command finish.
    detached: true,
    stdio: ['pipe', 'inherit', 'pipe'],
    env: { ...environment, ...variablesOf(events) },
  })
  let said = Buffer.alloc(0)
  child.stderr?.on('data', (bytes: Buffer) => {
    stderr.write(bytes)
    said = Buffer.concat([said, bytes]).subarray(-ERROR_BYTES)
  })
  // The command may end without reading.
  child.stdin?.on('error', () => {})
  child.stdin?.end(events.map(event => `${JSON.stringify(event)}\n`).join(''))
  let ending: Promise<void> | undefined
  const late = setTimeout(() => {
    ending = endGroup(child)
  }, timeoutSeconds * 1000)
  try {
    const { code, signal } = await ended(child)
    await ending
    if (code === 0 && !ending) return
    const what = ending
      ? `took longer than ${timeoutSeconds} s`
      : code === null
        ? `ended by ${signal}`
        : `exit code ${code}`
    const text = said.toString('utf8').trim()
    throw new Error(text === '' ? `The command failed: ${what}.` : `The command failed: ${what}.\n${text}`)
  } finally {
    clearTimeout(late)
  }
}

/** Variables that describe one event; for several, only their number. */
function variablesOf(events: readonly LedgerEvent[]): Record<string, string> {
  const [event] = events
  const count = { DAYBOOK_COUNT: String(events.length) }
  if (!event || events.length > 1) return count
  const { kind, dedupe_key, source, subject_type, subject_id, captured_at } = event
  return {
    ...count,
    DAYBOOK_KIND: kind,
    DAYBOOK_KEY: dedupe_key,
    DAYBOOK_SOURCE: source,
    DAYBOOK_SUBJECT_TYPE: subject_type,
    DAYBOOK_SUBJECT: subject_id,
    DAYBOOK_CAPTURED_AT: captured_at,
  }
}

/** Resolves when the command has ended. Its background processes may keep its output open. */
function ended(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => setImmediate(resolve, { code, signal }))
  })
}

/** The shell may end before the processes that it has started. */
async function endGroup(child: ChildProcess): Promise<void> {
  const until = performance.now() + KILL_MS
  let isAlive = signalGroup(child, 'SIGTERM')
  while (isAlive && performance.now() < until) {
    await pause(POLL_MS)
    isAlive = signalGroup(child, 0)
  }
  if (isAlive) signalGroup(child, 'SIGKILL')
}

/** @returns whether the group still has processes */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(-pid, signal)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // `EPERM`: another user's processes, as after `exec sudo`. Only that user can end them.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
    return code === 'EPERM'
  }
}
