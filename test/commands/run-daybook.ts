import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { CHEAP_START } from '../black-box/child.js'

export interface Run {
  code: number | null
  out: string
  err: string
}

export interface RunOptions {
  /** Besides a home folder of its own. */
  env?: Record<string, string>
  /** Standard input. */
  input?: string
  /** As if a person were looking at it. */
  atTerminal?: boolean
  /** A file that takes standard output and standard error. */
  into?: string
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const AT_TERMINAL = fileURLToPath(new URL('./programs/at-terminal.js', import.meta.url))
/** Only a hang takes so long, however busy the machine. */
const LONGEST_MILLISECONDS = 120_000

/** A command line that runs as people run it, without NODE_OPTIONS, with an environment and a home of its own. */
export function startDaybook(
  t: Test,
  argv: readonly string[],
  { env = {}, atTerminal = false, into }: RunOptions = {},
) {
  const script = atTerminal ? AT_TERMINAL : `${ROOT}/bin/run.js`
  // A home of its own, which may have been furnished before.
  const home = existsSync(t.testdirName) ? t.testdirName : t.testdir()
  const program = ['env', '-u', 'NODE_OPTIONS', process.execPath, ...CHEAP_START, script, ...argv]
  const [file = '', ...args] = into === undefined ? program : ['sh', '-c', 'exec "$@" >"$0" 2>&1', into, ...program]
  const child = spawn(file, args, {
    // The board's usual port may be taken by a test beside this one.
    env: { PATH: process.env.PATH, HOME: home, TERM: 'xterm', BOARD_PORT: '0', ...env },
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

/** Runs a command line to its end. */
export function runDaybook(t: Test, argv: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { child, ended } = startDaybook(t, argv, options)
  child.stdin.end(options.input ?? '')
  return ended
}

/** Resolves once that is so. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + LONGEST_MILLISECONDS
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`Not so in time: ${isSo}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
