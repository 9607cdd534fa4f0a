import { parseUrl } from '../../model/parse-url.js'
import {
  linkOf,
  type PlatformAnswer,
  PlatformApi,
  type PlatformApiOptions,
  type RequestPolicy,
} from '../api/platform-api.js'

/** Maximum total wait of one request of a command. GitHub renews its allowance every hour. */
export const COMMAND_WAIT_SECONDS = 3_660

const COMMAND_POLICY: RequestPolicy = {
  connections: 4,
  longestWaitSeconds: COMMAND_WAIT_SECONDS,
  retrySeconds: [1, 3, 10],
  words: {
    checkAddress: 'Check --url or EVENT_HISTORY_URL_….',
    again: 'Run it again to continue.',
    refused: {
      401: {
        category: 'unauthenticated',
        code: 'platform_credentials_refused',
        what: 'does not accept the token',
        hint: 'Check EVENT_HISTORY_TOKEN_…, or the file that EVENT_HISTORY_TOKEN_…_FILE names.',
      },
      403: {
        category: 'forbidden',
        code: 'platform_not_permitted',
        what: 'does not permit to read this',
        hint: 'Check what the token may read.',
      },
      404: {
        category: 'not_found',
        code: 'platform_place_unknown',
        what: 'has no such place, or does not show it',
        hint: 'Check the target, and what the token may read.',
      },
    },
  },
}

/** A schedule has other watches to poll, and continues in its next round. */
const POLL_POLICY: RequestPolicy = {
  connections: 2,
  longestWaitSeconds: 60,
  retrySeconds: [1, 3],
  words: {
    ...COMMAND_POLICY.words,
    checkAddress: 'Check EVENT_HISTORY_URL_… and the target of the subscription.',
    again: 'The next capture continues.',
  },
}

export interface HistoryApiOptions extends PlatformApiOptions {
  /** True for a poll, which gives up sooner. */
  isBrief: boolean
  signal?: AbortSignal | undefined
}

/** One page of a platform's list. */
export interface ListPage {
  items: unknown[]
  /** Path of the next page, below the address of the API. */
  next?: string | undefined
  /** Path of the previous page. */
  previous?: string | undefined
  /** Number of the last page, if the platform names it. */
  lastPage?: number | undefined
}

/** Reads objects and lists of a platform. Every method may throw as `PlatformApi`, with `not_found/platform_place_unknown`. */
export class HistoryApi {
  readonly #api: PlatformApi
  readonly #basePath: string

  constructor(private readonly options: HistoryApiOptions) {
    const { pathname } = new URL(options.baseUrl)
    this.#api = new PlatformApi(options, options.isBrief ? POLL_POLICY : COMMAND_POLICY)
    this.#basePath = pathname === '/' ? '' : pathname
  }

  async object(path: string): Promise<unknown> {
    return this.#api.parse((await this.#get(path)).text)
  }

  /** @throws also AppError `unavailable/platform_answer_unreadable` if the answer is not a list */
  async list(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ListPage> {
    const answer = await this.#get(path, headers)
    const items = this.#api.parse(answer.text)
    if (!Array.isArray(items)) throw this.unreadable('not with a list')
    const next = this.#pathOf(linkOf(answer, 'next'), path) ?? nextByTotal(answer, path, items.length)
    if (next === path) throw this.unreadable('with a list that leads back to itself')
    return { items, next, previous: this.#pathOf(linkOf(answer, 'prev'), path), lastPage: lastPageOf(answer) }
  }

  /** @param how such as `not with an object` */
  unreadable(how: string) {
    return this.#api.unreadable(how)
  }

  /** How far the platform's clock is ahead of ours, in milliseconds, by its latest answer. */
  clockAheadMs(): number {
    return this.#api.clockAheadMs()
  }

  /** Closes the connections. */
  close(): void {
    this.#api.close()
  }

  #get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<PlatformAnswer> {
    return this.#api.call('GET', path, { headers, signal: this.options.signal })
  }

  /**
   * Uses only the path of a link, so that the credential is sent to no other server. A server that has another path for
   * others, such as Gitea behind a proxy, puts that one into its links: then only the query counts.
   *
   * @param path of the list that has the link
   */
  #pathOf(link: string | undefined, path: string): string | undefined {
    const url = link === undefined ? undefined : parseUrl(link, this.options.baseUrl)
    if (!url) return undefined
    const { pathname, search } = url
    const isBelow = pathname.startsWith(`${this.#basePath}/`)
    return `${isBelow ? pathname.slice(this.#basePath.length) : path.split('?', 1)[0]}${search}`
  }
}

/**
 * The next page of a list without links, if not all items fit into the pages so far. Gitea has no links for comments of
 * a repository, only the number of all items.
 */
function nextByTotal({ headers }: PlatformAnswer, path: string, itemsOfPage: number): string | undefined {
  const total = Number(headers['x-total-count'])
  const page = Number(PAGE.exec(path)?.[1] ?? 1)
  if (headers.link !== undefined || itemsOfPage === 0 || !(page * itemsOfPage < total)) return undefined
  const { pathname, searchParams } = new URL(path, 'http://list')
  searchParams.set('page', String(page + 1))
  return `${pathname}?${searchParams}`
}

const PAGE = /[?&]page=(\d{1,9})/u

/** The number of the last page. GitHub and Gitea put it in a link, GitLab in a header. */
function lastPageOf(answer: PlatformAnswer): number | undefined {
  const last = PAGE.exec(linkOf(answer, 'last') ?? '')?.[1] ?? answer.headers['x-total-pages']
  const page = Number(last)
  return Number.isInteger(page) && page > 0 ? page : undefined
}
