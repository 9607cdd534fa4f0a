import { AppError } from '../../../model/app-error.js'
import { isObject } from '../../../model/json-object.js'
import type { HistoryApi } from '../../history/history-api.js'
import { idAt, known, memberOf, type Payload, webUrlAt } from '../../mapping/payload.js'

/** Each entry takes less than a kilobyte. */
const MOST_THREADS = 20_000

/** Members by which events name the subject of a comment. */
const KEPT = ['id', 'node_id', 'number', 'title', 'state', 'html_url', 'user', 'created_at', 'pull_request'] as const

/** The issues and pull requests that comments of a repository are about. Keeps the latest in memory. */
export class Threads {
  readonly #kept = new Map<string, Payload>()

  constructor(
    private readonly api: HistoryApi,
    /** Path of the repository in the API. */
    private readonly path: string,
  ) {}

  /** @param issue an issue, or a pull request as the list of issues shows it */
  keep(issue: Payload): void {
    const number = idAt(issue, 'number')
    if (number === undefined) return
    this.#kept.delete(number)
    this.#kept.set(number, shortened(issue))
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST_THREADS && oldest !== undefined) this.#kept.delete(oldest)
  }

  /** The issue or pull request of a comment. Reads an unknown issue from the API. */
  async issueOf(comment: Payload): Promise<Payload> {
    const page = pageOf(comment)
    if (page === undefined) return {}
    const kept = this.#kept.get(page.number)
    // A number identifies a pull request, an id an issue.
    if (kept || page.isPullRequest) return kept ?? { ...minimal(page), pull_request: { html_url: page.url } }
    const read = await this.#read(page)
    this.keep(read)
    return read
  }

  /** The pull request of a comment on its code. */
  pullRequestOf(comment: Payload): Payload {
    const page = pageOf(comment)
    if (page === undefined) return {}
    const { pull_request: _, id: __, ...kept } = this.#kept.get(page.number) ?? minimal(page)
    return kept
  }

  async #read(page: ThreadPage): Promise<Payload> {
    try {
      const issue = await this.api.object(`${this.path}/issues/${page.number}`)
      return isObject(issue) ? issue : minimal(page)
    } catch (error) {
      // The issue was deleted, or moved to another repository, after the comment.
      if (error instanceof AppError && error.code === 'platform_place_unknown') return minimal(page)
      throw error
    }
  }
}

interface ThreadPage {
  number: string
  isPullRequest: boolean
  url: string
}

/** A comment names its subject only by an address. */
function pageOf(comment: Payload): ThreadPage | undefined {
  const [url, kind, number] =
    /^[^#?]*\/(issues|pulls?)\/(\d{1,15})(?=[#/?]|$)/u.exec(webUrlAt(comment, 'html_url') ?? '') ?? []
  return url === undefined || number === undefined ? undefined : { number, isPullRequest: kind !== 'issues', url }
}

function minimal({ number, url }: ThreadPage): Payload {
  return { number: Number(number), html_url: url }
}

function shortened(issue: Payload): Payload {
  return known(Object.fromEntries(KEPT.map(name => [name, memberOf(issue, name)])))
}
