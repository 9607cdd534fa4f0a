import type { WebhookDelivery } from '../adapter.js'
import { objectAt, type Payload, textAt } from '../payload.js'

const AUTHORITY = /^https?:\/\/(?:[^/?#@]*@)?([^/?#@\\\s]+)/iu

/** Members that may hold an address of the instance, from the surest. */
const NAMED_BY = [
  ['repository', 'html_url'],
  ['organization', 'html_url'],
  ['enterprise', 'html_url'],
  ['sender', 'html_url'],
] as const

/**
 * The instance that a delivery comes from, such as `github.com` or `git.example.org:3000`: ids are only unique there.
 * It is read from the body before the headers, so that two hooks for one event agree.
 */
export function hostOf(headers: WebhookDelivery['headers'], body: Payload): string {
  for (const [object, member] of NAMED_BY) {
    const host = AUTHORITY.exec(textAt(objectAt(body, object), member) ?? '')?.[1]
    if (host) return host.toLowerCase()
  }
  return headers['x-github-enterprise-host']?.trim().toLowerCase() || 'unknown'
}
