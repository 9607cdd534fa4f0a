import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { AppError } from '../../../model/app-error.js'
import { type ProcStat, readProcStat } from '../../../model/proc-stat.js'
import { isErrno } from '../files/file-system.js'

/**
 * Identifies a process and its machine, so that a later reader can determine whether it still runs. A pid alone is not
 * enough: it is reused, and it means nothing in another container or after a reboot.
 */
export interface ProcessIdentity {
  pid: number
  /** Start time as the system writes it, letters and digits: with `pid` and `boot` it is unique. */
  started: string
  /** Twelve hexadecimal digits for the machine (its id and host name). */
  machine: string
  /** Twelve hexadecimal digits for this boot; those of `machine` if the system has no boot id. */
  boot: string
  /** Number of the pid namespace (Linux); `0` where there are none. */
  namespace: string
}

/** `elsewhere`: it is not visible here (another container or machine), so its pid means nothing. */
type Liveness = 'alive' | 'dead' | 'elsewhere'

/** `hidden`: it exists, but the system does not show its start time to this user. */
type ProcessState = Pick<ProcStat, 'started' | 'isZombie'> | 'gone' | 'hidden'

/** @throws AppError `configuration/process_unreadable` if neither /proc nor `ps` shows when this process started */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const [machineId, bootId, namespaceLink, state] = await Promise.all([
    readOptional(() => readFile('/etc/machine-id', 'utf8')),
    readOptional(() => readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
    readOptional(() => readlink('/proc/self/ns/pid')),
    processState(process.pid),
  ])
  if (state === 'gone' || state === 'hidden') {
    throw new AppError('configuration', 'process_unreadable', 'The start time of this process cannot be read.', {
      hint: 'Mount /proc, or install ps: the start time distinguishes the owner of a ledger from a reused process id.',
    })
  }
  // The host name as well: machines from one image may share the machine id.
  const machine = shortDigest(`${machineId.trim()}\n${hostname()}`)
  return {
    pid: process.pid,
    started: state.started,
    machine,
    boot: bootId.trim() === '' ? machine : shortDigest(bootId.trim()),
    namespace: /\d+/.exec(namespaceLink)?.[0] ?? '0',
  }
}

/** Whether the process `of` still runs, as seen by the process `seenBy`. */
export async function liveness(of: ProcessIdentity, seenBy: ProcessIdentity): Promise<Liveness> {
  if (of.boot === seenBy.boot && of.namespace === seenBy.namespace) {
    const state = await processState(of.pid)
    if (state === 'gone') return 'dead'
    if (state === 'hidden') return 'elsewhere'
    return state.isZombie || state.started !== of.started ? 'dead' : 'alive'
  }
  return of.machine === seenBy.machine && of.boot !== seenBy.boot ? 'dead' : 'elsewhere'
}

/** The state of a process of this pid namespace, from /proc where there is one, else from `ps`. */
export async function processState(pid: number, platform: string = process.platform): Promise<ProcessState> {
  return platform === 'linux' ? stateFromProc(pid) : stateFromPs(pid)
}

async function stateFromProc(pid: number): Promise<ProcessState> {
  try {
    return readProcStat(await readFile(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) throw error
  }
  // With hidepid the files of other users' processes look absent, so a second source has to confirm the absence.
  return isInUse(pid) ? 'hidden' : 'gone'
}

function isInUse(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !isErrno(error, 'ESRCH')
  }
}

async function stateFromPs(pid: number): Promise<ProcessState> {
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], { env })
    const [state = '', ...started] = stdout.trim().split(/\s+/)
    return {
      isZombie: state.startsWith('Z'),
      started: started
        .join('')
        .replace(/[^0-9A-Za-z]/g, '')
        .toLowerCase(),
    }
  } catch (error) {
    // `ps` exits with 1 for an unknown pid. If `ps` cannot be started, nothing is known about the process.
    if ((error as { code?: unknown }).code === 1) return 'gone'
    return isInUse(pid) ? 'hidden' : 'gone'
  }
}

async function readOptional(read: () => Promise<string>): Promise<string> {
  try {
    return await read()
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'EACCES', 'EPERM', 'EINVAL', 'ENOTDIR')) return ''
    throw error
  }
}

function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
