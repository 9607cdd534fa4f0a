import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readProcStat } from '../model/proc-stat.js'

/** How the processes of a run are told from all others. */
export interface TreeRoot {
  /** `NAME=value` in the environment of the first process, which whatever it starts inherits. */
  mark: string
  /**
   * Of the first process, which leads a session of its own. Null once that number may be somebody else's: after a
   * restart of the server.
   */
  pid: number | null
}

export interface TreeTimes {
  /** How long the processes have between SIGTERM and SIGKILL. */
  graceMs: number
  /** For how long SIGKILL is repeated at most. */
  killMs: number
  /** How often it is looked what is left. */
  lookMs: number
}

export const TREE_TIMES: TreeTimes = { graceMs: 5_000, killMs: 5_000, lookMs: 50 }

/**
 * Ends every process of a run: SIGTERM, and SIGKILL for those that are left after a while, again and again until none
 * is. That is the first process's group and session, whatever has its mark in the environment (so also what called
 * setsid or was left by its parent), and what these have started. Where there is no /proc, it is the group alone.
 *
 * @returns whether none is left
 */
export async function endTree(root: TreeRoot, times: TreeTimes = TREE_TIMES, proc = '/proc'): Promise<boolean> {
  let left = await lookFor(root, proc)
  if (isNone(left)) return true
  signal(left, 'SIGTERM')
  const graceEnds = performance.now() + times.graceMs
  while (!isNone(left) && performance.now() < graceEnds) {
    await delay(times.lookMs)
    left = await lookFor(root, proc)
  }
  const killEnds = performance.now() + times.killMs
  while (!isNone(left) && performance.now() < killEnds) {
    signal(left, 'SIGKILL')
    await delay(times.lookMs)
    left = await lookFor(root, proc)
  }
  return isNone(left)
}

/** What there is to send signals to. */
interface Targets {
  /** To a group a signal goes all at once: nothing can fork away between two of its processes. */
  groups: ReadonlySet<number>
  /** Of those that are in none of these groups. */
  pids: readonly number[]
}

interface ProcessRow {
  pid: number
  parent: number
  group: number
  session: number
  isMarked: boolean
}

async function lookFor(root: TreeRoot, proc: string): Promise<Targets> {
  const rows = await readProcesses(root.mark, proc)
  if (rows) return targetsAmong(rows, root)
  return { groups: new Set(root.pid !== null && exists(-root.pid) ? [root.pid] : []), pids: [] }
}

function targetsAmong(rows: readonly ProcessRow[], root: TreeRoot): Targets {
  const own = rows.find(row => row.pid === process.pid)
  // The first process led a session of its own, so the session of whatever is marked began with the run as well.
  const sessions = new Set(rows.filter(row => row.isMarked).map(row => row.session))
  if (root.pid !== null) sessions.add(root.pid)
  sessions.delete(own?.session ?? 0)
  const found = new Map<number, ProcessRow>()
  const isOfRun = (row: ProcessRow) => row.isMarked || sessions.has(row.session) || found.has(row.parent)
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const row of rows) if (row.pid !== process.pid && row.pid > 1 && isOfRun(row)) found.set(row.pid, row)
  }
  const groups = new Set([...found.values()].map(row => row.group).filter(group => group > 1 && group !== own?.group))
  return { groups, pids: [...found.values()].filter(row => !groups.has(row.group)).map(row => row.pid) }
}

/** Those that still run; what only waits for its parent to take note is over. Undefined where there is no /proc. */
async function readProcesses(mark: string, proc: string): Promise<ProcessRow[] | undefined> {
  const names = (await readOrNothing(() => readdir(proc)))?.filter(name => /^\d+$/.test(name))
  if (!names || names.length === 0) return undefined
  const rows: ProcessRow[] = []
  for (const name of names) {
    const stat = await readOrNothing(() => readFile(join(proc, name, 'stat'), 'latin1'))
    if (stat === undefined) continue
    const { isZombie, parent, group, session } = readProcStat(stat)
    if (isZombie) continue
    // Only for processes of this user; those of others cannot be ended anyway.
    const environment = await readOrNothing(() => readFile(join(proc, name, 'environ')))
    rows.push({ pid: Number(name), parent, group, session, isMarked: environment?.includes(mark) ?? false })
  }
  return rows
}

/** Processes come and go while they are looked at, and some may not be looked into. */
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

function exists(target: number): boolean {
  return send(target, 0)
}

/** @returns whether there was anybody */
function send(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    return error.code === 'EPERM' // of another user: it is there
  }
}
