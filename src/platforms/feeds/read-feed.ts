import { isUtf8 } from 'node:buffer'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { exchange, type HttpAnswer } from '../../http/exchange.js'
import { HttpFailure } from '../../http/http-failure.js'
import { AppError } from '../../model/app-error.js'
import { parseUrl } from '../../model/parse-url.js'
import {
  answerUnreadable,
  type PlatformWords,
  rateLimited,
  toPlatformFailure,
  toPlatformRefusal,
} from '../api/platform-refusals.js'
import { waitAsked } from '../api/platform-wait.js'
import { digestOf } from '../mapping/identifiers.js'
import { loginAfter } from './feed-login.js'
import { type Feed, NotAFeed, parseFeed } from './parse-feed.js'
import { isPrivateLiteral, publicAgent } from './public-address.js'
import { withoutQuery } from './without-query.js'

/** Identifies the last version of a feed, so that an unchanged feed is neither sent nor read again. */
export interface FeedVersion {
  etag?: string
  lastModified?: string
  /** Digest of the body, for servers that send no validator. */
  digest: string
}

/** A feed that was read. It has content only if it has changed. */
interface ReadFeed {
  version: FeedVersion
  feed?: Feed
}

const MAX_BYTES = 4 * 1024 * 1024
const IDLE_SECONDS = 20
/** Total time, including redirects. */
const TOTAL_SECONDS = 60
const REDIRECTS = 5
/** Limit of an `ETag` or `Last-Modified`. Longer ones are neither stored nor sent back. */
const VALIDATOR_CHARACTERS = 1_000
const REDIRECTING = [301, 302, 303, 307, 308]
/** Source: RFC 9110, section 8.4.1.3. */
const GZIP = ['gzip', 'x-gzip']
const ACCEPT =
  'application/atom+xml, application/rss+xml, application/rdf+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1'

const WORDS: PlatformWords = {
  checkAddress: 'Check the address of the feed.',
  again: 'It is read again later.',
  refused: {
    401: {
      category: 'forbidden',
      code: 'platform_not_permitted',
      what: 'requires a login',
      hint: 'Compare the user or the header of the login, and the secret of the source.',
    },
    403: {
      category: 'forbidden',
      code: 'platform_not_permitted',
      what: 'refuses the request',
      hint: 'It may not permit programs.',
    },
    404: {
      category: 'not_found',
      code: 'platform_place_unknown',
      what: 'has no such feed',
      hint: 'Check the address of the feed.',
    },
  },
}

const WITHOUT_LOGIN: PlatformWords = {
  ...WORDS,
  refused: {
    ...WORDS.refused,
    401: { ...WORDS.refused[401], hint: 'Give its proof a "login", and the source a secret.' },
  },
}

/** Words for an answer that began as a feed: the address is right. */
const CUT: PlatformWords = {
  ...WORDS,
  checkAddress:
    'It is read again later. If it is still cut off then, open its address: if it ends early there too, tell the operator of that server.',
}

const inflate = promisify(gunzip)

interface ReadFeedOptions {
  before?: FeedVersion | undefined
  /** Headers that only the origin of the feed receives, and only until a redirect leaves it. */
  login?: Readonly<Record<string, string>>
  /** Time for the answer, including redirects. */
  seconds?: number
  signal?: AbortSignal | undefined
}

/**
 * Reads a feed. Redirects are followed; to another origin only if its address is public. Otherwise the owner of the
 * feed could make this server read what only it can reach.
 *
 * @throws AppError `…/platform_…`, with `retryAfterSeconds` if the server asks for it; the signal's reason
 */
export async function readFeed(url: string, options: ReadFeedOptions = {}): Promise<ReadFeed> {
  const { before } = options
  const { answer, from } = await follow(new URL(url), options)
  const shown = new URL(url).host
  if (answer.status === 304 && before) return { version: before }
  const wait = waitAsked(answer.status === 503 ? { ...answer, status: 429 } : answer, Date.now())
  if (wait !== undefined) throw rateLimited(wait, shown, WORDS)
  const hasLogin = Object.keys(options.login ?? {}).length > 0
  if (answer.status !== 200) throw toPlatformRefusal(answer.status, shown, hasLogin ? WORDS : WITHOUT_LOGIN)
  const bytes = await decoded(answer, shown)
  const [etag, lastModified] = [answer.headers.etag, answer.headers['last-modified']].map(shortEnough)
  const version: FeedVersion = {
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
    digest: digestOf(bytes),
  }
  if (version.digest === before?.digest) return { version }
  try {
    return { version, feed: await parseFeed(textOf(bytes, answer), withoutQuery(from.href), nextTurn) }
  } catch (error) {
    throw error instanceof NotAFeed ? answerUnreadable(error.message, shown, error.isCut ? CUT : WORDS) : error
  }
}

