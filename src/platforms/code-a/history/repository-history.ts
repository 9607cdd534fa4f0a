import { isObject } from '../../../model/json-object.js'
import type { NumberedType } from '../../../model/subscriptions/target-place.js'
import type { HistoryApi } from '../../history/history-api.js'
import type { History, HistoryPage, HistoryPlace, HistoryStream } from '../../history/history-stream.js'
import {
  hasRecent,
  type ItemPage,
  type ItemReader,
  joinPages,
  pagesLeft,
  readFromEnd,
  readSubList,
  toHistoryPage,
} from '../../history/item-events.js'
import { idAt, objectAt, type Payload, textAt } from '../../mapping/payload.js'
import { normaliseCodeABody } from '../normalise.js'
import {
  commentDeliveries,
  issueDeliveries,
  pullRequestDeliveries,
  type Repository,
  releaseDeliveries,
  reviewDeliveries,
  starDeliveries,
} from './past-deliveries.js'
import { Threads } from './threads.js'

/** A repository, or one issue or pull request in it. */
interface RepositoryPlace {
  /** `owner/name` */
  path: string
  numbered?: { type: NumberedType; number: string } | undefined
  flavour: 'github' | 'gitea'
}

/** GitHub's maximum. Gitea may list fewer, depending on its configuration. */
const PAGE_ITEMS = 100
/** With this type, GitHub lists stars with their times. */
const STAR_JSON = { accept: 'application/vnd.github.star+json' }

const OLDEST_FIRST = { sort: 'created', direction: 'asc' }

const KINDS = {
  issue: ['issue.created', 'issue.closed'],
  pullRequest: ['pull_request.created', 'pull_request.closed', 'pull_request.merged', 'review.submitted'],
  comment: ['comment.created'],
  reviewComment: ['review_comment.created'],
  release: ['release.published'],
  star: ['star.created'],
} as const

type ToDeliveries = ItemReader['toDeliveries']
/** Reads what the items of a page need in addition. */
type Complete = (page: ItemPage, items: readonly unknown[]) => Promise<ItemPage>

/**
 * The history of a repository of GitHub, Gitea or Forgejo: issues, pull requests, their comments and reviews, releases
 * and stars. Each list is read oldest first where the platform permits.
 *
 * @throws AppError as `HistoryApi`
 *
 * Source: GitHub, "REST API endpoints" for issues, pulls, comments, releases and starring; Gitea, its OpenAPI
 * description.
 */
export async function openRepositoryHistory({
  api,
  place,
  since,
  isRecent,
}: HistoryPlace<RepositoryPlace>): Promise<History> {
  const { path, numbered, flavour } = place
  const base = `/repos/${path.split('/').map(encodeURIComponent).join('/')}`
  const repository: Repository = { payload: await readRepository(api, base), flavour, since }
  const lists = new RepositoryLists(api, base, repository, isRecent)
  const missing =
    flavour === 'gitea' ? ['stars, which have no time in this API', 'reviews, which have no id in its webhooks'] : []
  if (numbered?.type === 'issue') return { streams: lists.ofIssue(numbered.number), missing: [] }
  const streams = numbered ? lists.ofPullRequest(numbered.number) : lists.ofRepository()
  return { streams, missing: numbered ? missing.slice(1) : missing }
}

class RepositoryLists {
  readonly #threads: Threads

  constructor(
    private readonly api: HistoryApi,
    private readonly base: string,
    private readonly repository: Repository,
    private readonly isRecent: boolean,
  ) {
    this.#threads = new Threads(api, base)
  }

