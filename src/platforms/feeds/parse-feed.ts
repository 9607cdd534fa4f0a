import { Parser } from 'htmlparser2'
import { parseUrl } from '../../model/parse-url.js'
import { findTimestamp, toTimestamp } from '../../model/timestamp.js'
import { digestOf } from '../mapping/identifiers.js'

/** A feed in the form that mapping rules read. Empty texts are absent. */
export interface Feed {
  title?: string
  link?: string
  /** In the order of the feed. Each item has a different `key`. */
  items: FeedItem[]
}

interface FeedItem {
  /** The item's id (`guid`, `id` or `rdf:about`), else its link if no other item has it, else a digest of its content. */
  key: string
  link?: string
  title?: string
  /** `summary`, otherwise `content`, without markup. */
  text?: string
  summary?: string
  content?: string
  author?: string
  /** RFC 3339, or as received if it is not a time. */
  published?: string
  updated?: string
  categories: string[]
  enclosure?: string
}

/** The document is not a feed. The message continues a sentence: "The address answers …". */
export class NotAFeed extends Error {
  constructor(
    message: string,
    /** Whether the document began as a feed, but its end is missing. */
    readonly isCut = false,
  ) {
    super(message)
  }
}

/** Characters between two pauses: parsing them takes a few milliseconds. */
const PIECE = 64 * 1024
const DEPTH = 128
const ITEMS = 1_000
const ITEMS_A_TURN = 10
const CATEGORIES = 50
/** Limits of one text, in characters. */
const LONG = 32 * 1024
const SHORT = 2_000
const FIRST_YEARS = / 0\d{3} /u
const ZONE = /(?:\bZ|\bUTC?|\bGMT|\b[ECMP][SD]T|[+-]\d{2}:?\d{2})$/u

type Text = 'title' | 'link' | 'id' | 'summary' | 'content' | 'author' | 'published' | 'updated' | 'category'

/**
 * Elements with a text, of RSS 0.9 to 2.0 with Dublin Core, and of Atom. An earlier alternative does not exclude a
 * later one.
 */
const TEXTS: ReadonlyMap<string, Text> = new Map([
  ['title', 'title'],
  ['link', 'link'],
  ['guid', 'id'],
  ['id', 'id'],
  ['description', 'summary'],
  ['summary', 'summary'],
  ['content:encoded', 'content'],
  ['content', 'content'],
  ['author', 'author'],
  ['name', 'author'],
  ['dc:creator', 'author'],
  ['pubDate', 'published'],
  ['published', 'published'],
  ['issued', 'published'],
  ['dc:date', 'published'],
  ['updated', 'updated'],
  ['modified', 'updated'],
  ['category', 'category'],
  ['dc:subject', 'category'],
])
const ROOTS = ['rss', 'rdf:RDF', 'feed']
const ITEM_ELEMENTS = ['item', 'entry']
const HEADS = ['channel', 'feed']

/** Content of a feed's or an item's element, before it is ordered. */
interface Found {
  texts: Partial<Record<Text, string>>
  categories: string[]
  link?: string
  enclosure?: string
  about?: string
}

/**
 * Reads RSS 2.0, RSS 1.0 (RDF) or Atom. A feed with XML errors is read as far as possible. A document whose root
 * element is not closed is refused: only this shows that an answer without a length was cut. Document types are not
 * read, so they define no entities and load nothing.
 *
 * @param url of the feed, for relative links
 * @param pause called between pieces, so that other work gets a turn
 * @throws NotAFeed
 *
 * Source: RSS 2.0 specification; RDF Site Summary 1.0; RFC 4287.
 */
export async function parseFeed(xml: string, url: string, pause: () => Promise<unknown>): Promise<Feed> {
  const reader = new FeedReader()
  const parser = new Parser(reader, { xmlMode: true })
  for (let from = 0; from < xml.length && !reader.isFull; from += PIECE) {
    if (from > 0) await pause()
    parser.write(xml.slice(from, from + PIECE))
  }
  if (!reader.isFull) {
    if (reader.isOpen) throw new NotAFeed('with a document that is cut off: its root element is not closed', true)
    parser.end()
  }
  if (!reader.isFeed) throw new NotAFeed('with a document that is neither RSS nor Atom')
  const { texts, link: linked } = reader.head
  const link = absolute(linked ?? texts.link, url)
  const shared = sharedLinks(reader.items, link, url)
  const items = new Map<string, FeedItem>()
  for (const [index, found] of reader.items.entries()) {
    if (index % ITEMS_A_TURN === 0) await pause()
    const item = toItem(found, shared, url)
    if (!items.has(item.key)) items.set(item.key, item)
  }
  return defined({ title: texts.title, link, items: [...items.values()] })
}

