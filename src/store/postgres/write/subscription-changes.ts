import { isObject } from '../../../model/json-object.js'
import type { CaptureState, Subscription } from '../../../model/subscriptions/subscription.js'
import { type Micros, toTimestamp } from '../../../model/timestamp.js'
import { mergeCapture } from '../../rows/stored-subscription.js'
import type { Connection, Row, Statement } from '../connection/connection.js'
import { isStorable, textArray } from '../connection/text-array.js'

/** A change that a group of events makes in a subscription. */
export type SubscriptionChange = { id: string } & (
  | { moved: { at: Micros; cursor?: string } }
  /** A stored event was marked with it. */
  | { markedAt: Micros }
  | { captured: CaptureState; cursor?: string | undefined }
)

type Body = Pick<Subscription, 'last_event_at' | 'last_cursor' | 'capture'>

const HOLD = /* sql */ `
  SELECT id, body FROM subscriptions WHERE id = ANY ($1::text[]) ORDER BY id FOR UPDATE`
const SAVE = /* sql */ `
  UPDATE subscriptions SET body = changed.body
  FROM unnest($1::text[], $2::text[]) AS changed (id, body) WHERE subscriptions.id = changed.id`
const NEXT_VERSION = /* sql */ `UPDATE subscription_version SET version = version + 1 RETURNING version`
const SET_VERSION = /* sql */ `UPDATE subscriptions SET version = $1 WHERE id = ANY ($2::text[])`

export interface ChangedSubscriptions {
  bodies: { id: string; body: string }[]
  /**
   * Subscriptions that now match other events: capture has found their place under another name, or on another server.
   */
  rematched: string[]
}

/** Locks stored subscriptions until the end of the caller's transaction. @returns their rows, without deleted ones */
export async function lockSubscriptions(connection: Connection, ids: readonly string[]): Promise<Row[]> {
  const storable = ids.filter(isStorable)
  return storable.length === 0 ? [] : connection.run(HOLD, textArray(storable))
}

/**
 * Applies changes to stored subscriptions. A deleted subscription stays deleted, and one that is not JSON stays as it is.
 *
 * @param rows from `lockSubscriptions`
 */
export function changeSubscriptions(
  rows: readonly Row[],
  changes: readonly SubscriptionChange[],
): ChangedSubscriptions {
  const bodies = new Map(rows.map(row => [String(row.id), parse(String(row.body))]))
  const changed = new Map<string, Body>()
  const rematched = new Set<string>()
  for (const change of changes) {
    const body = bodies.get(change.id)
    if (!body) continue
    const before = captureTargetOf(body)
    apply(body, change)
    changed.set(change.id, body)
    if (captureTargetOf(body) !== before) rematched.add(change.id)
  }
  return { bodies: [...changed].map(([id, body]) => ({ id, body: JSON.stringify(body) })), rematched: [...rematched] }
}

/** The statements that save changed subscriptions. */
export function saveStatements({ bodies }: ChangedSubscriptions): Statement[] {
  if (bodies.length === 0) return []
  return [[SAVE, textArray(bodies.map(({ id }) => id)), textArray(bodies.map(({ body }) => body))]]
}

/** Notifies all servers to read these subscriptions again. The caller's transaction holds the row of the version. */
export async function announceChanges(connection: Connection, ids: readonly string[]): Promise<void> {
  const [row] = await connection.run(NEXT_VERSION)
  await connection.run(SET_VERSION, Number(row?.version), textArray(ids))
}

function apply(body: Body, change: SubscriptionChange): void {
  if ('markedAt' in change) {
    const at = toTimestamp(change.markedAt)
    if ((body.last_event_at ?? '') < at) body.last_event_at = at
  } else if ('captured' in change) {
    noteCapture(body, change.captured, change.cursor)
  } else {
    const { at, cursor } = change.moved
    body.last_event_at = toTimestamp(at)
    if (cursor === undefined) return
    // The position of capture stays the same, and is stored separately from the cursor from now on.
    if (body.capture?.read_to === undefined) body.capture = { ...body.capture, read_to: body.last_cursor ?? null }
    body.last_cursor = laterCursor(body.last_cursor, cursor)
  }
}

/** As `SubscriptionStore.noteCapture`. */
function noteCapture(body: Body, changes: CaptureState, cursor: string | undefined): void {
  const { capture, isOtherHost } = mergeCapture(body.capture ?? {}, changes)
  body.capture = capture
  if (isOtherHost) body.last_cursor = cursor ?? null
  else if (cursor !== undefined) body.last_cursor = laterCursor(body.last_cursor, cursor)
}

/**
 * Message ids of a chat server are integers that grow, and a cursor never moves back. The cursors of other platforms are
 * timestamps.
 */
export function laterCursor(before: string | null | undefined, cursor: string): string {
  const areIds = before && [before, cursor].every(each => /^\d+$/.test(each))
  return areIds && BigInt(before) >= BigInt(cursor) ? before : cursor
}

/** The part of the capture state that matching reads. */
function captureTargetOf({ capture }: Body): string {
  return JSON.stringify([capture?.host, capture?.followed])
}

function parse(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? (value as Body) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
