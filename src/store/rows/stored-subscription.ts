import { cutToDepth, isDeeperThan, JSON_DEPTH } from '../../model/json-depth.js'
import { isObject } from '../../model/json-object.js'
import type { CaptureState, Subscription } from '../../model/subscriptions/subscription.js'

/** Members of a subscription that must have a certain form, each with the value that replaces one of another form. */
const MEMBERS: {
  [Name in keyof Subscription]?: { isValid: (value: unknown) => boolean; otherwise: Subscription[Name] }
} = {
  source: { isValid: isText, otherwise: '' },
  target: { isValid: isText, otherwise: '' },
  scope: { isValid: isObject, otherwise: {} },
  actions: { isValid: isListOf(isObject), otherwise: [] },
  event_kinds: { isValid: isListOf(isText), otherwise: [] },
  capture_modes: { isValid: isListOf(isText), otherwise: [] },
  filters: { isValid: isObject, otherwise: {} },
  metadata: { isValid: isObject, otherwise: {} },
  enabled: { isValid: value => typeof value === 'boolean', otherwise: false },
  last_cursor: { isValid: isTextOrNull, otherwise: null },
  last_event_at: { isValid: isTextOrNull, otherwise: null },
  created_at: { isValid: isText, otherwise: '' },
  updated_at: { isValid: isText, otherwise: '' },
}

const TOO_DEEP =
  `It is nested deeper than ${JSON_DEPTH} levels. Deeper values are left out here, capture skips it, and its ` +
  'last_event_at may not change. Save it again: then it is stored as it is shown here.'

/**
 * A subscription from its row. If the body cannot be read completely, `problem` describes why. If it is then unclear
 * what the subscription matches, it is disabled, so that it does not match more than the user wants.
 *
 * @param row `id`, `owner_user_id` and `body`, which an older release or another program may have written
 */
export function readStoredSubscription(row: Record<string, unknown>): Subscription {
  const stored = parse(String(row.body))
  const isDeep = stored !== undefined && isDeeperThan(stored, JSON_DEPTH)
  const body = isDeep ? cutToDepth(stored, JSON_DEPTH) : { ...stored }
  const wrong = Object.entries(MEMBERS).filter(([name, { isValid }]) => !isValid(body[name]))
  for (const [name, { otherwise }] of wrong) body[name] = otherwise
  delete body.problem
  const owner = isText(row.owner_user_id) ? row.owner_user_id : null
  const subscription = { ...body, id: String(row.id), owner_user_id: owner } as Subscription
  if (wrong.length > 0) return { ...subscription, enabled: false, problem: wrongMembers(stored, wrong) }
  return isDeep ? { ...subscription, problem: TOO_DEEP } : subscription
}

/** If the host changes, what was read on the former host is discarded. Then its cursor has no meaning either. */
export function mergeCapture(
  before: CaptureState,
  changes: CaptureState,
): { capture: CaptureState; isOtherHost: boolean } {
  const isOtherHost = Boolean(changes.host && before.host && changes.host !== before.host)
  const { read_to, reread, followed, unfinished, tracked, ...ofAnyHost } = before
  return { capture: { ...(isOtherHost ? ofAnyHost : before), ...changes }, isOtherHost }
}

function wrongMembers(stored: object | undefined, wrong: readonly [name: string, unknown][]): string {
  const what = stored ? `It has no usable ${wrong.map(([name]) => name).join(', ')}` : 'Its stored body is not JSON'
  return `${what}, so it is disabled. Save it again, or delete it.`
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value)
}

function isListOf(isElement: (value: unknown) => boolean): (value: unknown) => boolean {
  return value => Array.isArray(value) && value.every(isElement)
}