function shortEnough(validator: string | undefined): string | undefined {
  return validator !== undefined && validator.length <= VALIDATOR_CHARACTERS ? validator : undefined
}

async function follow(
  first: URL,
  { before, login = {}, signal, seconds = TOTAL_SECONDS }: ReadFeedOptions,
): Promise<{ answer: HttpAnswer; from: URL }> {
  const end = performance.now() + seconds * 1_000
  const visited: URL[] = []
  let url = first
  for (let redirects = 0; redirects <= REDIRECTS; redirects++) {
    visited.push(url)
    const isForeign = url.origin !== first.origin
    const left = Math.max(0.1, Math.ceil((end - performance.now()) / 100) / 10)
    const answer = await get(url, { before, login: loginAfter(visited, login), signal, isForeign, seconds: left })
    const { location } = answer.headers
    if (!REDIRECTING.includes(answer.status) || location === undefined) return { answer, from: url }
    const next = parseUrl(asSent(location), url)
    if (!next || !/^https?:$/u.test(next.protocol)) {
      throw answerUnreadable('with a redirect to an address that is not http or https', first.host, WORDS)
    }
    url = next
  }
  throw answerUnreadable(`with more than ${REDIRECTS} redirects`, first.host, WORDS)
}

/** A header as UTF-8, if it is: Node reads headers as Latin-1, and some servers do not encode the letters of an address. */
function asSent(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : header
}

interface Asked extends ReadFeedOptions {
  seconds: number
  /**
   * The address is not at the origin that the administrator named. That origin's name alone is not enough: the owner of
   * the feed controls what it resolves to.
   */
  isForeign: boolean
}

async function get(url: URL, { before, login, signal, isForeign, seconds }: Asked): Promise<HttpAnswer> {
  if (isForeign && isPrivateLiteral(url.hostname)) {
    throw new AppError(
      'unavailable',
      'platform_unreachable',
      `${url.host} is a private address, to which a feed must not redirect.`,
      { hint: 'If it is the right place, name it as the address of the feed.' },
    )
  }
  try {
    return await exchange(
      { baseUrl: url.origin },
      {
        method: 'GET',
        path: `${url.pathname}${url.search}`,
        headers: {
          ...login,
          accept: ACCEPT,
          'accept-encoding': 'gzip',
          'user-agent': 'Daybook (feed reader)',
          ...(before?.etag === undefined ? {} : { 'if-none-match': before.etag }),
          ...(before?.lastModified === undefined ? {} : { 'if-modified-since': before.lastModified }),
        },
        idleSeconds: IDLE_SECONDS,
        totalSeconds: seconds,
        maxAnswerBytes: MAX_BYTES,
        signal,
        ...(isForeign ? { agent: publicAgent(url.protocol === 'https:') } : {}),
      },
    )
  } catch (error) {
    throw error instanceof HttpFailure ? toPlatformFailure(error, url.host, WORDS) : error
  }
}

async function decoded({ headers, body }: HttpAnswer, host: string): Promise<Buffer> {
  const encoding = headers['content-encoding']?.toLowerCase() || 'identity'
  if (encoding === 'identity') return body
  if (!GZIP.includes(encoding)) throw answerUnreadable('in an encoding that was not asked for', host, WORDS)
  try {
    return await inflate(body, { maxOutputLength: MAX_BYTES })
  } catch (cause) {
    const message = `${host} answers with gzip that is broken, or larger than ${MAX_BYTES / 1024 / 1024} MiB.`
    throw new AppError('unavailable', 'platform_answer_unreadable', message, { cause })
  }
}

const MARKS: readonly [mark: readonly number[], encoding: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]

/** Decodes by byte order mark, header, or XML declaration, else as UTF-8. Source: RFC 7303. */
function textOf(bytes: Buffer, { headers }: HttpAnswer): string {
  const declared = /^\s{0,20}<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/u.exec(
    bytes.subarray(0, 300).toString('latin1'),
  )
  const [, charset] = /charset="?([\w.:-]{1,40})/iu.exec(headers['content-type'] ?? '') ?? []
  const marked = MARKS.find(([mark]) => mark.every((byte, at) => bytes[at] === byte))?.[1]
  return decoder(marked ?? charset ?? declared?.[1] ?? 'utf-8').decode(bytes)
}

function decoder(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label)
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder()
    throw error
  }
}
