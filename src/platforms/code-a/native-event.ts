import type { WebhookDelivery } from '../adapter.js'
import { toIdentifier } from '../mapping/identifiers.js'
import { objectAt, type Payload, textAt } from '../mapping/payload.js'

/** Event name and action of a delivery. */
export interface NativeEvent {
  /** The name in GitHub's terms, which selects the mapping. */
  name: string
  /** The name as it was sent. */
  nativeName: string
  /** The unchanged `action`, if the payload has one. */
  nativeAction: string | undefined
  dialect: Dialect
  deliveryId: string | undefined
}

/** The server family of a delivery; Forgejo counts as Gitea. */
type Dialect = 'github' | 'gitea' | 'gogs'

/** Prefixes of headers, GitHub's first. Gitea and Forgejo send copies under each other's names. */
const FLAVOURS = ['github', 'forgejo', 'gitea', 'gogs'] as const

const REVIEW = 'pull_request_review'
const RUN = 'workflow_run'

/** Maps more specific names of Gitea and Forgejo to GitHub's. */
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

/** Name for a delivery without one. */
const UNNAMED = 'event'

export function readNativeEvent(headers: WebhookDelivery['headers'], body: Payload): NativeEvent {
  // For some events, such as packages, Forgejo and older Gitea leave the event blank and send only its type.
  const nativeName = firstHeader(headers, 'event') ?? firstHeader(headers, 'event-type') ?? UNNAMED
  const deliveryId = firstHeader(headers, 'delivery')
  return {
    name: foldName(nativeName, body),
    nativeName,
    nativeAction: textAt(body, 'action'),
    dialect: dialectOf(headers),
    deliveryId: deliveryId === undefined ? undefined : toIdentifier(deliveryId),
  }
}

const GITEA_HEADERS = ['x-gitea-event', 'x-forgejo-event', 'x-gitea-event-type', 'x-forgejo-event-type'] as const

/** Gitea and Forgejo also send Gogs' and GitHub's headers; Gogs sends only its own. */
function dialectOf(headers: WebhookDelivery['headers']): Dialect {
  if (GITEA_HEADERS.some(name => headers[name] !== undefined)) return 'gitea'
  return headers['x-gogs-event'] !== undefined && headers['x-github-event'] === undefined ? 'gogs' : 'github'
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
  // This name has two meanings: a comment in a pull request's conversation, and a review that only comments.
  if (name === 'pull_request_comment') return objectAt(body, 'comment') ? 'issue_comment' : REVIEW
  return FOLDED.get(name) ?? name
}
