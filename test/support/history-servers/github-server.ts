import {
  pageOf,
  pageSize,
  type RestAnswer,
  type RestRequest,
  type RestServer,
  type RestServerOptions,
  startRestServer,
} from './rest-server.js'

export type Item = Record<string, unknown>

/** What a repository of the stand-in holds, in the shapes of GitHub's REST API. */
export interface GitHubBook {
  repository: Item & { id: number; full_name: string }
  /** Pull requests included, as `GET /repos/{owner}/{repo}/issues` lists them. */
  issues?: readonly unknown[]
  pulls?: readonly unknown[]
  comments?: readonly unknown[]
  reviewComments?: readonly unknown[]
  commitComments?: readonly unknown[]
  releases?: readonly unknown[]
  /** As listed with `application/vnd.github.star+json`. */
  stars?: readonly unknown[]
  /** By the number of the pull request. */
  reviews?: Readonly<Record<string, readonly unknown[]>>
}

export interface GitHubOptions {
  fault?: RestServerOptions['fault']
  token?: string
  /** Answers like Gitea: under `/api/v1`, with its names of parameters, and without stars' times. */
  flavour?: 'github' | 'gitea'
  /** The most items in a page. */
  most?: number
  /** Answers nothing without the token, not even its version. */
  requiresLogin?: boolean
  /** The address that it has for others, as in links. */
  publicUrl?: string
  /** An earlier `full_name`, which redirects. */
  renamedFrom?: string
  /** Where it redirects; default: its address by id. */
  redirectsTo?: string
}

/**
 * A stand-in for the lists of GitHub Enterprise Server or Gitea, with their paging and filters.
 *
 * Source: GitHub, "REST API endpoints" (issues, pulls, comments, releases, starring, rate limits); Gitea, `swagger.v1.json`.
 */
export function startGitHub(book: GitHubBook, options: GitHubOptions = {}): Promise<RestServer> {
  const { fault, flavour = 'github', requiresLogin = false, publicUrl } = options
  const base = flavour === 'github' ? '/api/v3' : '/api/v1'
  return startRestServer({
    fault,
    answer: (request, origin) => {
      if (requiresLogin && request.headers.authorization === undefined) return LOGIN_REQUIRED
      if (requiresLogin && !isAuthorised(request, options.token ?? '')) return BAD_CREDENTIALS
      if (flavour === 'gitea' && request.path === '/api/v1/version') return { body: { version: '12.0.0+gitea-1.22.0' } }
      if (!request.path.startsWith(`${base}/`)) return NOT_FOUND
      if (options.token !== undefined && !isAuthorised(request, options.token)) return BAD_CREDENTIALS
      return answer(book, options, request, {
        origin: publicUrl ?? origin,
        path: request.path.slice(base.length),
        base,
      })
    },
  })
}

const NOT_FOUND: RestAnswer = { status: 404, body: { message: 'Not Found', status: '404' } }
const LOGIN_REQUIRED: RestAnswer = { status: 403, body: { message: 'Only signed in user is allowed to call APIs.' } }
const BAD_CREDENTIALS: RestAnswer = { status: 401, body: { message: 'Bad credentials', status: '401' } }

function isAuthorised({ headers }: RestRequest, token: string): boolean {
  return headers.authorization === `Bearer ${token}` || headers.authorization === `token ${token}`
}

interface Asked {
  origin: string
  /** Without the base of the API. */
  path: string
  base: string
}

function answer(
  book: GitHubBook,
  { flavour = 'github', most, renamedFrom, redirectsTo }: GitHubOptions,
  { query, headers }: RestRequest,
  { origin, path, base }: Asked,
): RestAnswer {
  const { id, full_name } = book.repository
  // Links to further pages name the repository by its id.
  const below = [`/repos/${full_name}`, `/repositories/${id}`].find(
    start => path === start || path.startsWith(`${start}/`),
  )
  const former = `/repos/${renamedFrom}`
  if (path === former || path.startsWith(`${former}/`)) {
    const to = redirectsTo ?? `${origin}${base}/repositories/${id}`
    const search = query.size > 0 ? `?${query}` : ''
    const headers = { location: `${to}${path.slice(former.length)}${search}` }
    return { status: 301, headers, body: { message: 'Moved Permanently' } }
  }
  if (below === undefined) return NOT_FOUND
  const list = path.slice(below.length)
  if (list === '') return { body: book.repository }
  const single = /^\/(issues|pulls)\/(\d+)$/u.exec(list)
  if (single) {
    const found = (single[1] === 'issues' ? book.issues : book.pulls)?.find(
      item => (item as Item).number === Number(single[2]),
    )
    return found === undefined ? NOT_FOUND : { body: found }
  }
  const items = itemsOf(book, list, { query, isStarJson: headers.accept === 'application/vnd.github.star+json' })
  if (items === undefined) return NOT_FOUND
  const size =
    flavour === 'github'
      ? pageSize(query, 'per_page', { usual: 30, most: most ?? 100 })
      : pageSize(query, 'limit', { usual: 30, most: most ?? 50 })
  const address = `${origin}${base}/repositories/${id}${list}`
  const total = { 'x-total-count': String(items.length) }
  // Gitea does not page the comments of an issue, and gives no links to pages of those of a repository.
  if (flavour === 'gitea' && /^\/issues\/\d+\/comments$/u.test(list)) return { headers: total, body: items }
  const page = pageOf(items, { query, size, address })
  if (flavour === 'github') return page
  return { ...page, headers: list === '/issues/comments' ? total : { ...page.headers, ...total } }
}

function itemsOf(
  book: GitHubBook,
  list: string,
  { query, isStarJson }: { query: URLSearchParams; isStarJson: boolean },
): readonly unknown[] | undefined {
  const since = query.get('since')
  const changed = (items: readonly unknown[] = []) =>
    items.filter(
      item =>
        since === null || (item as Item | null)?.updated_at === undefined || String((item as Item).updated_at) >= since,
    )
  const ofNumber = /^\/(issues|pulls)\/(\d+)\/(comments|reviews)$/u.exec(list)
  if (ofNumber) {
    const [, kind, number = '', what] = ofNumber
    if (what === 'reviews') return book.reviews?.[number] ?? []
    const comments = kind === 'issues' ? book.comments : book.reviewComments
    return changed(comments).filter(item => new RegExp(`/${number}#`, 'u').test(String((item as Item).html_url)))
  }
  switch (list) {
    case '/issues':
      // Without `state=all` only open ones are listed.
      return query.get('state') === 'all' ? changed(book.issues) : []
    case '/pulls':
      return query.get('state') === 'all' ? sortedPulls(book.pulls ?? [], query.get('sort')) : []
    case '/issues/comments':
      return changed(book.comments)
    case '/pulls/comments':
      return changed(book.reviewComments)
    case '/comments':
      return book.commitComments ?? []
    case '/releases':
      return book.releases ?? []
    case '/stargazers':
      return isStarJson ? (book.stars ?? []) : (book.stars ?? []).map(star => (star as Item).user)
    default:
      return undefined
  }
}

/** By change, newest first: `updated` with GitHub (Daybook asks for `desc`), `recentupdate` with Gitea. */
function sortedPulls(pulls: readonly unknown[], sort: string | null): readonly unknown[] {
  if (sort !== 'updated' && sort !== 'recentupdate') return pulls
  const changeOf = (pull: unknown) => String((pull as Item).updated_at)
  return pulls.toSorted((left, right) => changeOf(right).localeCompare(changeOf(left)))
}
