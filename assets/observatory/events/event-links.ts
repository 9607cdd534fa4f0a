import type { LedgerEvent } from '../../shared/wire.js'
import { chainOf, crumbsOf, wordsSaid } from './event-words.js'

/** What a title of the board holds. Characters. */
const LONGEST_TITLE = 200
/** Servers refuse what is longer. Characters. */
const LONGEST_ADDRESS = 8192

/** Where the event is seen on its platform: what was said, else the nearest of its targets that has an address. */
export function platformLink(event: Pick<LedgerEvent, 'conversation' | 'target'>): string | undefined {
  const nodes = chainOf(event).reverse()
  return [event.conversation.url, ...nodes.map(node => node.url)].map(webAddress).find(url => url !== undefined)
}

/** Only what a browser asks for by HTTP: an address of a stranger's may be `javascript:`. */
function webAddress(url: unknown): string | undefined {
  if (typeof url !== 'string' || url.length > LONGEST_ADDRESS || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}

/** An address of the board that opens a new card about the event. @param board address of the board's page */
export function cardLink(board: string, event: LedgerEvent): string {
  const fields = [
    ['title', cardTitle(event)],
    ['link', event.dedupe_key],
  ] as const
  const url = new URL(board)
  url.hash = `new?${fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
  return url.href
}

/** `#482 Honour Retry-After`, or `deploys: the first line that was said`. */
export function cardTitle(event: Pick<LedgerEvent, 'conversation' | 'action' | 'target' | 'kind'>): string {
  const object = crumbsOf(event).at(-1)?.text ?? event.kind
  const said = wordsSaid(event).trim().split('\n', 1)[0]?.trim() ?? ''
  const title = said === '' || said === object ? object : `${object}: ${said}`
  return wellFormed([...title.replaceAll(/\s+/g, ' ')].slice(0, LONGEST_TITLE).join(''))
}

/** Half a character cannot be put into an address. */
function wellFormed(text: string): string {
  return text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}

export interface CurlOptions {
  /** Scheme, host and root path of this server. */
  base: string
  key: string
  /** Whoever asks must show a token. */
  needsToken: boolean
}

/** A command that fetches the event. The token is named, and never in it. */
export function curlCommand({ base, key, needsToken }: CurlOptions): string {
  const token = needsToken ? ' -H "Authorization: Bearer $EVENT_API_TOKEN"' : ''
  return `curl -sS${token} '${inQuotes(base)}/api/events/${inQuotes(encodeURIComponent(wellFormed(key)))}'`
}

/** Of what may stand in an address, a quote alone would end the shell's. */
function inQuotes(address: string): string {
  return address.replaceAll("'", '%27')
}