/** Links that identify no item: that of the feed, and those of several items with different content. */
function sharedLinks(
  items: readonly Found[],
  ofFeed: string | undefined,
  url: string,
): ReadonlySet<string | undefined> {
  const shared = new Set([ofFeed])
  const firsts = new Map<string, Found>()
  for (const item of items) {
    const link = linkOf(item, url)
    if (link === undefined || (idOf(item) ?? link) !== link || shared.has(link)) continue
    const first = firsts.get(link)
    if (first === undefined) firsts.set(link, item)
    else if (contentOf(first) !== contentOf(item)) shared.add(link)
  }
  return shared
}

/** Collects the relevant elements as the parser reports them. */
class FeedReader {
  isFeed = false
  readonly head: Found = newFound()
  readonly items: Found[] = []
  /** Names of the open elements, without the prefix that some Atom feeds have. */
  readonly #open: string[] = []
  #item: Found | undefined
  /** The element whose text is being collected, with the number of open elements inside. */
  #collecting: { into: Found; as: Text; parts: string[]; size: number; inner: number; isMarkup: boolean } | undefined
  #prefix = ''

  get isFull(): boolean {
    return this.items.length >= ITEMS
  }

  /** Whether an element is not closed yet. */
  get isOpen(): boolean {
    return this.#open.length > 0
  }

