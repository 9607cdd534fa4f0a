/**
 * The draft of a subscription, as the JSON to send. The form and the JSON view both edit it: the form changes the
 * members it knows and keeps the others.
 */
import type { Subscription } from '#model/subscriptions/subscription'

export type Draft = Readonly<Record<string, unknown>>

/** Props of a field that edits some members of a draft. */
export interface DraftFieldProps {
  draft: Draft
  onChange: (draft: Draft) => void
  refusal?: string | undefined
}

/** Maintained by the ledger; sending them back would restore an older state. */
const KEPT = ['capture', 'last_cursor', 'last_event_at', 'owner_user_id', 'created_at', 'updated_at']
const READING = ['api_cursor', 'poll']

/** @param ownerId the author, if the ledger would not set it */
export function newDraft(source: string, ownerId?: string): Draft {
  return { source, target: '', event_kinds: [], ...(ownerId === undefined ? {} : { owner_user_id: ownerId }) }
}

export function toDraft(subscription: Subscription): Draft {
  return Object.fromEntries(Object.entries(subscription).filter(([member]) => !KEPT.includes(member)))
}

/** @throws SyntaxError for invalid JSON, and for JSON that is not an object */
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
 * The members to send: for a stored one only those that differ, with null for removed ones, so that concurrent changes
 * by others stay.
 */
export function toSave(draft: Draft, stored?: Subscription): Draft {
  if (!stored) return draft
  const before = toDraft(stored)
  const changed = Object.entries(draft).filter(([member, value]) => !isSame(value, before[member]))
  const gone = Object.keys(before).filter(member => !Object.hasOwn(draft, member))
  return { ...Object.fromEntries(changed), ...Object.fromEntries(gone.map(member => [member, null])), id: stored.id }
}

export function isChanged(draft: Draft, stored?: Subscription): boolean {
  return !stored || Object.keys(toSave(draft, stored)).length > 1
}

export function sourceOf(draft: Draft): string {
  return text(draft.source)
}

export function targetOf(draft: Draft): string {
  return text(draft.target)
}

/** The kinds, from either of the two forms. */
export function kindsOf({ event_kinds, actions }: Draft): string[] {
  if (Array.isArray(event_kinds)) return event_kinds.filter(kind => typeof kind === 'string')
  return Array.isArray(actions) ? actions.map(action => text(Object(action).kind)).filter(kind => kind !== '') : []
}

function modesOf({ capture_modes }: Draft): string[] {
  return Array.isArray(capture_modes) ? capture_modes.filter(mode => typeof mode === 'string') : []
}

export function metadataOf({ metadata }: Draft): Readonly<Record<string, unknown>> {
  return typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata) ? { ...metadata } : {}
}

export function isPolledDraft(draft: Draft): boolean {
  return modesOf(draft).some(mode => READING.includes(mode))
}

/** Changes the source, and drops place and kinds, which are meaningless in another source. */
export function withSource(draft: Draft, source: string): Draft {
  if (sourceOf(draft) === source) return draft
  const elsewhere = withReading(withKinds(withTarget(draft, ''), []), false)
  return { ...elsewhere, source }
}

/** Changes the target, and drops the other forms of the scope, which follow from the text. */
export function withTarget(draft: Draft, target: string): Draft {
  if (target === targetOf(draft)) return draft
  return { ...without(draft, 'scope', 'filters'), target }
}

export function withKinds(draft: Draft, kinds: readonly string[]): Draft {
  return { ...without(draft, 'actions'), event_kinds: kinds }
}

export function withReading(draft: Draft, usesPolling: boolean): Draft {
  if (usesPolling === isPolledDraft(draft)) return draft
  const reading = sourceOf(draft) === 'chat' ? READING : ['poll']
  if (usesPolling) return { ...draft, capture_modes: [...modesOf(draft), ...reading] }
  const modes = modesOf(draft).filter(mode => !READING.includes(mode))
  const idleSeconds = withMetadata(draft, { interval_seconds: undefined, hot_until: undefined })
  return modes.length > 0 ? { ...idleSeconds, capture_modes: modes } : without(idleSeconds, 'capture_modes')
}

/** Undefined removes a member. */
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
