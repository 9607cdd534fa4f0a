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
import { idAt, known, memberOf, objectAt, type Payload, textAt, webUrlAt } from '../../mapping/payload.js'
import { normaliseCodeBBody } from '../normalise.js'
import {
  issueDeliveries,
  mergeRequestDeliveries,
  type NotedObject,
  noteDeliveries,
  type Project,
  starDeliveries,
} from './past-deliveries.js'

/** A project, or one issue or merge request in it. */
interface ProjectPlace {
  /** All its namespaces and its own name. */
  path: string
  numbered?: { type: NumberedType; number: string } | undefined
}

const PAGE_ITEMS = '100'
const MISSING = [
  'releases, which have no id in this API',
  'closings, which webhooks identify by what was changed and when, and both are not listed',
  'comments on commits and snippets',
]

/**
 * The history of a project of GitLab: issues and work items, merge requests, the comments on them, and stars.
 *
 * @throws AppError as `HistoryApi`
 *
 * Source: GitLab, "REST API": issues, merge requests, notes, projects (starrers), pagination.
 */
export async function openProjectHistory({
  api,
  place,
  since,
  isRecent,
}: HistoryPlace<ProjectPlace>): Promise<History> {
  const { path, numbered } = place
  const base = `/projects/${encodeURIComponent(path)}`
  const project = await readProject(api, base, since)
  const lists = new ProjectLists(api, base, project, isRecent)
  if (!numbered) return { streams: [lists.all('issue'), lists.all('merge_request'), lists.stars()], missing: MISSING }
  const noteable = numbered.type === 'issue' ? 'issue' : 'merge_request'
  return { streams: [lists.one(noteable, numbered.number)], missing: MISSING.slice(1, 2) }
}

/** For each list: its name in addresses, its name for people, and the kinds of its events. */
const LISTS: Record<NotedObject, { path: string; name: string; kinds: readonly string[] }> = {
  issue: { path: 'issues', name: 'issues', kinds: ['issue.created', 'work_item.created', 'comment.created'] },
  merge_request: {
    path: 'merge_requests',
    name: 'merge requests',
    kinds: ['pull_request.created', 'pull_request.merged', 'comment.created', 'review_comment.created'],
  },
}

class ProjectLists {
  constructor(
    private readonly api: HistoryApi,
    private readonly base: string,
    private readonly project: Project,
    private readonly isRecent: boolean,
  ) {}

  /** In order of creation, which is stable during the read. Comments change an item, so changed items are read. */
  all(noteable: NotedObject): HistoryStream {
    const { path, name, kinds } = LISTS[noteable]
    const parameters = new URLSearchParams({
      scope: 'all',
      state: 'all',
      order_by: 'created_at',
      sort: 'asc',
      updated_after: this.project.since,
      per_page: PAGE_ITEMS,
    })
    const first = `${this.base}/${path}?${parameters}`
    const read = async (position = first): Promise<HistoryPage> => {
      const { items, next, lastPage } = await this.api.list(position)
      return { ...(await this.#withNotes(noteable, items)), next, pagesLeft: pagesLeft(position, lastPage) }
    }
    return { name, kinds, read }
  }

  one(noteable: NotedObject, number: string): HistoryStream {
    const { path, name, kinds } = LISTS[noteable]
    return {
      name,
      kinds,
      read: async () => this.#withNotes(noteable, [await this.api.object(`${this.base}/${path}/${number}`)]),
    }
  }

  /** Ordered by when the stars were given. The list has no other order. */
  stars(): HistoryStream {
    const name = 'stars'
    const first = `${this.base}/starrers?per_page=${PAGE_ITEMS}`
    const toDeliveries: ItemReader['toDeliveries'] = star => starDeliveries(this.project, star)
    const reader = { name, normalise: normaliseCodeBBody, toDeliveries }
    const list = { api: this.api, first, reader, time: 'starred_since', since: this.project.since }
    const readAll = async (position = first): Promise<HistoryPage> => {
      const { items, next, lastPage } = await this.api.list(position)
      return { ...(await toHistoryPage(items, reader)), next, pagesLeft: pagesLeft(position, lastPage) }
    }
    const read = this.isRecent ? (position?: string) => readFromEnd(position, list) : readAll
    return { name, kinds: ['star.created'], read }
  }

  async #withNotes(noteable: NotedObject, items: readonly unknown[]): Promise<ItemPage> {
    const { name } = LISTS[noteable]
    const toDeliveries: ItemReader['toDeliveries'] = item =>
      noteable === 'issue' ? issueDeliveries(this.project, item) : mergeRequestDeliveries(this.project, item)
    const page = await toHistoryPage(items, { name, normalise: normaliseCodeBBody, toDeliveries })
    const discussed = items.filter(isObject).filter(item => memberOf(item, 'user_notes_count') !== 0)
    return joinPages([page, ...(await Promise.all(discussed.map(item => this.#notesOf(noteable, item))))])
  }

  async #notesOf(noteable: NotedObject, item: Payload): Promise<ItemPage> {
    const { path, name } = LISTS[noteable]
    const number = idAt(item, 'iid')
    if (number === undefined) return joinPages([])
    const sort = this.isRecent ? 'desc' : 'asc'
    const parameters = new URLSearchParams({ order_by: 'created_at', sort, per_page: PAGE_ITEMS })
    const mayFollow = (notes: readonly unknown[]) =>
      !this.isRecent || hasRecent(notes.slice(-1), this.project.since, 'created_at')
    const toDeliveries: ItemReader['toDeliveries'] = note => noteDeliveries(this.project, noteable, item, note)
    const reader = { name: `comments of ${name} ${number}`, normalise: normaliseCodeBBody, toDeliveries }
    return readSubList(this.api, `${this.base}/${path}/${number}/notes?${parameters}`, reader, mayFollow)
  }
}

/** The members of a project that webhooks send, and the address of the instance in their form. */
async function readProject(api: HistoryApi, base: string, since: string): Promise<Project> {
  const found = await api.object(base)
  const project = isObject(found) ? found : undefined
  const webUrl = webUrlAt(project, 'web_url')
  const path = textAt(project, 'path_with_namespace')
  if (!project || webUrl === undefined || path === undefined || !webUrl.endsWith(`/${path}`)) {
    throw api.unreadable('without a project')
  }
  const payload = known({
    id: memberOf(project, 'id'),
    name: memberOf(project, 'name'),
    description: memberOf(project, 'description'),
    web_url: webUrl,
    avatar_url: memberOf(project, 'avatar_url'),
    git_ssh_url: memberOf(project, 'ssh_url_to_repo'),
    git_http_url: memberOf(project, 'http_url_to_repo'),
    namespace: memberOf(objectAt(project, 'namespace'), 'name'),
    path_with_namespace: path,
    default_branch: memberOf(project, 'default_branch'),
    homepage: webUrl,
  })
  return { payload, instance: webUrl.slice(0, -path.length - 1), since }
}
