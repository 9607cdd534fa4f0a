import fs, { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/** What lies on the disk of a database and its journals at one moment; absent files are missing. */
export type DiskState = ReadonlyMap<string, Buffer>

const PARTS = ['', '-journal', '-wal']
const CHANGES = ['openSync', 'writeSync', 'ftruncateSync', 'unlinkSync'] as const

type Operation = (...args: unknown[]) => unknown

/**
 * Every state in which a killed process could leave a database during `work`: the disk just before each step that
 * changes it, and at the end. What a process has written stays when it is killed, so these are all there are.
 */
export function crashStates(database: string, work: () => void): DiskState[] {
  const states: DiskState[] = []
  const table = fs as unknown as Record<string, Operation>
  const originals = CHANGES.map(name => table[name] as Operation)
  let looking = false
  const look = () => {
    looking = true
    states.push(diskState(database))
    looking = false
  }
  for (const [index, name] of CHANGES.entries()) {
    const original = originals[index] as Operation
    table[name] = (...args) => {
      if (!looking) look()
      return original(...args)
    }
  }
  try {
    work()
  } finally {
    for (const [index, name] of CHANGES.entries()) table[name] = originals[index] as Operation
  }
  states.push(diskState(database))
  return states
}

export function diskState(database: string): DiskState {
  const state = new Map<string, Buffer>()
  for (const part of PARTS) if (existsSync(`${database}${part}`)) state.set(part, readFileSync(`${database}${part}`))
  return state
}

/** Restores a state on the disk, and removes all other files of the database. */
export function restore(database: string, state: DiskState): void {
  for (const part of [...PARTS, '-shm', '.lock']) rmSync(`${database}${part}`, { recursive: true, force: true })
  for (const [part, bytes] of state) writeFileSync(`${database}${part}`, bytes)
}
