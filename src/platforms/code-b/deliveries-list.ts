import { isObject } from '../../model/json-object.js'
import type { WebhookDelivery } from '../adapter.js'
import type { PlatformApi } from '../api/platform-api.js'
import {
  type DeliveriesList,
  headersFrom,
  instantOf,
  isSuccess,
  jsonDelivery,
  type ListedDelivery,
  type Redelivery,
  readEntries,
  recentPages,
} from '../deliveries-lists/deliveries-list.js'
import { isTrue, memberOf, type Payload } from '../mapping/payload.js'

/** The most that GitLab allows. */
const PAGE = 20

/**
 * The deliveries of a webhook of GitLab in the last seven days. Unless the payload was too large, an entry contains it,
 * with email addresses replaced.
 *
 * Source: GitLab, "Project webhooks API" and "Group webhooks API", from version 17.3 on.
 */
export class CodeBDeliveries implements DeliveriesList {
  readonly listsIdsOnly = false
  readonly keepsBytes = false

  /** @param hook path of the webhook in the API */
  constructor(
    readonly api: PlatformApi,
    private readonly hook: string,
  ) {}

  pages(since: number, signal?: AbortSignal): AsyncGenerator<ListedDelivery[]> {
    return recentPages({ api: this.api, since, first: 1 }, async page => {
      const path = `${this.hook}/events?per_page=${PAGE}&page=${page}`
      const list = this.api.parse((await this.api.call('GET', path, { signal })).text)
      if (!Array.isArray(list)) throw this.api.unreadable('not with a list of hook events')
      return { entries: readEntries(list, toListed), next: list.length < PAGE ? undefined : page + 1 }
    })
  }

  async read({ delivery }: ListedDelivery): Promise<WebhookDelivery | undefined> {
    return delivery
  }

  async redeliver({ id }: ListedDelivery, signal?: AbortSignal): Promise<Redelivery> {
    const path = `${this.hook}/events/${id}/resend`
    const { status, text } = await this.api.call('POST', path, { accepted: [400, 404, 409, 422], signal })
    if (!isSuccess(status)) return 'gone'
    const answer = this.api.parse(text)
    return isSuccess(isObject(answer) ? memberOf(answer, 'response_status') : undefined) ? 'accepted' : 'failed'
  }
}

function toListed(entry: Payload): Omit<ListedDelivery, 'id'> {
  const headers = headersFrom(memberOf(entry, 'request_headers')) ?? {}
  const body = memberOf(entry, 'request_data')
  return {
    deliveryId: headers['idempotency-key'] ?? headers['webhook-id'],
    at: instantOf(memberOf(entry, 'created_at')),
    succeeded: isSuccess(memberOf(entry, 'response_status')),
    isPing: false,
    delivery: hasBody(body) ? jsonDelivery(headers, body) : undefined,
  }
}

/** For a payload that was too large to store, GitLab has `{"oversize":true}`. */
function hasBody(body: unknown): boolean {
  if (typeof body === 'string') return body !== ''
  if (!isObject(body)) return false
  const names = Object.keys(body)
  return names.length > 0 && !(names.length === 1 && isTrue(body, 'oversize'))
}
