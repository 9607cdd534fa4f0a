import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Test } from 'tap'
import { CHEAP_START } from '../support/cheap-start.js'

/** How a process ended, and everything it printed. */
export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  out: string
  err: string
}

interface ChildOptions {
  env: NodeJS.ProcessEnv
  /** Root is subject to file permissions, like any other user. */
  bound?: boolean
}

/** A Node process of the test, which ends with the test at the latest. */
export interface Child {
  pid: number
  ended: Promise<Exit>
  hasEnded(): boolean
  /** Complete lines of standard output so far. */
  lines(): string[]
  /** Resolves with line number `index` of standard output, or with undefined when the process ends without it. */
  line(index: number): Promise<string | undefined>
  /** Standard error so far. */
  err(): string
  signal(name: NodeJS.Signals): void
}

/** Removes root's capability to bypass permissions. A user who must read the program still may. */
const WITHOUT_OVERRIDE = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all']

/**
 * Starts through `env`, which removes NODE_OPTIONS and becomes the process: a server that is tested from outside has to
 * be the server that people run.
 *
 * @param argv what follows `node`: options, the program's path, its arguments
 */
export function startChild(t: Test, argv: readonly string[], { env, bound = false }: ChildOptions): Child {
  const rights = bound && process.getuid?.() === 0 ? WITHOUT_OVERRIDE : []
  const child = spawn('env', ['-u', 'NODE_OPTIONS', ...rights, process.execPath, ...CHEAP_START, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  })
  const streams = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    streams.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    streams.err += text
  })
  let over = false
  const ended = once(child, 'close').then(([code, signal]): Exit => {
    over = true
    return { code, signal, ...streams }
  })
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines = () => streams.out.split('\n').slice(0, -1)
  return {
    pid: child.pid ?? 0,
    ended,
    hasEnded: () => over,
    lines,
    line: async index => {
      while (lines()[index] === undefined && !over) await Promise.race([once(child.stdout, 'data'), ended])
      return lines()[index]
    },
    err: () => streams.err,
    signal: name => {
      child.kill(name)
    },
  }
}
