import type { Item } from './github-server.js'
import {
  pageOf,
  pageSize,
  type RestAnswer,
  type RestServer,
  type RestServerOptions,
  startRestServer,
} from './rest-server.js'

/** What a project of the stand-in holds, in the shapes of GitLab's REST API. */
export interface GitLabBook {
  project: Item & { id: number; path_with_namespace: string }
  issues: readonly Item[]
  mergeRequests: readonly Item[]
  /** By `issues/<iid>` and `merge_requests/<iid>`. */
  notes: Readonly<Record<string, readonly unknown[]>>
  /** In the order in which they were given. */
  starrers: readonly unknown[]
}

interface GitLabOptions {
  fault?: RestServerOptions['fault']
  token?: string
  /** The most items in a page. */
  most?: number
}

/**
 * A stand-in for GitLab's lists of issues, merge requests and notes, with their paging and filters.
 *
 * Source: GitLab, "REST API": projects, issues, merge requests, notes, pagination by offset.
 */
export function startGitLab(book: GitLabBook, { fault, token, most = 100 }: GitLabOptions = {}): Promise<RestServer> {
  return startRestServer({
    fault,
    answer: ({ path, query, headers }, origin): RestAnswer => {
      if (token !== undefined && headers['private-token'] !== token) {
        return { status: 401, body: { message: '401 Unauthorized' } }
      }
      const { id, path_with_namespace } = book.project
      const names = [String(id), encodeURIComponent(path_with_namespace)]
      const below = names
        .map(name => `/api/v4/projects/${name}`)
        .find(start => path === start || path.startsWith(`${start}/`))
      if (below === undefined) return NOT_FOUND
      const list = path.slice(below.length)
      if (list === '') return { body: book.project }
      const paged = (items: readonly unknown[]) => {
        const size = pageSize(query, 'per_page', { usual: 20, most })
        const page = pageOf(items, { query, size, address: `${origin}${path}` })
        // Of longer lists GitLab gives no number of pages.
        const pages = items.length > MOST_COUNTED ? '' : String(Math.max(1, Math.ceil(items.length / size)))
        const { link = '' } = page.headers
        const known = pages === '' ? { link: link.replace(/, <[^>]*>; rel="last"/u, '') } : { 'x-total-pages': pages }
        return { ...page, headers: { ...page.headers, ...known } }
      }
      if (list === '/starrers') return paged(book.starrers)
      const [, kind = '', number, notes] = /^\/(issues|merge_requests)(?:\/(\d+)(\/notes)?)?$/u.exec(list) ?? []
      if (kind === '') return NOT_FOUND
      const all = kind === 'issues' ? book.issues : book.mergeRequests
      if (number !== undefined && notes === undefined) {
        const found = all.find(({ iid }) => iid === Number(number))
        return found === undefined ? NOT_FOUND : { body: found }
      }
      const items = notes === undefined ? filtered(all, query) : sorted(book.notes[`${kind}/${number}`] ?? [], query)
      return paged(items)
    },
  })
}

const MOST_COUNTED = 10_000
const NOT_FOUND: RestAnswer = { status: 404, body: { message: '404 Project Not Found' } }

/** Without `scope=all` only one's own are listed, and newest first is the usual order. */
function filtered(items: readonly Item[], query: URLSearchParams): readonly Item[] {
  if (query.get('scope') !== 'all') return []
  const after = query.get('updated_after') ?? ''
  const found = items.filter(({ updated_at }) => String(updated_at) >= after.slice(0, 19))
  return sorted(found, query)
}

function sorted<Each>(items: readonly Each[], query: URLSearchParams): readonly Each[] {
  return query.get('sort') === 'asc' ? items : items.toReversed()
}
