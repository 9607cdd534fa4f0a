import { AppError, invalidField } from '../../model/app-error.js'
import { isObject } from '../../model/json-object.js'
import type { PlatformSource } from '../../model/platforms/platform-source.js'
import { toSite } from '../../model/platforms/site.js'
import type { DeliveryContext, WebhookDelivery } from '../adapter.js'
import { isSlackFormat } from '../chat/slack-format.js'
import { memberOf, objectAt, type Payload, textAt } from '../mapping/payload.js'
import { formFields, isForm, textOf } from './delivery-body.js'

/** A saved delivery, with everything needed to interpret it. */
interface SavedDelivery {
  /** Undefined if the sending platform is unknown. */
  source: PlatformSource | undefined
  delivery: WebhookDelivery
  context: DeliveryContext
}

/** Facts about the delivery in addition to the file. */
export interface SavedDeliveryHints {
  source?: PlatformSource | undefined
  /** Names in lower case. These take precedence over those in the file. */
  headers?: Readonly<Record<string, string>>
  /** Origin of the chat server. */
  site?: string | undefined
}

/** Members of the file. Others belong to the program that saved it. */
const MEMBERS = ['headers', 'body', 'site']

/** Header names that identify the sending platform. */
const SOURCE_HEADERS: readonly [header: RegExp, source: PlatformSource][] = [
  [/^x-(?:github|gitea|forgejo|gogs)-/u, 'code_a'],
  [/^x-gitlab-|^webhook-signature$/u, 'code_b'],
  [/^x-discourse-/u, 'forum'],
]
/** The chat platform's deliveries have no header of their own. */
const CHAT_AGENT = /^ZulipOutgoingWebhook\b/u

const FORM_BEGINS = /^[\w.%+-]+=/u

/**
 * Reads a saved delivery: `{"headers": {…}, "body": …}`, or the body alone. `body` is the JSON that was sent, or the
 * text of another body.
 *
 * @throws AppError `invalid/invalid_json` if no platform can have sent it, `invalid/invalid_field` for impossible
 *   headers, body or site
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

/**
 * Reads a saved delivery whose sender is known, so any body is possible.
 *
 * @param headers in addition to those in the file, names in lower case
 * @throws AppError `invalid/invalid_json`, `invalid/invalid_field`
 */
export function readSavedRequest(bytes: Uint8Array, headers: Readonly<Record<string, string>>): WebhookDelivery {
  const parsed = readJson(bytes)
  if (!isSaved(parsed)) return { headers, body: bytes }
  return { headers: { ...headersOf(parsed), ...headers }, body: bodyOf(parsed) }
}

/** @returns undefined for text that does not begin like JSON, such as a form */
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

/** A body may have members with these names, but hardly both, and hardly no others. */
function isSaved(value: unknown): value is Payload {
  if (!isObject(value) || !Object.hasOwn(value, 'headers')) return false
  return Object.hasOwn(value, 'body') || Object.keys(value).every(name => MEMBERS.includes(name))
}

/** Names in lower case. Each header may occur only once. */
function headersOf(saved: Payload): Record<string, string> {
  const headers = memberOf(saved, 'headers')
  if (!isObject(headers)) {
    throw invalidField('/headers', 'headers must be an object of names and texts. Write {} where there are none.')
  }
  const texts = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    const lowerCase = name.toLowerCase()
    if (texts.has(lowerCase)) throw invalidField('/headers', `The header "${name}" occurs twice. Keep one.`)
    texts.set(lowerCase, textOfHeader(name, value))
  }
  return Object.fromEntries(texts)
}

/** Some programs save every header as a list of its values. */
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
  for (const [header, source] of SOURCE_HEADERS) if (Object.keys(headers).some(name => header.test(name))) return source
  if (CHAT_AGENT.test(headers['user-agent'] ?? '')) return 'chat'
  if (isForm(delivery) && isSlackFormat(Object.fromEntries(formFields(delivery)))) return 'chat'
  return isObject(body) && textAt(body, 'bot_email') && objectAt(body, 'message') ? 'chat' : undefined
}

/** Refuses a body that no platform sends, or whose platform must be named. */
function refuseOddities(bytes: Uint8Array, parsed: unknown): void {
  if (parsed === undefined) {
    if (!FORM_BEGINS.test(textOf({ headers: {}, body: bytes }))) throw refused('is neither JSON nor a form')
  } else if (!isObject(parsed)) {
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