  ofRepository(): HistoryStream[] {
    const { flavour } = this.repository
    const isGitHub = flavour === 'github'
    const changed = this.#changed
    const issues = this.#path('/issues', { state: 'all', ...OLDEST_FIRST, ...changed })
    const comments = this.#path('/issues/comments', { ...OLDEST_FIRST, ...changed })
    return [
      this.#stream('issues', issues, this.#issue, { kinds: KINDS.issue }),
      this.#pullRequests(),
      this.#stream('comments', comments, this.#comment, { kinds: KINDS.comment }),
      ...(isGitHub
        ? [
            this.#stream(
              'review comments',
              this.#path('/pulls/comments', { ...OLDEST_FIRST, ...changed }),
              this.#reviewComment,
              { kinds: KINDS.reviewComment },
            ),
            this.#oldestFirst('commit comments', this.#path('/comments', {}), this.#commitComment, {
              kinds: KINDS.comment,
              time: 'created_at',
            }),
          ]
        : []),
      // The list begins with the release that was created last, and a draft may be published later.
      this.#stream('releases', this.#path('/releases', {}), this.#release, {
        kinds: KINDS.release,
        ...(this.isRecent
          ? { mayFollow: items => hasRecent(items, this.repository.since, 'published_at', 'created_at') }
          : {}),
      }),
      ...(isGitHub
        ? [
            this.#oldestFirst('stars', this.#path('/stargazers', {}), this.#star, {
              kinds: KINDS.star,
              time: 'starred_at',
              headers: STAR_JSON,
            }),
          ]
        : []),
    ]
  }

  ofIssue(number: string): HistoryStream[] {
    const comments = this.#path(`/issues/${number}/comments`, this.#changed)
    return [
      this.#single('issue', `${this.base}/issues/${number}`, this.#issue, { kinds: KINDS.issue }),
      this.#stream('comments', comments, this.#comment, { kinds: KINDS.comment }),
    ]
  }

  ofPullRequest(number: string): HistoryStream[] {
    const comments = this.#path(`/issues/${number}/comments`, this.#changed)
    const onCode = this.#path(`/pulls/${number}/comments`, this.#changed)
    const streams = [
      this.#single('pull request', `${this.base}/pulls/${number}`, this.#pullRequest, {
        kinds: KINDS.pullRequest,
        complete: this.#withReviews,
      }),
      this.#stream('comments', comments, this.#comment, { kinds: KINDS.comment }),
    ]
    if (this.repository.flavour === 'gitea') return streams
    return [...streams, this.#stream('review comments', onCode, this.#reviewComment, { kinds: KINDS.reviewComment })]
  }

  /** Selects only items that changed since then. */
  get #changed(): { since: string } {
    return { since: `${this.repository.since.slice(0, 19)}Z` }
  }

  /**
   * The list has no filter by time. Sorted by change, items would move between pages during a complete read, and some
   * would be skipped. During a poll, an item that moves to the front changed after the poll began, so the next poll
   * reads it.
   */
  #pullRequests(): HistoryStream {
    const isGitHub = this.repository.flavour === 'github'
    const oldest = isGitHub ? OLDEST_FIRST : { sort: 'oldest' }
    const latest = isGitHub ? { sort: 'updated', direction: 'desc' } : { sort: 'recentupdate' }
    const path = this.#path('/pulls', { state: 'all', ...(this.isRecent ? latest : oldest) })
    return this.#stream('pull requests', path, this.#pullRequest, {
      kinds: KINDS.pullRequest,
      complete: this.#withReviews,
      ...(this.isRecent ? { mayFollow: items => hasRecent(items.slice(-1), this.repository.since, 'updated_at') } : {}),
    })
  }

  /** A list that has no order but oldest first. A poll reads it from its last page. */
  #oldestFirst(
    name: string,
    first: string,
    toDeliveries: ToDeliveries,
    options: Pick<StreamOptions, 'kinds' | 'headers'> & { time: string },
  ): HistoryStream {
    const { kinds, headers, time } = options
    if (!this.isRecent) return this.#stream(name, first, toDeliveries, { kinds, headers })
    const reader = { name, normalise: normaliseCodeABody, toDeliveries }
    const list = { api: this.api, first, reader, time, since: this.repository.since, headers }
    return { name, kinds, read: position => readFromEnd(position, list) }
  }

  readonly #issue: ToDeliveries = issue => {
    this.#threads.keep(issue)
    // This list also contains pull requests, but with another id.
    return objectAt(issue, 'pull_request') ? [] : issueDeliveries(this.repository, issue)
  }

  readonly #pullRequest: ToDeliveries = pull => pullRequestDeliveries(this.repository, pull)

  /** The API lists reviews only per pull request. */
  readonly #withReviews = async (page: ItemPage, pulls: readonly unknown[]): Promise<ItemPage> => {
    const { flavour, since } = this.repository
    if (flavour === 'gitea') return page
    const changed = pulls.filter(isObject).filter(pull => (textAt(pull, 'updated_at') ?? '') >= since.slice(0, 19))
    return joinPages([page, ...(await Promise.all(changed.map(pull => this.#reviewsOf(pull))))])
  }

  async #reviewsOf(pull: Payload): Promise<ItemPage> {
    const number = idAt(pull, 'number')
    if (number === undefined) return joinPages([])
    const toDeliveries: ToDeliveries = review => reviewDeliveries(this.repository, pull, review)
    const reader = { name: `reviews of #${number}`, normalise: normaliseCodeABody, toDeliveries }
    return readSubList(this.api, this.#path(`/pulls/${number}/reviews`, {}), reader)
  }

  readonly #comment: ToDeliveries = async comment => {
    const issue = await this.#threads.issueOf(comment)
    const isPull = this.repository.flavour === 'gitea' && objectAt(issue, 'pull_request') !== undefined
    return commentDeliveries(this.repository, 'issue_comment', comment, { issue, ...(isPull ? { is_pull: true } : {}) })
  }

  readonly #reviewComment: ToDeliveries = comment => {
    const pull_request = this.#threads.pullRequestOf(comment)
    return commentDeliveries(this.repository, 'pull_request_review_comment', comment, { pull_request })
  }

  readonly #commitComment: ToDeliveries = comment => commentDeliveries(this.repository, 'commit_comment', comment)
  readonly #release: ToDeliveries = release => releaseDeliveries(this.repository, release)
  readonly #star: ToDeliveries = star => starDeliveries(this.repository, star)

  #path(path: string, parameters: Record<string, string>): string {
    const size = String(PAGE_ITEMS)
    const paging: Record<string, string> = this.repository.flavour === 'github' ? { per_page: size } : { limit: size }
    return `${this.base}${path}?${new URLSearchParams({ ...parameters, ...paging })}`
  }

  #stream(name: string, first: string, toDeliveries: ToDeliveries, options: StreamOptions): HistoryStream {
    const { kinds, headers, complete = asItIs, mayFollow = () => true } = options
    const read = async (position = first): Promise<HistoryPage> => {
      const { items, next, lastPage } = await this.api.list(position, headers)
      const page = await toHistoryPage(items, { name, normalise: normaliseCodeABody, toDeliveries })
      const left = mayFollow(items) ? { next, pagesLeft: pagesLeft(position, lastPage) } : {}
      return { ...(await complete(page, items)), ...left }
    }
    return { name, kinds, read }
  }

  #single(name: string, path: string, toDeliveries: ToDeliveries, options: StreamOptions): HistoryStream {
    const { kinds, complete = asItIs } = options
    const reader = { name, normalise: normaliseCodeABody, toDeliveries }
    const read = async () => {
      const items = [await this.api.object(path)]
      return complete(await toHistoryPage(items, reader), items)
    }
    return { name, kinds, read }
  }
}

interface StreamOptions {
  kinds: readonly string[]
  headers?: Readonly<Record<string, string>> | undefined
  complete?: Complete
  /** Whether the next page may have relevant items. */
  mayFollow?: (items: readonly unknown[]) => boolean
}

async function asItIs(page: ItemPage): Promise<ItemPage> {
  return page
}

/** Keeps the members that webhooks send. The templates of addresses would only take space in every event. */
async function readRepository(api: HistoryApi, path: string): Promise<Payload> {
  const found = await api.object(path)
  if (!isObject(found) || idAt(found, 'id') === undefined) throw api.unreadable('without a repository')
  const isKept = ([name, value]: [string, unknown]) =>
    name === 'html_url' || (!name.endsWith('_url') && !LARGE.has(name) && name !== 'url' && value !== null)
  return Object.fromEntries(Object.entries(found).filter(isKept))
}

/** Members with other repositories, and with the caller's permissions. */
const LARGE = new Set(['parent', 'source', 'template_repository', 'permissions', 'organization', 'internal_tracker'])
