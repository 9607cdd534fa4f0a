/**
 * A subscription that is being written, as the JSON that is sent. The form and the JSON view are two views of it: the form
 * changes the members that it knows, and leaves the others as they are.
 */
import type { Subscription } from '../../shared/wire.js'

export type Draft = Readonly<Record<string, unknown>>

/** The ledger keeps these itself; sent back they would put an older state in place of the present one. */
const KEPT = ['capture', 'last_cursor', 'last_event_at', 'owner_user_id', 'created_at', 'updated_at']
const READING = ['api_cursor', 'poll']

/** @param ownerId whoever writes it, where the ledger would not know by itself */
export function newDraft(source: string, ownerId?: string): Draft {
  return { source, target: '', event_kinds: [], ...(ownerId === undefined ? {} : { owner_user_id: ownerId }) }
}

/** What may be changed of a subscription. */
export function toDraft(subscription: Subscription): Draft {
  return Object.fromEntries(Object.entries(subscription).filter(([member]) => !KEPT.includes(member)))
}

/** @throws SyntaxError for what is no JSON, and for JSON that is no object */
export function readDraft(json: string): Draft {
  const value: unknown = JSON.parse(json)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SyntaxError('A subscription is an object: it begins with { and ends with }.')
  }
  return value as Draft
}

export function writeDraft(draft: Draft): string {
  return JSON.stringify(draft, null, 2)
}

/**
 * What is sent to save it: of a stored one the members that differ, those that are gone as null, so that what others
 * changed meanwhile stays.
 */
export function toSave(draft: Draft, stored?: Subscription): Draft {
  if (!stored) return draft
  const before = toDraft(stored)
  const changed = Object.entries(draft).filter(([member, value]) => !isSame(value, before[member]))
  const gone = Object.keys(before).filter(member => !Object.hasOwn(draft, member))
  return { ...Object.fromEntries(changed), ...Object.fromEntries(gone.map(member => [member, null])), id: stored.id }
}

/** Whether saving it would change something. */
export function isChanged(draft: Draft, stored?: Subscription): boolean {
  return !stored || Object.keys(toSave(draft, stored)).length > 1
}

export function sourceOf(draft: Draft): string {
  return text(draft.source)
}

export function targetOf(draft: Draft): string {
  return text(draft.target)
}

/** Which kinds, whichever of the two forms says so. */
export function kindsOf({ event_kinds, actions }: Draft): string[] {
  if (Array.isArray(event_kinds)) return event_kinds.filter(kind => typeof kind === 'string')
  return Array.isArray(actions) ? actions.map(action => text(Object(action).kind)).filter(kind => kind !== '') : []
}

export function modesOf({ capture_modes }: Draft): string[] {
  return Array.isArray(capture_modes) ? capture_modes.filter(mode => typeof mode === 'string') : []
}

export function metadataOf({ metadata }: Draft): Readonly<Record<string, unknown>> {
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? { ...metadata } : {}
}

/** Whether it is to be read from its platform again and again. */
export function isToBeRead(draft: Draft): boolean {
  return modesOf(draft).some(mode => READING.includes(mode))
}

/** What was said of a place and of kinds in another source means nothing here. */
export function withSource(draft: Draft, source: string): Draft {
  if (sourceOf(draft) === source) return draft
  const elsewhere = withReading(withKinds(withTarget(draft, ''), []), false)
  return { ...elsewhere, source }
}

/** The other forms of a scope follow from the text. */
export function withTarget(draft: Draft, target: string): Draft {
  if (target === targetOf(draft)) return draft
  return { ...without(draft, 'scope', 'filters'), target }
}

export function withKinds(draft: Draft, kinds: readonly string[]): Draft {
  return { ...without(draft, 'actions'), event_kinds: kinds }
}

export function withReading(draft: Draft, isRead: boolean): Draft {
  if (isRead === isToBeRead(draft)) return draft
  if (isRead) return { ...draft, capture_modes: [...modesOf(draft), ...READING] }
  const modes = modesOf(draft).filter(mode => !READING.includes(mode))
  const cooled = withMetadata(draft, { interval_seconds: undefined, hot_until: undefined })
  return modes.length > 0 ? { ...cooled, capture_modes: modes } : without(cooled, 'capture_modes')
}

/** Undefined takes a member away. */
export function withMetadata(draft: Draft, changes: Readonly<Record<string, unknown>>): Draft {
  const metadata = Object.fromEntries(
    Object.entries({ ...metadataOf(draft), ...changes }).filter(([, value]) => value !== undefined),
  )
  return Object.keys(metadata).length > 0 ? { ...draft, metadata } : without(draft, 'metadata')
}

/** @param expiresAt an instant; undefined for one without end */
export function withEnd(draft: Draft, expiresAt: string | undefined): Draft {
  return withMetadata(draft, { expires_at: expiresAt, temporary: expiresAt === undefined ? undefined : true })
}

function without(draft: Draft, ...members: readonly string[]): Draft {
  return Object.fromEntries(Object.entries(draft).filter(([member]) => !members.includes(member)))
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Of values that JSON can say; the order of members means nothing. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, member]) => [name, sorted(member)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}
