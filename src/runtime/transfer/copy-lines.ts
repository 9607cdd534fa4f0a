import { AppError } from '../../model/app-error.js'
import type { CopyPageLine, ExportEnd, ExportHeader } from '../../model/ledger-copy.js'
import type { Subscription } from '../../model/subscriptions/subscription.js'
import type { CopiedEvent } from '../../store/copy-store.js'
import type { StoredToken, StoredUser } from '../../store/user-store.js'
import { invalidLine, parseLine, readCopiedEvent } from './copied-event.js'

interface EventLine {
  kind: 'event' | 'changed'
  event: CopiedEvent
  parsed: Record<string, unknown>
}

/** One line of an export or of a page. */
export type CopyLine =
  | EventLine
  | { kind: 'page'; value: CopyPageLine }
  | { kind: 'export'; value: ExportHeader }
  | { kind: 'subscription'; value: Subscription }
  | { kind: 'user'; value: StoredUser }
  | { kind: 'token'; value: StoredToken }
  | { kind: 'end'; value: ExportEnd }

/** Members that each kind of line needs. Events are checked separately. */
const MEMBERS: Record<Exclude<CopyLine['kind'], 'event' | 'changed'>, Readonly<Record<string, string>>> = {
  export: { format: 'number', epoch: 'string', closed: 'boolean', accounts: 'boolean' },
  page: { changes: 'number', has_more: 'boolean', epoch: 'string' },
  subscription: { id: 'string', source: 'string', enabled: 'boolean' },
  user: { id: 'string', username: 'string', role: 'string', enabled: 'boolean', password_hash: 'string' },
  token: { id: 'string', user_id: 'string', digest: 'string', prefix: 'string' },
  end: { events: 'number', subscriptions: 'number', users: 'number', tokens: 'number' },
}
const CHANGED = Buffer.from('{"changed":')
const ERASED = /^\{"content_digest":"([0-9a-f]{64})","event":$/
const ERASED_BYTES = '{"content_digest":"","event":'.length + 64
const END = '}'.length

/** @param line without its line feed @throws AppError `invalid/invalid_line` */
export function readCopyLine(line: Buffer): CopyLine {
  const parsed = parseLine(line)
  if ('dedupe_key' in parsed || 'content_digest' in parsed) return { kind: 'event', ...readEventLine(line, parsed) }
  if (line.subarray(0, CHANGED.length).equals(CHANGED)) {
    const changed = line.subarray(CHANGED.length, -END)
    return { kind: 'changed', ...readEventLine(changed, parseLine(changed)) }
  }
  const [kind = ''] = Object.keys(parsed)
  const members = Object.hasOwn(MEMBERS, kind) ? MEMBERS[kind as keyof typeof MEMBERS] : undefined
  const value = parsed[kind]
  if (!members || typeof value !== 'object' || value === null) throw invalidLine('It is not a line of an export.')
  const wrong = Object.entries(members).filter(([name, type]) => typeof Reflect.get(value, name) !== type)
  if (wrong.length > 0) throw invalidLine(`Its ${kind} is not complete: ${wrong.map(([name]) => name).join(', ')}.`)
  return { kind, value } as CopyLine
}

/** As `readCopyLine`. @returns undefined for a line that is not acceptable */
export function findCopyLine(line: Buffer): CopyLine | undefined {
  try {
    return readCopyLine(line)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** An event, or a tombstone with the digest of the erased content. */
function readEventLine(line: Buffer, parsed: Record<string, unknown>): Pick<EventLine, 'event' | 'parsed'> {
  const [, digest] = ERASED.exec(line.toString('latin1', 0, ERASED_BYTES)) ?? []
  if (digest === undefined) return { event: readCopiedEvent(line, parsed, null), parsed }
  const body = line.subarray(ERASED_BYTES, -END)
  const event = parseLine(body)
  return { event: readCopiedEvent(body, event, digest), parsed: event }
}
