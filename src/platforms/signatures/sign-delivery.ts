import { createHmac } from 'node:crypto'
import type { PlatformSource } from '../../model/platforms/platform-source.js'
import type { WebhookDelivery } from '../adapter.js'

/** A delivery before its proof. */
export interface UnsignedDelivery {
  source: PlatformSource
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** The JSON that is sent. */
  payload: Record<string, unknown>
}

const SIGNING_TOKEN = 'whsec_'

/** The members and headers that prove knowledge of a secret. */
interface Proof {
  members?: Record<string, string>
  headers?: Record<string, string>
}

/** The place of each platform's proof. `text` is that of the body without the proof. */
const PROOFS: Record<PlatformSource, (text: string, secret: string, delivery: UnsignedDelivery, now: number) => Proof> =
  {
    chat: (_, token) => ({ members: { token } }),
    forum: (text, secret) => ({ headers: { 'x-discourse-event-signature': sha256Signature(text, secret) } }),
    code_a: (text, secret) => ({ headers: { 'x-hub-signature-256': sha256Signature(text, secret) } }),
    code_b: (text, secret, delivery, now) =>
      secret.startsWith(SIGNING_TOKEN)
        ? { headers: standardSignature(text, secret, delivery.headers['idempotency-key'] ?? 'msg', now) }
        : { headers: { 'x-gitlab-token': secret } },
  }

/**
 * Proves a delivery as its platform does, so that the adapter's `verify` accepts it.
 *
 * @param secret absent: the delivery is not verified
 * @param now epoch milliseconds
 */
export function signDelivery(
  delivery: UnsignedDelivery,
  secret: string | undefined,
  now: number,
): WebhookDelivery & { headers: Record<string, string> } {
  const text = JSON.stringify(delivery.payload)
  const proof = secret === undefined ? {} : PROOFS[delivery.source](text, secret, delivery, now)
  const body = proof.members ? JSON.stringify({ ...delivery.payload, ...proof.members }) : text
  return {
    headers: { 'content-type': 'application/json', ...delivery.headers, ...proof.headers },
    body: Buffer.from(body),
  }
}

function sha256Signature(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** Source: Standard Webhooks, "Signature scheme". */
function standardSignature(body: string, secret: string, id: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000))
  const key = Buffer.from(secret.slice(SIGNING_TOKEN.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
