import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { CHEAP_START } from '../support/cheap-start.js'
import { LONGEST_MILLISECONDS, runInHost } from './command-host.js'

export interface Run {
  code: number | null
  out: string
  err: string
}

export interface RunOptions {
  /** In addition to a home folder of its own. */
  env?: Record<string, string>
  /** Standard input. */
  input?: string
  /** The output is a terminal. */
  atTerminal?: boolean
  /** A file that takes standard output and standard error. */
  into?: string
  /** Only standard output goes there. */
  errorsApart?: boolean
  /** For what Node, or oclif's help, reads only at the start of a process. */
  ownProcess?: boolean
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const AT_TERMINAL = fileURLToPath(new URL('./programs/at-terminal.js', import.meta.url))

/** A separate process that runs a command line like a user, without NODE_OPTIONS. */
export function startDaybook(t: Test, argv: readonly string[], options: RunOptions = {}) {
  const { atTerminal = false, into, errorsApart = false } = options
  const script = atTerminal ? AT_TERMINAL : `${ROOT}/bin/run.js`
  const program = ['env', '-u', 'NODE_OPTIONS', process.execPath, ...CHEAP_START, script, ...argv]
  const [file = '', ...args] =
    into === undefined ? program : ['sh', '-c', `exec "$@" >"$0" ${errorsApart ? '' : '2>&1'}`, into, ...program]
  const child = spawn(file, args, {
    env: environmentOf(t, options),
    timeout: LONGEST_MILLISECONDS,
    killSignal: 'SIGKILL',
  })
  const run: Run = { code: null, out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    run.out += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    run.err += text
  })
  child.stdin.on('error', () => child.stdin.destroy())
  const ended = new Promise<Run>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => {
      run.code = code
      resolve(run)
    })
  })
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, run, ended }
}

/** Runs a command line to its end: in a separate process if it needs one, or else in one for many. */
export async function runDaybook(t: Test, argv: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { input = '', atTerminal = false, into, ownProcess } = options
  if (!ownProcess && into === undefined) {
    const { code, out, err } = await runInHost({ argv, env: environmentOf(t, options), input, atTerminal })
    return { code, out: Buffer.from(out).toString(), err: Buffer.from(err).toString() }
  }
  const { child, ended } = startDaybook(t, argv, options)
  child.stdin.end(input)
  return ended
}

/** A home folder of the test, possibly with files, and the variables that the test sets. */
function environmentOf(t: Test, { env }: RunOptions): Record<string, string> {
  const home = existsSync(t.testdirName) ? t.testdirName : t.testdir()
  // The board's usual port may be taken by a test beside this one.
  return { PATH: process.env.PATH ?? '', HOME: home, TERM: 'xterm', BOARD_PORT: '0', ...env }
}

/** Resolves once that is so. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + LONGEST_MILLISECONDS
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`Not so in time: ${isSo}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
