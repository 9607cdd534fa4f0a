import type { WebhookDelivery } from '../adapter.js'
import { type Payload, textAt } from '../payload.js'

const AUTHORITY = /^https?:\/\/(?:[^/?#@]*@)?([^/?#@\\\s]+)/iu

/**
 * The instance of a delivery, such as `github.com` or `git.example.org:3000`: ids are unique only there. The body takes
 * precedence over the headers, so that two hooks for one event agree.
 *
 * @param objects objects that may contain an address of the instance, most reliable first
 */
export function hostOf(headers: WebhookDelivery['headers'], objects: readonly (Payload | undefined)[]): string {
  for (const object of objects) {
    const host = AUTHORITY.exec(textAt(object, 'html_url') ?? '')?.[1]
    if (host) return host.toLowerCase()
  }
  return headers['x-github-enterprise-host']?.trim().toLowerCase() || 'unknown'
}
