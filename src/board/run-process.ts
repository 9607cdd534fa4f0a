import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Run } from '../model/board/run.js'
import { makeFolder } from '../model/files/make-folder.js'
import { endTree, type TreeTimes } from './process-tree.js'
import type { RunLog } from './run-log.js'

/** How a run ended. */
export type RunOutcome = Pick<Run, 'state' | 'reason' | 'exit_code' | 'signal'>

/** Why a run is ended from outside; the reason of its abort signal. */
export type StopReason = 'cancelled' | 'interrupted'

interface RunProcessOptions {
  /** Program and arguments. */
  command: readonly string[]
  /** Created if it is missing. */
  folder: string
  /** The complete environment. */
  environment: Readonly<Record<string, string>>
  /** `NAME=value` of that environment; identifies the processes of this run. */
  mark: string
  /** The complete standard input. */
  input: string
  timeoutSeconds: number
  log: RunLog
  /** Aborted with a `StopReason`. */
  stop: AbortSignal
  onStarted: () => void
  times: TreeTimes
}

/** How long to wait for the exit status of the first process when no process is left. */
const EXIT_MS = 1_000

/** Starts a program without a shell, as the leader of its own session, and returns when its whole process tree has ended. */
export async function runProcess(options: RunProcessOptions): Promise<RunOutcome> {
  const { command, log, stop, mark, times, timeoutSeconds } = options
  const [program = ''] = command
  if (stop.aborted) return outcomeOf(stop.reason as StopReason, NOTHING)
  let child: ChildProcess
  try {
    await makeFolder(options.folder)
    // The system gives the same reasons for the program, which would be named instead.
    await access(`${options.folder}/.`, constants.X_OK)
  } catch (error) {
    log.note(
      `The working folder ${options.folder} cannot be used (${codeOf(error)}). Set BOARD_EXECUTOR_FOLDER to another one.`,
    )
    return outcomeOf('not_started', NOTHING)
  }
  try {
    child = await start(options)
  } catch (error) {
    const code = codeOf(error)
    log.note(`${program} could not be started: ${REASONS.get(code) ?? code}.`)
    return outcomeOf('not_started', NOTHING)
  }
  const pid = child.pid as number
  const ended = endOf(child)
  log.note(`Started as process ${pid}.`)
  options.onStarted()
  log.read(child.stdout as Readable, 'out')
  log.read(child.stderr as Readable, 'err')
  feed(child, options.input)

  const over = new AbortController()
  const cause = await Promise.race([
    ended.then(() => 'ended' as const),
    timeout(timeoutSeconds, over.signal),
    stopped(stop, over.signal),
  ])
  over.abort()
  if (cause !== 'ended') log.note(CAUSES[cause](timeoutSeconds))
  const isGone = await endTree({ mark, pid }, times)
  if (!isGone) log.note('Some of its processes could not be ended.')
  const exit = await Promise.race([ended, delay(EXIT_MS, NOTHING, { ref: false })])
  child.stdin?.destroy()
  await log.readLast()
  if (exit.signal !== null) log.note(`The program was ended by ${exit.signal}.`)
  else if (exit.exit_code !== null) log.note(`The program ended with exit code ${exit.exit_code}.`)
  return outcomeOf(cause, exit)
}

type Exit = Pick<Run, 'exit_code' | 'signal'>
type Cause = StopReason | 'ended' | 'timeout' | 'not_started'

const NOTHING: Exit = { exit_code: null, signal: null }

const CAUSES: Record<StopReason | 'timeout', (timeoutSeconds: number) => string> = {
  timeout: seconds => `The run took longer than ${seconds} s and is being ended.`,
  cancelled: () => 'The run is being cancelled.',
  interrupted: () => 'The server is stopping, and ends the run.',
}

function outcomeOf(cause: Cause, exit: Exit): RunOutcome {
  if (cause === 'cancelled' || cause === 'interrupted') return { state: cause, reason: null, ...exit }
  if (cause !== 'ended') return { state: 'failed', reason: cause, ...exit }
  if (exit.signal !== null) return { state: 'failed', reason: 'signal', ...exit }
  return exit.exit_code === 0 ? { state: 'done', reason: null, ...exit } : { state: 'failed', reason: 'exit', ...exit }
}

/** @throws the system's reason, as an error with its `code` */
async function start({ command, folder, environment }: RunProcessOptions): Promise<ChildProcess> {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Leads a session and a group: one signal reaches all its processes, and the terminal's Ctrl+C does not.
    detached: true,
  })
  await once(child, 'spawn')
  return child
}

/** Resolves when the program exits, even if a process that it started still holds the pipes open. */
function endOf(child: ChildProcess): Promise<Exit> {
  return new Promise(resolve => {
    child.once('exit', (exit_code, signal) => resolve({ exit_code, signal }))
  })
}

/** A program may end, or close its input, without having read it. */
function feed({ stdin }: ChildProcess, input: string): void {
  stdin?.on('error', () => stdin.destroy())
  stdin?.end(input)
}

function timeout(seconds: number, over: AbortSignal): Promise<'timeout'> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve('timeout'), seconds * 1000)
    over.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })
}

function stopped(stop: AbortSignal, over: AbortSignal): Promise<StopReason> {
  return new Promise(resolve => {
    const settle = () => resolve(stop.reason as StopReason)
    if (stop.aborted) settle()
    else stop.addEventListener('abort', settle, { once: true, signal: over })
  })
}

const REASONS = new Map([
  ['ENOENT', 'there is no such program'],
  ['EACCES', 'it may not be started by this user'],
  ['E2BIG', 'its arguments and environment are too long'],
  ['ENOTDIR', 'a part of its path is not a folder'],
  ['ENOEXEC', 'it is not a program'],
])

/** The system's code of a failure. Rethrows other errors. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) throw error
  return String(error.code)
}