  onopentag(sent: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#open.length === 0) this.#begin(sent)
    const name = sent.startsWith(this.#prefix) ? sent.slice(this.#prefix.length) : sent
    this.#open.push(name)
    if (this.#open.length > DEPTH) throw new NotAFeed('with elements that are nested too deeply')
    if (this.#collecting) {
      this.#collecting.inner += 1
      // Of XHTML, only the text is kept.
      if (SEPARATING.test(name.slice(name.indexOf(':') + 1))) this.ontext('\n')
      return
    }
    const parent = this.#open.at(-2) ?? ''
    const ofAuthor = name === 'name' && parent === 'author'
    const holder = ofAuthor ? this.#open.at(-3) : parent
    if (ITEM_ELEMENTS.includes(name) && !this.#item) {
      this.#item = newFound()
      const about = attributes['rdf:about']
      if (about) this.#item.about = about
    } else if (this.#item ? ITEM_ELEMENTS.includes(holder ?? '') : HEADS.includes(holder ?? '')) {
      this.#openMember(name, attributes, this.#item ?? this.head)
    }
  }

  ontext(text: string): void {
    const collecting = this.#collecting
    if (!collecting || collecting.size > LONG) return
    collecting.parts.push(text)
    collecting.size += text.length
  }

  onclosetag(sent: string): void {
    const name = this.#open.pop()
    const collecting = this.#collecting
    if (collecting && collecting.inner > 0) {
      collecting.inner -= 1
      return
    }
    if (collecting) {
      this.#collecting = undefined
      const joined = collecting.parts.join('').slice(0, LONG)
      keepText(collecting.into, collecting.as, collecting.isMarkup ? withoutMarkup(joined) : joined)
    } else if (ITEM_ELEMENTS.includes(name ?? sent) && this.#item && !this.#open.some(isItem)) {
      if (!this.isFull) this.items.push(this.#item)
      this.#item = undefined
    }
  }

  #begin(root: string): void {
    const local = root.slice(root.indexOf(':') + 1)
    if (local === 'feed' && root !== local) this.#prefix = root.slice(0, -local.length)
    this.isFeed ||= ROOTS.includes(root) || local === 'feed'
    if (!this.isFeed) throw new NotAFeed('with a document that is neither RSS nor Atom')
  }

  #openMember(name: string, attributes: Readonly<Record<string, string>>, into: Found): void {
    const { href, rel = 'alternate', term, url, type } = attributes
    if (name === 'link' && href !== undefined) {
      if (rel === 'alternate') into.link ??= href
      if (rel === 'enclosure') into.enclosure ??= href
    } else if (name === 'enclosure' && url !== undefined) into.enclosure ??= url
    else if (name === 'category' && term !== undefined) keepText(into, 'category', term)
    else {
      const as = TEXTS.get(name)
      // The author of an Atom entry contains elements. Only the name is read.
      if (as === undefined || (name === 'author' && this.#open[0] === 'feed')) return
      const isMarkup = as === 'title' && type === 'html'
      this.#collecting = { into, as, parts: [], size: 0, inner: 0, isMarkup }
    }
  }
}

function isItem(name: string): boolean {
  return ITEM_ELEMENTS.includes(name)
}

function newFound(): Found {
  return { texts: {}, categories: [] }
}

function keepText({ texts, categories }: Found, as: Text, text: string): void {
  const kept = text.trim()
  if (kept === '') return
  if (as !== 'category') texts[as] ??= kept
  else if (categories.length < CATEGORIES) categories.push(kept.slice(0, SHORT))
}

function toItem(found: Found, shared: ReadonlySet<string | undefined>, url: string): FeedItem {
  const { texts, categories, enclosure } = found
  const { title, summary, content, author } = texts
  const link = linkOf(found, url)
  const described = summary ?? content
  const identifyingLink = shared.has(link) ? undefined : link
  const key = idOf(found) ?? identifyingLink ?? `sha256-${digestOf(contentOf(found))}`
  return defined({
    key,
    link,
    title: title?.slice(0, SHORT),
    text: described && withoutMarkup(described),
    summary,
    content,
    author: author?.slice(0, SHORT),
    published: texts.published && toInstant(texts.published),
    updated: texts.updated && toInstant(texts.updated),
    categories,
    enclosure: absolute(enclosure, url),
  })
}

function idOf({ texts, about }: Found): string | undefined {
  return texts.id ?? about
}

/** An id is a link too if it is a web address. */
function linkOf(found: Found, url: string): string | undefined {
  const id = idOf(found)
  const address = id !== undefined && /^https?:/iu.test(id) ? id : undefined
  return absolute(found.link ?? found.texts.link ?? address, url)
}

function contentOf({ texts: { title, published, summary, content } }: Found): string {
  return JSON.stringify([title, published, summary ?? content])
}

function absolute(link: string | undefined, base: string): string | undefined {
  if (link === undefined || link.length > SHORT) return undefined
  const url = parseUrl(link, base)
  return url && /^https?:$/u.test(url.protocol) ? url.href : undefined
}

/**
 * Converts RFC 3339 or RFC 822. A time without a zone stays unchanged: its meaning would depend on the time zone of the
 * server. So does one in the first years, which programs in Go send for no time: JavaScript would read `0001` as 2001.
 */
function toInstant(text: string): string {
  const instant = findTimestamp(text)?.text
  if (instant !== undefined) return instant
  const milliseconds = ZONE.test(text) && !FIRST_YEARS.test(text) ? Date.parse(text) : Number.NaN
  return milliseconds > 0 && milliseconds < 253_402_300_800_000 ? toTimestamp(milliseconds * 1_000) : text.slice(0, 100)
}

const SEPARATING = /^(?:p|div|br|li|tr|h[1-6]|blockquote|pre)$/u
const UNSEEN = ['script', 'style']

/** The text of HTML. */
function withoutMarkup(html: string): string {
  const parts: string[] = []
  let unseen = 0
  let open = 0
  const tooDeep = new Error('nested too deeply')
  const parser = new Parser({
    onopentag: name => {
      open += 1
      if (open > DEPTH) throw tooDeep
      if (UNSEEN.includes(name)) unseen += 1
      if (SEPARATING.test(name)) parts.push('\n')
    },
    onclosetag: name => {
      open -= 1
      if (UNSEEN.includes(name)) unseen -= 1
    },
    ontext: text => {
      if (unseen === 0) parts.push(text)
    },
  })
  try {
    parser.end(html)
  } catch (error) {
    // The parser's time grows with the depth. The rest is omitted.
    if (error !== tooDeep) throw error
  }
  const lines = parts
    .join('')
    .split('\n')
    .map(line => line.replace(/[\t ]+/gu, ' ').trim())
  return lines.filter(line => line !== '').join('\n')
}

/** Drops undefined and empty members. */
function defined<Members extends object>(
  members: Members,
): { [Name in keyof Members]: Exclude<Members[Name], undefined> } {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined && value !== '')
  return Object.fromEntries(kept) as { [Name in keyof Members]: Exclude<Members[Name], undefined> }
}
