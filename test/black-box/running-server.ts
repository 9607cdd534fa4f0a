import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { type Child, type Exit, startChild } from './child.js'
import { HttpClient } from './http-client.js'
import { ownFolder } from './own-folder.js'

/** The program, as a user starts it. */
const DAYBOOK = fileURLToPath(new URL('../../../bin/run.js', import.meta.url))

/** What a server prints once it listens. */
interface Started {
  ledger: string
  board?: string
  database: string
  pid: number
}

interface StartOptions {
  /** The database's path, or its address in PostgreSQL; without it the default path below `home` is used. */
  database?: string
  /** Used as the user's home folder; default: beside the database. */
  home?: string
  env?: Record<string, string>
  /** Further flags of `serve`. */
  flags?: readonly string[]
  /** Default 0: a free one. */
  port?: number
  /** Path of a module that is run before the program. */
  preload?: string
  /** The board is served as well, on a free port. */
  board?: boolean
  /** Root is subject to file permissions, like any other user. */
  bound?: boolean
}

/** A server that answers, in a separate process. */
export interface RunningServer {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** The same for the board, where it is served. */
  boardUrl: string | undefined
  database: string
  pid: number
  http: HttpClient
  ended: Promise<Exit>
  hasEnded(): boolean
  signal(name: NodeJS.Signals): void
  /** Stops the server, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<Exit>
  /** kill -9. */
  kill(): Promise<Exit>
  /** Its log so far. */
  log(): string
}

/** A command that failed with `--json`. */
interface Refusal extends Exit {
  error: { code: string; detail: string }
}

/** Starts the server and waits until it answers. @throws if it ends instead, with its output */
export async function startServer(t: Test, options: StartOptions): Promise<RunningServer> {
  const child = launchServer(t, options)
  const line = await child.line(0)
  if (line === undefined || !line.includes('"ledger"')) {
    const { code, signal, out, err } = await child.ended
    throw new Error(`The server did not start (code ${code}, signal ${signal}).\n${out}\n${err}`)
  }
  const { ledger, board, database, pid } = JSON.parse(line) as Started
  const http = new HttpClient(ledger)
  t.teardown(() => http.close())
  const end = (signal: NodeJS.Signals) => {
    child.signal(signal)
    return child.ended
  }
  return {
    url: ledger,
    boardUrl: board,
    database,
    pid,
    http,
    ended: child.ended,
    hasEnded: child.hasEnded,
    signal: child.signal,
    stop: (signal = 'SIGTERM') => end(signal),
    kill: () => end('SIGKILL'),
    log: child.err,
  }
}

/** Starts the server without waiting for anything. */
export function launchServer(t: Test, { port = 0, flags = [], preload, board, ...options }: StartOptions): Child {
  const programs = board ? ['--board-port', '0'] : ['--only', 'ledger']
  const args = ['serve', '--json', ...programs, '--port', String(port), ...databaseFlags(options), ...flags]
  return startDaybook(t, args, { ...options, ...(preload === undefined ? {} : { preload }) })
}

/** Starts a server that is expected to refuse. @throws if it does not */
export async function refusedStart(t: Test, options: StartOptions): Promise<Refusal> {
  const child = launchServer(t, options)
  const line = await child.line(0)
  if (line?.includes('"ledger"')) throw new Error(`The server started: ${line}`)
  return asRefusal(await child.ended)
}

/** Runs `daybook ledger status`. */
export function startStatus(t: Test, options: StartOptions & { check?: boolean }): Child {
  const check = options.check ? ['--check'] : []
  return startDaybook(t, ['ledger', 'status', '--json', ...databaseFlags(options), ...check], options)
}

/** Reads the result of a command that failed with `--json`. @throws if it did not fail */
export function asRefusal(exit: Exit): Refusal {
  const { code, signal, out, err } = exit
  if (!out.startsWith('{"error":')) throw new Error(`Not a refusal (code ${code}, signal ${signal}).\n${out}\n${err}`)
  return { ...exit, ...(JSON.parse(out) as Pick<Refusal, 'error'>) }
}

function startDaybook(t: Test, args: readonly string[], options: StartOptions): Child {
  const { preload, bound = false, database, home = isAddress(database) ? ownFolder(t) : undefined } = options
  const before = preload === undefined ? [] : ['--import', preload]
  return startChild(t, [...before, DAYBOOK, ...args], {
    env: environment({ ...options, ...(home === undefined ? {} : { home }) }),
    bound,
  })
}

/** An environment without settings of this machine, in which every file is in a folder of the test. */
export function environment({ database, home, env }: StartOptions): Record<string, string> {
  const own = home ?? join(dirname(database ?? ''), 'home')
  mkdirSync(own, { recursive: true })
  return { PATH: process.env.PATH ?? '', HOME: own, TMPDIR: own, ...env }
}

function isAddress(database: string | undefined): boolean {
  return database?.startsWith('postgres:') ?? false
}

function databaseFlags({ database }: StartOptions): string[] {
  return database === undefined ? [] : ['--db', database]
}
