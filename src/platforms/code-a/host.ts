import type { WebhookDelivery } from '../adapter.js'
import { type Payload, textAt } from '../payload.js'

const AUTHORITY = /^https?:\/\/(?:[^/?#@]*@)?([^/?#@\\\s]+)/iu

/**
 * The instance that a delivery comes from, such as `github.com` or `git.example.org:3000`: ids are only unique there.
 * It is read from the body before the headers, so that two hooks for one event agree.
 *
 * @param objects what is of the instance and may hold an address there, from the surest
 */
export function hostOf(headers: WebhookDelivery['headers'], objects: readonly (Payload | undefined)[]): string {
  for (const object of objects) {
    const host = AUTHORITY.exec(textAt(object, 'html_url') ?? '')?.[1]
    if (host) return host.toLowerCase()
  }
  return headers['x-github-enterprise-host']?.trim().toLowerCase() || 'unknown'
}
