import { open, rename, rm, writeFile } from 'node:fs/promises'
import { toFileError } from '../files/file-error.js'
import { ifPresent } from '../files/file-system.js'
import { realDatabase } from './database-path.js'
import type { FileIds } from './found-files.js'
import type { ProcessIdentity } from './process-identity.js'

/** A `server` stays; a `command` is done in a moment, so waiting for it makes sense. */
export type OwnerRole = 'server' | 'command'

/** The content of `<database>.owner`: the one process that has the ledger open. */
export interface OwnerRecord extends ProcessIdentity {
  /** Sixteen hexadecimal digits, new for each ownership. */
  nonce: string
  role: OwnerRole
  /** Path of its local socket, as the owner sees it. */
  socket?: string
  /** The address of its server, such as `http://127.0.0.1:8765`, once it listens. */
  address?: string
  /** When it took the ledger: UTC text with six fraction digits. */
  since: string
  /** The files that it has open; until it has opened them, those of the former owner if that did not release them. */
  files?: FileIds
  /** The files that it found in place of those that it had opened. */
  lost?: FileIds
}

/** The state of an owner file. `record` is absent if this program did not write the file, or not completely. */
export interface OwnerState {
  record: OwnerRecord | undefined
  /** Changes whenever the file is replaced and with each heartbeat of its owner. */
  fingerprint: string
}

const MAX_BYTES = 16_384
const TEMPORARY = /^[0-9a-f]{16}\.tmp$/

/**
 * The recorded owner of `database` (any spelling of its path), running or not: see `liveness`. `undefined` if there is no
 * record, or an unreadable one.
 *
 * @throws AppError as `realDatabase`; as `toFileError`
 */
export async function readOwner(database: string): Promise<OwnerRecord | undefined> {
  const real = await realDatabase(database)
  try {
    return (await readOwnerState(real))?.record
  } catch (error) {
    throw toFileError(error, database)
  }
}

/** @param database real path */
export async function readOwnerState(database: string): Promise<OwnerState | undefined> {
  const file = await ifPresent(open(ownerFile(database), 'r'))
  if (!file) return undefined
  try {
    const { ino, mtimeNs, size } = await file.stat({ bigint: true })
    const text = size > MAX_BYTES ? '' : await file.readFile('utf8')
    return { record: parseOwner(text), fingerprint: `${ino}:${mtimeNs}` }
  } finally {
    await file.close()
  }
}

/** Replaces the owner file in one step: a reader finds the old one or the new one, both complete. */
export async function writeOwner(database: string, record: OwnerRecord): Promise<void> {
  const temporary = `${ownerFile(database)}.${record.nonce}.tmp`
  try {
    await writeFile(temporary, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'w' })
    await rename(temporary, ownerFile(database))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Whether `suffix`, what follows `<database>.owner.` in a file's name, is that of a half-written owner file. */
export function isTemporary(suffix: string): boolean {
  return TEMPORARY.test(suffix)
}

export function ownerFile(database: string): string {
  return `${database}.owner`
}

/** Reads the text of an owner file; `undefined` for anything that this program did not write. */
export function parseOwner(text: string): OwnerRecord | undefined {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null) return undefined
  const fields = value as Record<string, unknown>
  const { pid, started, machine, boot, namespace, nonce, role, socket, address, since, files, lost } = fields
  if (!isPid(pid) || !isText(started) || !isText(machine) || !isText(boot) || !isText(namespace)) return undefined
  if (!isText(nonce) || !isText(since) || (role !== 'server' && role !== 'command')) return undefined
  return {
    pid,
    started,
    machine,
    boot,
    namespace,
    nonce,
    role,
    ...(isText(socket) ? { socket } : {}),
    ...(isText(address) ? { address } : {}),
    since,
    ...(isFileIds(files) ? { files } : {}),
    ...(isFileIds(lost) ? { lost } : {}),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // treated like any other text that is not an owner record
  }
}

function isPid(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function isFileIds(value: unknown): value is FileIds {
  if (typeof value !== 'object' || value === null) return false
  const { database, journal } = value as Record<string, unknown>
  return [database, journal].every(id => id === null || isText(id))
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0
}
