import { open, readdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ifPresent } from '../files/file-system.js'
import { isTemporary, ownerFile } from './owner-record.js'
import type { ProcessIdentity } from './process-identity.js'

/**
 * The claim of a candidate in the election of the owner: an empty file next to the database whose *name* identifies the process. A
 * name appears complete or not at all, so no process ever reads half a claim.
 */
export interface Claim extends ProcessIdentity {
  nonce: string
}

const SUFFIX = /^(\d{1,15})\.([0-9a-z]+)\.([0-9a-f]{12})\.([0-9a-f]{12})\.(\d+)\.([0-9a-f]{16})\.claim$/

/** The files of an election, next to a database. */
interface ElectionFiles {
  claims: Claim[]
  /** Paths of owner files that were never finished. */
  temporaries: string[]
}

export async function listElection(database: string): Promise<ElectionFiles> {
  const folder = dirname(database)
  const prefix = `${basename(ownerFile(database))}.`
  const found: ElectionFiles = { claims: [], temporaries: [] }
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue
    const suffix = name.slice(prefix.length)
    const claim = parseClaim(suffix)
    if (claim !== undefined) found.claims.push(claim)
    else if (isTemporary(suffix)) found.temporaries.push(join(folder, name))
  }
  return found
}

export async function placeClaim(database: string, claim: Claim): Promise<void> {
  await (await open(claimFile(database, claim), 'wx', 0o600)).close()
}

/** Removes the claim of this process or of a dead one. @returns whether it still existed */
export async function removeClaim(database: string, claim: Claim): Promise<boolean> {
  const removed = unlink(claimFile(database, claim)).then(() => true)
  return (await ifPresent(removed)) ?? false
}

/** Reads what follows `<database>.owner.` in a file's name. */
export function parseClaim(suffix: string): Claim | undefined {
  const [, pid, started, machine, boot, namespace, nonce] = SUFFIX.exec(suffix) ?? []
  if (!pid || !started || !machine || !boot || !namespace || !nonce) return undefined
  return { pid: Number(pid), started, machine, boot, namespace, nonce }
}

export function claimFile(database: string, claim: Claim): string {
  const { pid, started, machine, boot, namespace, nonce } = claim
  return `${ownerFile(database)}.${[pid, started, machine, boot, namespace, nonce].join('.')}.claim`
}
