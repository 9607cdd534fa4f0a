import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readProcStat } from '../model/proc-stat.js'

/** What identifies the processes of a run. */
interface TreeRoot {
  /** `NAME=value` in the environment of the first process; the processes that it starts inherit it. */
  mark: string
  /**
   * The first process, which leads its own session. Null after a restart of the server, because another process may
   * have that number by then.
   */
  pid: number | null
}

export interface TreeTimes {
  /** How long the processes have between SIGTERM and SIGKILL. */
  graceMs: number
  /** The longest time for which SIGKILL is repeated. */
  killMs: number
  /** Interval between checks for remaining processes. */
  pollMs: number
}

export const TREE_TIMES: TreeTimes = { graceMs: 5_000, killMs: 5_000, pollMs: 50 }

/**
 * Ends every process of a run: SIGTERM, then SIGKILL repeatedly until none is left. This covers the group and session
 * of the first process, all processes with its mark in the environment (even if they called setsid or lost their
 * parent), and all processes that these have started. Without /proc, only the group is ended.
 *
 * @returns whether none is left
 */
export async function endTree(root: TreeRoot, times: TreeTimes = TREE_TIMES, proc = '/proc'): Promise<boolean> {
  let left = await findTargets(root, proc)
  if (isNone(left)) return true
  signal(left, 'SIGTERM')
  const graceEnds = performance.now() + times.graceMs
  while (!isNone(left) && performance.now() < graceEnds) {
    await delay(times.pollMs)
    left = await findTargets(root, proc, left)
  }
  const killEnds = performance.now() + times.killMs
  while (!isNone(left) && performance.now() < killEnds) {
    signal(left, 'SIGKILL')
    await delay(times.pollMs)
    left = await findTargets(root, proc, left)
  }
  return isNone(left)
}

/** Groups and processes that receive the signals. */
interface Targets {
  /** A signal reaches all processes of a group together, so none can fork in between. */
  groups: ReadonlySet<number>
  /** Processes outside these groups. */
  pids: readonly number[]
  /** All of them; none without /proc. */
  processes: readonly ProcessRow[]
}

interface ProcessRow {
  pid: number
  /** Start time: another process may have the number later. */
  started: string
  parent: number
  group: number
  session: number
  isMarked: boolean
}

/** @param earlier found before: a process that is being killed has no environment any more, a moment before it is gone */
async function findTargets(root: TreeRoot, proc: string, earlier?: Targets): Promise<Targets> {
  const rows = await readProcesses(root.mark, proc)
  if (rows) return targetsAmong(rows, root, earlier?.processes ?? [])
  return { groups: new Set(root.pid !== null && isThere(-root.pid) ? [root.pid] : []), pids: [], processes: [] }
}

function targetsAmong(rows: readonly ProcessRow[], root: TreeRoot, earlier: readonly ProcessRow[]): Targets {
  const own = rows.find(row => row.pid === process.pid)
  // The first process led its own session, so the session of any marked process began with the run as well.
  const sessions = new Set(rows.filter(row => row.isMarked).map(row => row.session))
  if (root.pid !== null) sessions.add(root.pid)
  sessions.delete(own?.session ?? 0)
  const found = new Map<number, ProcessRow>()
  const wasFound = (row: ProcessRow) => earlier.some(({ pid, started }) => pid === row.pid && started === row.started)
  const isOfRun = (row: ProcessRow) =>
    row.isMarked || sessions.has(row.session) || found.has(row.parent) || wasFound(row)
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const row of rows) if (row.pid !== process.pid && row.pid > 1 && isOfRun(row)) found.set(row.pid, row)
  }
  const processes = [...found.values()]
  const groups = new Set(processes.map(row => row.group).filter(group => group > 1 && group !== own?.group))
  const pids = processes.filter(row => !groups.has(row.group)).map(row => row.pid)
  return { groups, pids, processes }
}

/** The running processes, without zombies. Undefined without /proc. */
async function readProcesses(mark: string, proc: string): Promise<ProcessRow[] | undefined> {
  const names = (await readOrNothing(() => readdir(proc)))?.filter(name => /^\d+$/.test(name))
  if (!names || names.length === 0) return undefined
  const rows: ProcessRow[] = []
  for (const name of names) {
    const stat = await readOrNothing(() => readFile(join(proc, name, 'stat'), 'latin1'))
    if (stat === undefined) continue
    const { isZombie, started, parent, group, session } = readProcStat(stat)
    if (isZombie) continue
    // Readable only for processes of this user; others cannot be ended anyway.
    const environment = await readOrNothing(() => readFile(join(proc, name, 'environ')))
    const isMarked = environment?.includes(mark) ?? false
    rows.push({ pid: Number(name), started, parent, group, session, isMarked })
  }
  return rows
}

/** Processes may end while they are read, and some are not readable. */
async function readOrNothing<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

function isNone({ groups, pids }: Targets): boolean {
  return groups.size === 0 && pids.length === 0
}

function signal({ groups, pids }: Targets, name: 'SIGTERM' | 'SIGKILL'): void {
  for (const group of groups) send(-group, name)
  for (const pid of pids) send(pid, name)
}

function isThere(target: number): boolean {
  return send(target, 0)
}

/** @returns whether the target exists */
function send(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    return error.code === 'EPERM' // it exists, and belongs to another user
  }
}
