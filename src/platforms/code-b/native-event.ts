import type { WebhookDelivery } from '../adapter.js'
import { toIdentifier, toWord } from '../identity.js'
import { objectAt, type Payload, textAt } from '../payload.js'

/** What a delivery says that it is. */
export interface NativeEvent {
  /** The name by which rows are found. */
  name: string
  /** The name as it was sent. */
  nativeName: string
  /** The untouched action, where the payload has one. */
  nativeAction: string | undefined
  deliveryId: string | undefined
}

/** Where the header's name is not that of the payloads, in words. */
const HEADER_NAMED: ReadonlyMap<string, string> = new Map([
  ['confidential_issue', 'issue'],
  ['confidential_note', 'note'],
  ['job', 'build'],
  ['resource_access_token', 'access_token'],
  ['resource_deploy_token', 'deploy_token'],
])

/** Where a delivery says nothing about itself it is kept under this name. */
const UNNAMED = 'event'

/** The body before the header: system hooks send any event under one header, and name it in the body alone. */
export function readNativeEvent(headers: WebhookDelivery['headers'], body: Payload): NativeEvent {
  const header = headers['x-gitlab-event']?.trim() || undefined
  const told = textAt(body, 'object_kind') ?? textAt(body, 'event_name')
  const action = textAt(objectAt(body, 'object_attributes'), 'action') ?? textAt(body, 'action')
  return {
    name: told ?? nameInHeader(header) ?? UNNAMED,
    nativeName: told ?? header ?? UNNAMED,
    // Of reactions not all tell their action under its own name.
    nativeAction: action ?? (told === 'emoji' ? textAt(body, 'event_type') : undefined),
    deliveryId: deliveryIdOf(headers),
  }
}

/** `Merge Request Hook` → `merge_request`. */
function nameInHeader(header: string | undefined): string | undefined {
  const word = toWord(header?.replace(/\s+hook$/iu, ''))
  if (word === undefined || word === 'system') return undefined
  return HEADER_NAMED.get(word) ?? word
}

/**
 * What redelivering repeats. The other ids do not identify: `X-Gitlab-Event-UUID` is shared by all events of one request,
 * and `X-Gitlab-Webhook-UUID` is new at each attempt.
 */
function deliveryIdOf(headers: WebhookDelivery['headers']): string | undefined {
  const id = headers['idempotency-key']?.trim() || headers['webhook-id']?.trim()
  return id ? toIdentifier(id) : undefined
}
