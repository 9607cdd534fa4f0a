import type { StoredEvent } from '#model/events/event'
import { runTitle } from '#model/sentences/run-title'
import { chainOf, crumbsOf, eventKey, eventText } from './event-words.js'

/** Maximum length of a card's title on the board. Characters. */
const LONGEST_TITLE = 200
/** Servers refuse longer addresses. Characters. */
const LONGEST_ADDRESS = 8192

/** The event's page on its platform: the address of its text, else that of the innermost target that has one. */
export function platformLink(event: Pick<StoredEvent, 'conversation' | 'target'>): string | undefined {
  const nodes = chainOf(event).reverse()
  return [event.conversation.url, ...nodes.map(node => node.url)].map(webAddress).find(url => url !== undefined)
}

/** Accepts only http and https: a foreign address may be `javascript:`. */
function webAddress(url: unknown): string | undefined {
  if (typeof url !== 'string' || url.length > LONGEST_ADDRESS || !URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? href : undefined
}

/** An address that opens a new card about the event. @param board address of the board's page */
export function cardLink(board: string, event: StoredEvent): string {
  const fields = [
    ['title', cardTitle(event)],
    ['link', eventKey(event)],
  ] as const
  const url = new URL(board)
  url.hash = `new?${fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
  return url.href
}

export function cardUrl(board: string, id: string): string {
  const url = new URL(board)
  url.search = String(new URLSearchParams({ card: id }))
  return url.href
}

/**
 * `Workflow ci failed on main of acme/app` for the outcome of a run. For other events `#482 Honour Retry-After`, or
 * `deploys: ` with the first line of the text.
 */
export function cardTitle(event: Pick<StoredEvent, 'conversation' | 'action' | 'target' | 'kind'>): string {
  const object = crumbsOf(event).at(-1)?.text ?? event.kind
  const said = eventText(event).trim().split('\n', 1)[0]?.trim() ?? ''
  const title = runTitle(event) || (said === '' || said === object ? object : `${object}: ${said}`)
  return wellFormed([...title.replaceAll(/\s+/g, ' ')].slice(0, LONGEST_TITLE).join(''))
}

export function eventPath(key: string): string {
  return `/api/events/${encodeURIComponent(wellFormed(key))}`
}

/** Addresses cannot contain lone surrogates. */
function wellFormed(text: string): string {
  return text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
}

/** The target of a subscription to the place of the event; undefined if the grammar has no form for it. */
export function watchTarget(event: Pick<StoredEvent, 'source' | 'target'>): string | undefined {
  const chain = chainOf(event)
  const node = (...types: string[]) =>
    chain.findLast(({ type = '', display, key }) => types.includes(type) && (display || key))
  const encoded = (name = '') => name.replaceAll('%', '%25').replaceAll('/', '%2F')
  if (event.source === 'chat') {
    const [stream, topic] = [node('stream')?.display, node('topic')?.display]
    return stream && `stream:${encoded(stream)}${topic ? `/topic:${encoded(topic)}` : ''}`
  }
  if (event.source === 'forum') return node('topic', 'category')?.key
  const repository = node('repository')?.display
  const thing = node('pull_request', 'issue')
  const number = thing?.metadata?.number
  if (!repository || !['code_a', 'code_b'].includes(event.source)) return undefined
  const isGitLab = event.source === 'code_b'
  const word = isGitLab && thing?.type === 'pull_request' ? 'merge_request' : thing?.type
  return `${isGitLab ? 'project' : 'repo'}:${repository}${typeof number === 'number' ? `/${word}:${number}` : ''}`
}
