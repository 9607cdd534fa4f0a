import type { WebhookDelivery } from '../adapter.js'
import { toIdentifier, toWord } from '../mapping/identifiers.js'
import { objectAt, type Payload, textAt } from '../mapping/payload.js'

/** Event name and action of a delivery. */
export interface NativeEvent {
  /** The name that selects the mapping. */
  name: string
  /** The name as it was sent. */
  nativeName: string
  /** The unchanged action, if the payload has one. */
  nativeAction: string | undefined
  deliveryId: string | undefined
}

/** Header names that differ from the payload's names. */
const HEADER_NAMED: ReadonlyMap<string, string> = new Map([
  ['confidential_issue', 'issue'],
  ['confidential_note', 'note'],
  ['job', 'build'],
  ['resource_access_token', 'access_token'],
  ['resource_deploy_token', 'deploy_token'],
])

/** Name for a delivery without one. */
const UNNAMED = 'event'

/**
 * The body takes precedence over the header: system hooks send every event under one header, and only the body names
 * the event.
 */
export function readNativeEvent(headers: WebhookDelivery['headers'], body: Payload): NativeEvent {
  const header = headers['x-gitlab-event']?.trim() || undefined
  const sent = textAt(body, 'object_kind') ?? textAt(body, 'event_name')
  const action = textAt(objectAt(body, 'object_attributes'), 'action') ?? textAt(body, 'action')
  return {
    name: sent ?? nameInHeader(header) ?? UNNAMED,
    nativeName: sent ?? header ?? UNNAMED,
    // Some reactions have their action in another member.
    nativeAction: action ?? (sent === 'emoji' ? textAt(body, 'event_type') : undefined),
    deliveryId: deliveryIdOf(headers),
  }
}

/** `Merge Request Hook` → `merge_request`. */
function nameInHeader(header: string | undefined): string | undefined {
  const word = toWord(header?.replace(/\shook$/iu, ''))
  if (word === undefined || word === 'system') return undefined
  return HEADER_NAMED.get(word) ?? word
}

/**
 * The id that a redelivery repeats. Other ids are unsuitable: all events of one request share `X-Gitlab-Event-UUID`,
 * and `X-Gitlab-Webhook-UUID` is new at each attempt.
 */
function deliveryIdOf(headers: WebhookDelivery['headers']): string | undefined {
  const id = headers['idempotency-key']?.trim() || headers['webhook-id']?.trim()
  return id ? toIdentifier(id) : undefined
}
