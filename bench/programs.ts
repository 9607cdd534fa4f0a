import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ChatPlace, ChatPlan } from './chat-plan.js'
import { ChildLines } from './child-lines.js'
import type { GreedyPlan, GreedyResult } from './greedy-clients.js'
import type { LoadPlan, LoadResult } from './load-plan.js'
import type { TimesSummary } from './statistics.js'
import type { WalkPlan, WalkResult } from './walk-plan.js'
import { endProcess, type Workspace } from './workspace.js'

/** A server in its own process. */
export interface RunningServer {
  port: number
  pid: number
  /** Milliseconds from starting the process until it listened. */
  readyMs: number
  stop(): Promise<void>
}

/** A program that has prepared itself. */
interface Prepared<Result> {
  run(): Promise<Result>
}

/** Bytes of heap: at the maximum number of entries, and after many times as many were added. */
export interface AccountMemory {
  sessions: { atBound: number; beyond: number }
  throttle: { atBound: number; beyond: number }
}

/** Milliseconds that one call of the board's session store takes with 1,024 live sessions. */
export type SessionStoreTimes = Record<'login' | 'check' | 'purge', TimesSummary>

/** The command line program. */
export const DAYBOOK = fileURLToPath(new URL('../../bin/run.js', import.meta.url))

/** Starts `daybook serve` on the ledger in `folder`, on a free port, with default settings except those given. */
export async function startLedger(
  workspace: Workspace,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const args = [
    DAYBOOK,
    'serve',
    ...(settings.EVENT_DB === undefined ? ['--db', `${folder}/events.db`] : []),
    ...['--port', '0', '--only', 'ledger', '--log-level', 'warn', '--json'],
  ]
  const readPort = (line: string) => {
    const { ledger } = JSON.parse(line) as { ledger: string }
    return Number(new URL(ledger).port)
  }
  return startServer(workspace, { args, name: 'The ledger', readPort, settings })
}

/** Starts `daybook serve --only board` with its files in `folder`, on a free port. */
export async function startBoard(
  workspace: Workspace,
  folder: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const args = [DAYBOOK, 'serve', '--only', 'board', '--port', '0', '--log-level', 'warn', '--json']
  const readPort = (line: string) => Number(new URL((JSON.parse(line) as { board: string }).board).port)
  return startServer(workspace, { args, name: 'The board', readPort, settings: { BOARD_HOME: folder, ...settings } })
}

/** Starts a backend that answers `GET /api/large` with that many bytes. */
export async function startLargeBackend(workspace: Workspace, bytes: number): Promise<RunningServer> {
  const readPort = (line: string) => (JSON.parse(line) as { port: number }).port
  const args = [pathOf('large-backend'), String(bytes)]
  return startServer(workspace, { args, name: 'The backend', readPort, settings: {} })
}

/** Times of the calls of the board's session store for a login, a request and a logout. */
export async function sessionStoreTimes(workspace: Workspace): Promise<SessionStoreTimes> {
  const args = [pathOf('session-store'), await workspace.folder('sessions')]
  return JSON.parse(
    await workspace.run(process.execPath, args, { env: await cleanEnvironment(workspace) }),
  ) as SessionStoreTimes
}

export async function startYardstick(workspace: Workspace): Promise<RunningServer> {
  const readPort = (line: string) => (JSON.parse(line) as { port: number }).port
  return startServer(workspace, { args: [pathOf('yardstick')], name: 'The yardstick server', readPort, settings: {} })
}

/** Starts a simulated chat platform. */
export async function startChat(
  workspace: Workspace,
  plan: ChatPlan,
): Promise<{ place: ChatPlace; stop: () => Promise<void> }> {
  const args = [pathOf('chat'), JSON.stringify(plan)]
  const env = await cleanEnvironment(workspace)
  const child = workspace.start(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const place = JSON.parse(await new ChildLines(child, 'The chat server').next()) as ChatPlace
  return { place, stop: () => endProcess(child) }
}

/** Memory that sessions and the login throttle use. */
export async function accountMemory(workspace: Workspace): Promise<AccountMemory> {
  const args = ['--expose-gc', pathOf('account-memory')]
  return JSON.parse(
    await workspace.run(process.execPath, args, { env: await cleanEnvironment(workspace) }),
  ) as AccountMemory
}

/** Starts clients that take more than their share. Resolves once all have been started. */
export async function startGreedyClients(
  workspace: Workspace,
  plan: GreedyPlan,
): Promise<{ stop: () => Promise<Record<string, GreedyResult>> }> {
  const { run } = await prepare<Record<string, GreedyResult>>(workspace, 'greedy-clients', plan)
  return { stop: run }
}

/** Runs a load generator. @throws if an answer was not 2xx */
export async function runLoad(workspace: Workspace, plan: LoadPlan): Promise<LoadResult> {
  const load = await prepareLoad(workspace, plan)
  return load.run()
}

/** Starts a load generator, which prepares its requests and waits. */
export async function prepareLoad(workspace: Workspace, plan: LoadPlan): Promise<Prepared<LoadResult>> {
  const prepared = await prepare<LoadResult>(workspace, 'load', plan)
  return {
    run: async () => {
      const result = await prepared.run()
      const { refused, failed } = result
      if ((refused === 0 || plan.mayRefuse) && failed === 0) return result
      throw new Error(`Of the requests ${refused} were refused and ${failed} had no answer.`)
    },
  }
}

/** Reads pages of events. */
export async function runWalk(workspace: Workspace, plan: WalkPlan): Promise<WalkResult> {
  const walk = await prepare<WalkResult>(workspace, 'walk', plan)
  return walk.run()
}

/**
 * The environment of the programs that are measured: their own home folder, and no settings of the user who measures.
 */
export async function cleanEnvironment(workspace: Workspace): Promise<Record<string, string>> {
  return { HOME: await workspace.home(), LANG: 'C.UTF-8' }
}

/** Resident memory of a process in MB (10⁶ bytes), where the system reports it. */
export async function residentMegabytes(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kibibytes === undefined ? undefined : (Number(kibibytes) * 1024) / 1e6
}

interface ServerProgram {
  args: readonly string[]
  name: string
  readPort: (line: string) => number
  settings: Readonly<Record<string, string>>
}

async function startServer(
  workspace: Workspace,
  { args, name, readPort, settings }: ServerProgram,
): Promise<RunningServer> {
  const env = { ...(await cleanEnvironment(workspace)), ...settings }
  const startedAt = performance.now()
  const child = workspace.start(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const line = await new ChildLines(child, name).next()
  const readyMs = performance.now() - startedAt
  return { port: readPort(line), pid: child.pid ?? 0, readyMs, stop: () => endProcess(child) }
}

async function prepare<Result>(workspace: Workspace, program: string, plan: unknown): Promise<Prepared<Result>> {
  const child = workspace.start(process.execPath, [pathOf(program), JSON.stringify(plan)], {
    env: await cleanEnvironment(workspace),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lines = new ChildLines(child, `The program ${program}`)
  await lines.next()
  return {
    run: async () => {
      child.stdin?.end('go\n')
      return JSON.parse(await lines.next()) as Result
    },
  }
}

function pathOf(program: string): string {
  return fileURLToPath(new URL(`./programs/${program}.js`, import.meta.url))
}
