import { parseUrl } from '../../model/parse-url.js'
import type { WebhookDelivery } from '../adapter.js'
import { objectAt, type Payload, webUrlAt } from '../mapping/payload.js'

/** The origin of a delivery. */
export interface Instance {
  /** `gitlab.example.org`, `git.example.org:3000`, `example.org/gitlab`: ids are unique only there. */
  host: string
  /** Its address without trailing slash, with the path of the installation. Only if the header contains it. */
  address: string | undefined
}

const WEB = /^https?:\/\//iu

/** Members that contain an address of the instance, most reliable first. */
const NAMED_BY = [
  ['project', 'web_url'],
  ['project', 'homepage'],
  ['repository', 'homepage'],
  ['object_attributes', 'url'],
] as const

/** Instances before 15.5 do not send their address, and their system hooks may not contain it at all. */
export function readInstance(headers: WebhookDelivery['headers'], body: Payload): Instance {
  const sent = headers['x-gitlab-instance']?.trim() ?? ''
  const url = WEB.test(sent) ? parseUrl(sent) : undefined
  if (!url) return { host: hostIn(body) ?? 'unknown', address: undefined }
  const { host, origin, pathname } = url
  const path = pathname.replace(/\/$/u, '')
  return { host: `${host}${path}`, address: `${origin}${path}` }
}

function hostIn(body: Payload): string | undefined {
  for (const [object, member] of NAMED_BY) {
    const sent = webUrlAt(objectAt(body, object), member)
    // The host itself may be redacted.
    const url = sent === undefined ? undefined : parseUrl(sent)
    if (url) return url.host
  }
  return undefined
}
