import type { WebhookDelivery } from '../adapter.js'
import {
  type DeliveriesList,
  headersFrom,
  instantOf,
  isSuccess,
  jsonDelivery,
  type ListedDelivery,
  type Redelivery,
  recentOf,
} from '../deliveries-lists/deliveries-list.js'
import type { PlatformApi } from '../deliveries-lists/platform-api.js'
import { readAnswer, unreadableAnswer } from '../deliveries-lists/refusals.js'
import { isPayload, isTrue, memberOf, type Payload } from '../mapping/payload.js'

/** The most that GitLab allows. */
const PAGE = 20

/**
 * The deliveries of a webhook of GitLab, of the last seven days. Entries contain the payload, with addresses of email
 * replaced, unless it was too large.
 *
 * Source: GitLab, "Project webhooks API" and "Group webhooks API", from version 17.3 on.
 */
export class CodeBDeliveries implements DeliveriesList {
  readonly listsIdsOnly = false
  readonly keepsBytes = false

  /** @param hook path of the webhook in the API */
  constructor(
    private readonly api: PlatformApi,
    private readonly origin: string,
    private readonly hook: string,
  ) {}

  async *pages(since: number, signal?: AbortSignal): AsyncGenerator<ListedDelivery[]> {
    for (let page = 1; ; page++) {
      const { text } = await this.api.call('GET', `${this.hook}/events?per_page=${PAGE}&page=${page}`, { signal })
      const list = readAnswer(text, this.origin)
      if (!Array.isArray(list)) throw unreadableAnswer(`${this.origin} does not answer with a list of hook events.`)
      const entries = list.filter(isPayload).flatMap(toListed)
      const recent = recentOf(entries, since, this.clockAheadMs())
      if (recent.length > 0) yield recent
      if (list.length < PAGE || recent.length < entries.length) return
    }
  }

  async read({ delivery }: ListedDelivery): Promise<WebhookDelivery | undefined> {
    return delivery
  }

  async redeliver({ id }: ListedDelivery, signal?: AbortSignal): Promise<Redelivery> {
    const path = `${this.hook}/events/${id}/resend`
    const { status, text } = await this.api.call('POST', path, { accepted: [400, 404, 409, 422], signal })
    if (!isSuccess(status)) return 'gone'
    const answer = readAnswer(text, this.origin)
    return isSuccess(isPayload(answer) ? memberOf(answer, 'response_status') : undefined) ? 'accepted' : 'failed'
  }

  clockAheadMs(): number {
    return this.api.clockAheadMs()
  }

  close(): void {
    this.api.close()
  }
}

function toListed(entry: Payload): ListedDelivery[] {
  const id = memberOf(entry, 'id')
  if (!/^\d{1,20}$/.test(String(id))) return []
  const headers = headersFrom(memberOf(entry, 'request_headers')) ?? {}
  const body = memberOf(entry, 'request_data')
  return [
    {
      id: String(id),
      deliveryId: headers['idempotency-key'] ?? headers['webhook-id'],
      at: instantOf(memberOf(entry, 'created_at')),
      succeeded: isSuccess(memberOf(entry, 'response_status')),
      isPing: false,
      delivery: hasBody(body) ? jsonDelivery(headers, body) : undefined,
    },
  ]
}

/** In place of a payload that is too large to be kept, GitLab has `{"oversize":true}`. */
function hasBody(body: unknown): boolean {
  if (typeof body === 'string') return body !== ''
  if (!isPayload(body)) return false
  const names = Object.keys(body)
  return names.length > 0 && !(names.length === 1 && isTrue(body, 'oversize'))
}
