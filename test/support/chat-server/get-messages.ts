import type { BookedMessage, MessageBook } from './message-book.js'
import { readNarrow } from './narrow.js'
import { Refusal } from './refusal.js'

/** What stands for "after everything" among message ids. */
const AFTER_ALL = 10_000_000_000_000_000
const MAX_MESSAGES = 5_000
/** Feature levels of parameters that older servers leave unread. */
const SINCE = { anchorWords: 1, messageObject: 120, includeAnchor: 155, emptyTopicName: 334 }

const KNOWN = [
  ...['anchor', 'num_before', 'num_after', 'narrow', 'include_anchor', 'apply_markdown', 'client_gravatar'],
  'allow_empty_topic_name',
]

interface GetMessagesOptions {
  featureLevel: number
  /** The most messages before the anchor, and after it, in one answer. */
  pageMessages: number
}

/**
 * `GET /messages`: a window around an anchor in what a narrow leaves.
 *
 * @throws Refusal
 */
export function getMessages(
  query: URLSearchParams,
  book: MessageBook,
  options: GetMessagesOptions,
): Record<string, unknown> {
  const { featureLevel, pageMessages } = options
  const asked = [readCount(query, 'num_before'), readCount(query, 'num_after')]
  const [before = 0, after = 0] = asked.map(count => Math.min(count, pageMessages))
  if (before + after > MAX_MESSAGES) {
    throw new Refusal(400, 'BAD_REQUEST', `Too many messages requested (maximum ${MAX_MESSAGES}).`)
  }
  const anchor = readAnchor(query.get('anchor'), featureLevel)
  const narrow = query.get('narrow')
  const narrowed = book.select(narrow ?? '', readNarrow(narrow, book, featureLevel))
  const withAnchor = featureLevel < SINCE.includeAnchor || query.get('include_anchor') !== 'false'
  const window = windowOf(narrowed, { anchor, before, after, withAnchor })
  const form = {
    level: featureLevel,
    html: query.get('apply_markdown') !== 'false',
    emptyTopic: featureLevel >= SINCE.emptyTopicName && query.get('allow_empty_topic_name') === 'true',
  }
  const ignored = [...query.keys()].filter(name => !KNOWN.includes(name))
  return {
    ...window,
    anchor,
    history_limited: false,
    messages: window.messages.map(message => book.toAnswer(message, form)),
    ...(ignored.length > 0 ? { ignored_parameters_unsupported: ignored } : {}),
  }
}

/** `GET /messages/{message_id}`. @throws Refusal */
export function getMessage(
  id: number,
  query: URLSearchParams,
  book: MessageBook,
  level: number,
): Record<string, unknown> {
  const message = book.find(id)
  if (!message) throw new Refusal(400, 'BAD_REQUEST', 'Invalid message(s)')
  const { content: raw_content } = message
  if (level < SINCE.messageObject) return { raw_content }
  const html = query.get('apply_markdown') !== 'false'
  const emptyTopic = level >= SINCE.emptyTopicName && query.get('allow_empty_topic_name') === 'true'
  return { raw_content, message: book.toAnswer(message, { html, emptyTopic, level }) }
}

interface Window {
  anchor: number
  before: number
  after: number
  withAnchor: boolean
}

/** As the platform decides it: a side with fewer messages than requested has reached its end. */
function windowOf(messages: readonly BookedMessage[], { anchor, before, after, withAnchor }: Window) {
  const start = messages.findIndex(({ id }) => id >= anchor)
  const middle = start === -1 ? messages.length : start
  const isThere = messages[middle]?.id === anchor
  const older = messages.slice(Math.max(0, middle - before), middle)
  const newer = messages.slice(middle + (isThere ? 1 : 0)).slice(0, after)
  const at = withAnchor ? messages.slice(middle, middle + (isThere ? 1 : 0)) : []
  return {
    messages: [...older, ...at, ...newer],
    found_anchor: at.length === 1,
    found_oldest: anchor === 0 || older.length < before,
    found_newest: anchor === AFTER_ALL || newer.length < after,
  }
}

function readCount(query: URLSearchParams, name: string): number {
  const text = query.get(name)
  if (text === null) throw missing(name)
  if (!/^\d+$/.test(text)) throw new Refusal(400, 'BAD_REQUEST', `Bad value for '${name}': ${text}`)
  return Number(text)
}

function readAnchor(text: string | null, featureLevel: number): number {
  if (text === null) throw missing('anchor')
  if (featureLevel >= SINCE.anchorWords) {
    if (text === 'newest') return AFTER_ALL
    if (text === 'oldest' || text === 'first_unread') return 0
  }
  if (!/^-?\d+$/.test(text)) throw new Refusal(400, 'BAD_REQUEST', 'Invalid anchor')
  return Math.min(Math.max(Number(text), 0), AFTER_ALL)
}

function missing(name: string): Refusal {
  return new Refusal(400, 'REQUEST_VARIABLE_MISSING', `Missing '${name}' argument`, { var_name: name })
}
