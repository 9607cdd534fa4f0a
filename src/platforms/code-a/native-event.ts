import type { WebhookDelivery } from '../adapter.js'
import { toIdentifier } from '../identity.js'
import { objectAt, type Payload, textAt } from '../payload.js'

/** What a delivery says that it is. */
export interface NativeEvent {
  /** The name in GitHub's dialect, by which rows are found. */
  name: string
  /** The name as it was sent. */
  nativeName: string
  /** The untouched `action`, where the payload has one. */
  nativeAction: string | undefined
  deliveryId: string | undefined
}

/** GitHub's own headers, then its dialects; Gitea and Forgejo send copies under each other's names. */
const FLAVOURS = ['github', 'forgejo', 'gitea', 'gogs'] as const

const REVIEW = 'pull_request_review'
const RUN = 'workflow_run'

/** Finer names of Gitea and Forgejo, folded into GitHub's. */
const FOLDED: ReadonlyMap<string, string> = new Map([
  ['action_run', RUN],
  ['action_run_failure', RUN],
  ['action_run_recover', RUN],
  ['action_run_success', RUN],
  ['issue_assign', 'issues'],
  ['issue_label', 'issues'],
  ['issue_milestone', 'issues'],
  ['pull_request_assign', 'pull_request'],
  ['pull_request_label', 'pull_request'],
  ['pull_request_milestone', 'pull_request'],
  ['pull_request_review_request', 'pull_request'],
  ['pull_request_sync', 'pull_request'],
  ['pull_request_approved', REVIEW],
  ['pull_request_rejected', REVIEW],
  ['pull_request_review_approved', REVIEW],
  ['pull_request_review_rejected', REVIEW],
])

/** Where a delivery shows no name at all it is kept under this one. */
const UNNAMED = 'event'

export function readNativeEvent(headers: WebhookDelivery['headers'], body: Payload): NativeEvent {
  // Forgejo and older Gitea leave the event blank for some, such as packages, and name it only by its type.
  const nativeName = firstHeader(headers, 'event') ?? firstHeader(headers, 'event-type') ?? UNNAMED
  const deliveryId = firstHeader(headers, 'delivery')
  return {
    name: foldName(nativeName, body),
    nativeName,
    nativeAction: textAt(body, 'action'),
    deliveryId: deliveryId === undefined ? undefined : toIdentifier(deliveryId),
  }
}

function firstHeader(
  headers: WebhookDelivery['headers'],
  kind: 'event' | 'event-type' | 'delivery',
): string | undefined {
  for (const flavour of FLAVOURS) {
    const value = headers[`x-${flavour}-${kind}`]?.trim()
    if (value) return value
  }
  return undefined
}

function foldName(name: string, body: Payload): string {
  // One name for two things: a comment in the conversation of a pull request, and a review that only comments.
  if (name === 'pull_request_comment') return objectAt(body, 'comment') ? 'issue_comment' : REVIEW
  return FOLDED.get(name) ?? name
}
