import { toSite } from '../model/site.js'
import type { DeliveryContext, PlatformSource, WebhookDelivery } from './adapter.js'
import { isPayload, memberOf, objectAt, type Payload, textAt } from './payload.js'

/** A delivery that somebody kept, with what it takes to read it. */
export interface SavedDelivery {
  /** Undefined when nothing tells which platform sent it. */
  source: PlatformSource | undefined
  delivery: WebhookDelivery
  context: DeliveryContext
}

/** What is known of it besides the file. */
export interface SavedDeliveryHints {
  source?: PlatformSource | undefined
  /** Names in lower case. These go before those in the file. */
  headers?: Readonly<Record<string, string>>
  /** Origin of the chat server. */
  site?: string | undefined
}

/** How headers tell the platform that sent them. */
const TELLING: readonly [header: RegExp, source: PlatformSource][] = [
  [/^x-(?:github|gitea|forgejo|gogs)-/u, 'code_a'],
  [/^x-gitlab-|^webhook-signature$/u, 'code_b'],
  [/^x-discourse-/u, 'forum'],
]

/**
 * Reads a saved delivery: `{"headers": {…}, "body": …}`, where `body` is the JSON that was sent, or the text of another
 * body; or the body alone.
 */
export function readSavedDelivery(bytes: Uint8Array, hints: SavedDeliveryHints): SavedDelivery {
  const parsed = readJson(bytes)
  const saved = isSaved(parsed) ? parsed : undefined
  const headers = { ...textsOf(objectAt(saved, 'headers')), ...hints.headers }
  const body = saved ? bytesOf(memberOf(saved, 'body')) : bytes
  const source = hints.source ?? guessSource(headers, saved ? memberOf(saved, 'body') : parsed)
  const site = hints.site ?? toSite(textAt(saved, 'site') ?? '')
  return { source, delivery: { headers, body }, context: { site } }
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return undefined // a form, or what the adapter will refuse
  }
}

function isSaved(value: unknown): value is Payload {
  return isPayload(value) && isPayload(memberOf(value, 'headers')) && memberOf(value, 'body') !== undefined
}

function textsOf(headers: Payload | undefined): Record<string, string> {
  const texts = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)])
  return Object.fromEntries(texts)
}

function bytesOf(body: unknown): Uint8Array {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Deliveries of the chat platform have no header of their own. */
function guessSource(headers: Readonly<Record<string, string>>, body: unknown): PlatformSource | undefined {
  for (const [header, source] of TELLING) if (Object.keys(headers).some(name => header.test(name))) return source
  return isPayload(body) && textAt(body, 'bot_email') && objectAt(body, 'message') ? 'chat' : undefined
}
