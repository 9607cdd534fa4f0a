import { rm } from 'node:fs/promises'

/** Suffixes of the files that SQLite keeps beside a database. */
const BESIDE = ['-wal', '-journal', '-shm']

/** Removes a copy of a database, in any state in which a killed process may have left it. */
export async function removeCopy(copy: string): Promise<void> {
  await rm(copy, { force: true })
  await removeBeside(copy)
}

/** Removes what SQLite keeps beside a copy, which must be complete without its WAL, and which no program has open. */
export async function removeBeside(copy: string): Promise<void> {
  for (const suffix of BESIDE) await rm(`${copy}${suffix}`, { force: true })
  await rm(`${copy}.lock`, { recursive: true, force: true }) // node-sqlite3-wasm's, a folder
}
