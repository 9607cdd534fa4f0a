import type { NumberedType } from '../../../model/subscriptions/target-place.js'
import type { HistoryApi } from '../../history/history-api.js'
import type { History, HistoryPage, HistoryPlace, HistoryStream } from '../../history/history-stream.js'
import {
  type ItemPage,
  type ItemReader,
  joinPages,
  pagesLeft,
  readSubList,
  toHistoryPage,
} from '../../history/item-events.js'
import { idAt, isPayload, objectAt, type Payload, textAt } from '../../mapping/payload.js'
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
export interface RepositoryPlace {
  /** `owner/name` */
  path: string
  numbered?: { type: NumberedType; number: string } | undefined
  flavour: 'github' | 'gitea'
}

/** The most that GitHub lists in a page; Gitea lists fewer, as its configuration says. */
const PAGE_ITEMS = 100
/** GitHub lists stars with their times only for this type. */
const STAR_JSON = { accept: 'application/vnd.github.star+json' }

type ToDeliveries = ItemReader['toDeliveries']
/** Adds what has to be read for the items of a page. */
type Complete = (page: ItemPage, items: readonly unknown[]) => Promise<ItemPage>

/**
 * What happened in a repository of GitHub, Gitea or Forgejo: issues, pull requests, their comments and reviews, releases and
 * stars, each list oldest first where the platform permits.
 *
 * @throws AppError as `HistoryApi`
 *
 * Source: GitHub, "REST API endpoints" for issues, pulls, comments, releases and starring; Gitea, its OpenAPI description.
 */
export async function openRepositoryHistory({ api, place, since }: HistoryPlace<RepositoryPlace>): Promise<History> {
  const { path, numbered, flavour } = place
  const base = `/repos/${path.split('/').map(encodeURIComponent).join('/')}`
  const repository: Repository = { payload: await readRepository(api, base), flavour, since }
  const lists = new RepositoryLists(api, base, repository)
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
  ) {
    this.#threads = new Threads(api, base)
  }

  ofRepository(): HistoryStream[] {
    const { flavour, since } = this.repository
    const oldestFirst = { sort: 'created', direction: 'asc' }
    const changed = { since: `${since.slice(0, 19)}Z` }
    const isGitHub = flavour === 'github'
    // Pull requests cannot be filtered by time, and sorted by change they would move between pages while they are read.
    const pulls = { state: 'all', ...(isGitHub ? oldestFirst : { sort: 'oldest' }) }
    return [
      this.#stream('issues', this.#path('/issues', { state: 'all', ...oldestFirst, ...changed }), this.#issue),
      this.#stream('pull requests', this.#path('/pulls', pulls), this.#pullRequest, { complete: this.#withReviews }),
      this.#stream('comments', this.#path('/issues/comments', { ...oldestFirst, ...changed }), this.#comment),
      ...(isGitHub
        ? [
            this.#stream(
              'review comments',
              this.#path('/pulls/comments', { ...oldestFirst, ...changed }),
              this.#reviewComment,
            ),
            this.#stream('commit comments', this.#path('/comments', {}), this.#commitComment),
          ]
        : []),
      this.#stream('releases', this.#path('/releases', {}), this.#release),
      ...(isGitHub ? [this.#stream('stars', this.#path('/stargazers', {}), this.#star, { headers: STAR_JSON })] : []),
    ]
  }

  ofIssue(number: string): HistoryStream[] {
    return [
      this.#single('issue', `${this.base}/issues/${number}`, this.#issue),
      this.#stream('comments', this.#path(`/issues/${number}/comments`, {}), this.#comment),
    ]
  }

  ofPullRequest(number: string): HistoryStream[] {
    const comments = this.#stream('comments', this.#path(`/issues/${number}/comments`, {}), this.#comment)
    const pull = this.#single('pull request', `${this.base}/pulls/${number}`, this.#pullRequest, this.#withReviews)
    if (this.repository.flavour === 'gitea') return [pull, comments]
    const onCode = this.#stream('review comments', this.#path(`/pulls/${number}/comments`, {}), this.#reviewComment)
    return [pull, comments, onCode]
  }

  readonly #issue: ToDeliveries = issue => {
    this.#threads.keep(issue)
    // Pull requests are in this list too, but with another id.
    return objectAt(issue, 'pull_request') ? [] : issueDeliveries(this.repository, issue)
  }

  readonly #pullRequest: ToDeliveries = pull => pullRequestDeliveries(this.repository, pull)

  /** Reviews are listed only for one pull request. */
  readonly #withReviews = async (page: ItemPage, pulls: readonly unknown[]): Promise<ItemPage> => {
    const { flavour, since } = this.repository
    if (flavour === 'gitea') return page
    const changed = pulls.filter(isPayload).filter(pull => (textAt(pull, 'updated_at') ?? '') >= since.slice(0, 19))
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

  #stream(name: string, first: string, toDeliveries: ToDeliveries, more: StreamOptions = {}): HistoryStream {
    const { headers, complete = asItIs } = more
    const read = async (position = first): Promise<HistoryPage> => {
      const { items, next, lastPage } = await this.api.list(position, headers)
      const page = await toHistoryPage(items, { name, normalise: normaliseCodeABody, toDeliveries })
      return { ...(await complete(page, items)), next, pagesLeft: pagesLeft(position, lastPage) }
    }
    return { name, read }
  }

  #single(name: string, path: string, toDeliveries: ToDeliveries, complete: Complete = asItIs): HistoryStream {
    const reader = { name, normalise: normaliseCodeABody, toDeliveries }
    const read = async () => {
      const items = [await this.api.object(path)]
      return complete(await toHistoryPage(items, reader), items)
    }
    return { name, read }
  }
}

interface StreamOptions {
  headers?: Readonly<Record<string, string>>
  complete?: Complete
}

async function asItIs(page: ItemPage): Promise<ItemPage> {
  return page
}

/** Webhooks send the same members; the templates of addresses would only take space in every event. */
async function readRepository(api: HistoryApi, path: string): Promise<Payload> {
  const found = await api.object(path)
  if (!isPayload(found) || idAt(found, 'id') === undefined) throw api.unreadable('without a repository')
  const isKept = ([name, value]: [string, unknown]) =>
    name === 'html_url' || (!name.endsWith('_url') && !LARGE.has(name) && name !== 'url' && value !== null)
  return Object.fromEntries(Object.entries(found).filter(isKept))
}

/** Other repositories, and what the caller may do. */
const LARGE = new Set(['parent', 'source', 'template_repository', 'permissions', 'organization', 'internal_tracker'])
