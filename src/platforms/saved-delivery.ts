import { AppError, invalidField } from '../model/app-error.js'
import { toSite } from '../model/site.js'
import type { DeliveryContext, PlatformSource, WebhookDelivery } from './adapter.js'
import { isSlackFormat } from './chat/slack-format.js'
import { isForm, textOf } from './delivery-body.js'
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

/** What a file may hold besides the body. Other members are those of the program that saved it. */
const MEMBERS = ['headers', 'body', 'site']

/** How the names of headers tell the platform that sent them. */
const TELLING: readonly [header: RegExp, source: PlatformSource][] = [
  [/^x-(?:github|gitea|forgejo|gogs)-/u, 'code_a'],
  [/^x-gitlab-|^webhook-signature$/u, 'code_b'],
  [/^x-discourse-/u, 'forum'],
]
/** Deliveries of the chat platform have no header of their own. */
const CHAT_AGENT = /^ZulipOutgoingWebhook\b/u

const FORM_BEGINS = /^[\w.%+-]+=/u

/**
 * Reads a saved delivery: `{"headers": {…}, "body": …}`, where `body` is the JSON that was sent, or the text of another
 * body; or the body alone.
 *
 * @throws AppError `invalid/invalid_json` for what is no delivery of any platform, `invalid/invalid_field` for headers, a
 *   body or a site that cannot have been sent
 */
export function readSavedDelivery(bytes: Uint8Array, hints: SavedDeliveryHints): SavedDelivery {
  const parsed = readJson(bytes)
  const saved = isSaved(parsed) ? parsed : undefined
  const headers = { ...(saved ? headersOf(saved) : {}), ...hints.headers }
  const body = saved ? bodyOf(saved) : bytes
  const fromFile = saved ? siteOf(saved) : undefined
  const delivery = { headers, body }
  const source = hints.source ?? guessSource(delivery, saved ? memberOf(saved, 'body') : parsed)
  if (source === undefined) refuseOddities(bytes, parsed)
  return { source, delivery, context: { site: hints.site ?? fromFile } }
}

/** @returns undefined for text that begins like no JSON, such as a form */
function readJson(bytes: Uint8Array): unknown {
  const text = textOf({ headers: {}, body: bytes }).trim()
  if (text === '') throw refused('is empty')
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (/^[[{]/u.test(text)) throw refused('begins as JSON, but is not JSON to its end', cause)
    if (!isText(bytes)) throw refused('is not text in UTF-8')
    return undefined
  }
}

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0')
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/** A body may have such members of its own, but hardly both, and hardly nothing else. */
function isSaved(value: unknown): value is Payload {
  if (!isPayload(value) || !Object.hasOwn(value, 'headers')) return false
  return Object.hasOwn(value, 'body') || Object.keys(value).every(name => MEMBERS.includes(name))
}

/** Names in lower case; each header may come once. */
function headersOf(saved: Payload): Record<string, string> {
  const headers = memberOf(saved, 'headers')
  if (!isPayload(headers)) {
    throw invalidField('/headers', 'headers must be an object of names and texts. Write {} where there are none.')
  }
  const texts = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    const lowerCase = name.toLowerCase()
    if (texts.has(lowerCase)) throw invalidField('/headers', `The header "${name}" is there twice. Keep one.`)
    texts.set(lowerCase, textOfHeader(name, value))
  }
  return Object.fromEntries(texts)
}

/** Some programs save every header as the list of what was sent for it. */
function textOfHeader(name: string, value: unknown): string {
  const sent = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (typeof sent === 'string') return sent
  if (typeof sent === 'number') return String(sent)
  throw invalidField('/headers', `The header "${name}" must be one text.`)
}

function bodyOf(saved: Payload): Uint8Array {
  const body = memberOf(saved, 'body')
  if (body === undefined) throw invalidField('/body', 'The saved delivery has headers, but no "body".')
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function siteOf(saved: Payload): string | undefined {
  const value = memberOf(saved, 'site')
  const site = typeof value === 'string' ? toSite(value) : undefined
  if (value === undefined || site !== undefined) return site
  const detail = 'site must be the http or https address of one server. Write it like https://chat.example.org.'
  throw invalidField('/site', detail)
}

function guessSource(delivery: WebhookDelivery, body: unknown): PlatformSource | undefined {
  const { headers } = delivery
  for (const [header, source] of TELLING) if (Object.keys(headers).some(name => header.test(name))) return source
  if (CHAT_AGENT.test(headers['user-agent'] ?? '')) return 'chat'
  if (isForm(delivery) && isSlackFormat(Object.fromEntries(new URLSearchParams(textOf(delivery))))) return 'chat'
  return isPayload(body) && textAt(body, 'bot_email') && objectAt(body, 'message') ? 'chat' : undefined
}

/** What no platform sends, or only one that is named can have sent. */
function refuseOddities(bytes: Uint8Array, parsed: unknown): void {
  if (parsed === undefined) {
    if (!FORM_BEGINS.test(textOf({ headers: {}, body: bytes }))) throw refused('is neither JSON nor a form')
  } else if (!isPayload(parsed)) {
    throw refused('is JSON, but not an object')
  } else if (Object.hasOwn(parsed, 'body') && !isSaved(parsed)) {
    throw refused('has a body, but no headers')
  }
}

function refused(what: string, cause?: unknown): AppError {
  const reason = cause instanceof Error ? ` (${cause.message})` : ''
  const hint = 'Save it as {"headers": {…}, "body": …}, or the body alone.'
  return new AppError('invalid', 'invalid_json', `The saved delivery ${what}${reason}.`, { hint, cause })
}
