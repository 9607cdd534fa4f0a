/**
 * Completes the bodies of an older ledger. Of an older body, it is only certain that it is a JSON object. A value of a
 * wrong type is converted if that keeps its meaning; otherwise it is left out.
 */
import { actionOfKind } from '../../../model/events/action.js'
import type { TargetNode } from '../../../model/events/event.js'
import { isObject } from '../../../model/json-object.js'
import { type Micros, readTimestamp, toTimestamp } from '../../../model/timestamp.js'

export type OlderBody = Record<string, unknown>

/** 2200-01-01: a later instant is a mistake, and would leave no room for the events that follow. */
const LATEST: Micros = 7_258_118_400_000_000

/** Events without a usable `captured_at` come first. */
export function olderCapturedAt(body: OlderBody): Micros {
  try {
    const { micros } = readTimestamp('captured_at', body.captured_at)
    return micros < LATEST ? Math.max(1, micros) : 1
  } catch {
    return 1
  }
}

/** @param rowid of the older row, in place of an identity that is missing in the body */
export function completeOlderEvent(body: OlderBody, rowid: number, capturedUs: Micros) {
  const capturedAt = toTimestamp(capturedUs)
  const kind = identifierOr(body.kind, 'unknown')
  const subjectId = identifierOr(body.subject_id, String(rowid))
  const subjectType = textOr(body.subject_type, kind.split('.')[0] || kind)
  const actor = asObject(body.actor, 'id')
  const { object_type, verb } = actionOfKind(kind)
  return {
    ...withoutNulls(body),
    dedupe_key: identifierOr(body.dedupe_key, `older:${rowid}`),
    kind,
    subject_id: subjectId,
    subject_type: subjectType,
    action: { kind, object_type: object_type || subjectType, verb, metadata: {}, ...asObject(body.action, 'verb') },
    actor: {
      ...actor,
      id: textOr(actor.id, ''),
      display: textOr(actor.display, ''),
      metadata: asObject(actor.metadata),
    },
    actor_role: textOr(body.actor_role, ''),
    target: asNode(body.target) ?? { type: subjectType, key: `${subjectType}:${subjectId}` },
    conversation: asObject(body.conversation, 'text'),
    source: identifierOr(body.source, 'api'),
    occurred_at: textOr(body.occurred_at, '') || null,
    payload: asObject(body.payload, 'value'),
    subscription_ids: asTexts(body.subscription_ids),
    provenance: { route: 'import', verified: 'none', ...asObject(body.provenance) },
    last_seen_at: textOr(body.last_seen_at, capturedAt),
    captured_at: capturedAt,
    seen_count: Number.isSafeInteger(body.seen_count) && Number(body.seen_count) > 0 ? Number(body.seen_count) : 1,
  }
}

/** @param rowid of the older row */
export function completeOlderSubscription(body: OlderBody, rowid: number, now: string) {
  const actions = (Array.isArray(body.actions) ? body.actions : [])
    .map(action => asObject(action, 'kind'))
    .filter(action => typeof action.kind === 'string')
    .map(action => ({ ...actionOfKind(String(action.kind)), ...action }))
  const kinds = asTexts(body.event_kinds)
  return {
    ...withoutNulls(body),
    id: identifierOr(body.id, `sub_older_${rowid}`),
    source: textOr(body.source, 'api'),
    target: textOr(body.target, ''),
    scope: asNode(body.scope) ?? {},
    actions: actions.length > 0 ? actions : kinds.map(actionOfKind),
    event_kinds: kinds.length > 0 ? kinds : asTexts(actions.map(action => action.kind)),
    capture_modes: asTexts(body.capture_modes),
    filters: asObject(body.filters),
    metadata: asObject(body.metadata),
    enabled: body.enabled !== false && body.enabled !== 0,
    last_cursor: textOr(body.last_cursor, '') || null,
    last_event_at: textOr(body.last_event_at, '') || null,
    owner_user_id: identifierOr(body.owner_user_id, '') || null,
    created_at: textOr(body.created_at, now),
    updated_at: textOr(body.updated_at, now),
  }
}

function textOr(value: unknown, otherwise: string): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : otherwise
}

/** A text for a column: the driver would cut it at a NUL, or at half of a surrogate pair. */
function identifierOr(value: unknown, otherwise: string): string {
  return textOr(value, otherwise).replace(/[\0\p{Cs}]/gu, '\ufffd')
}

/** A single text counts as a list of one. */
function asTexts(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.map(one => textOr(one, '')).filter(text => text !== '')
}

/** @param name under which a value that is not an object is kept; without one it is left out */
function asObject(value: unknown, name?: string): OlderBody {
  if (isObject(value)) return value
  return name === undefined || value === undefined || value === null ? {} : { [name]: value }
}

function asNode(value: unknown): TargetNode | undefined {
  if (value === undefined || value === null) return undefined
  const { type, key, display, url, metadata, parent, ...others } = asObject(value, 'key')
  const node: TargetNode = { ...others }
  for (const [name, text] of Object.entries({ type, key, display, url })) {
    const value = textOr(text, '')
    if (value) Object.assign(node, { [name]: value })
  }
  if (metadata !== undefined && metadata !== null) node.metadata = asObject(metadata)
  const carrier = asNode(parent)
  return carrier ? { ...node, parent: carrier } : node
}

function withoutNulls(body: OlderBody): OlderBody {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}
