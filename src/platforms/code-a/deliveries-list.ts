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
import { isPayload, memberOf, objectAt, type Payload, textAt } from '../mapping/payload.js'

const PAGE = 100
/** Ids are longer than a number of JavaScript is exact. A list has no payloads, so nothing else is changed. */
const LONG_ID = /("id":\s*)(\d{15,20})/g
const CURSOR = /^[\w%.~=-]{1,512}$/u

/**
 * The deliveries of a webhook of GitHub. It keeps them for three days; the list has their ids, and each is read alone.
 *
 * Source: GitHub, "REST API endpoints for repository webhooks" and "for organization webhooks".
 */
export class CodeADeliveries implements DeliveriesList {
  readonly listsIdsOnly = true
  readonly keepsBytes = false

  /** @param hook path of the webhook in the API */
  constructor(
    private readonly api: PlatformApi,
    private readonly origin: string,
    private readonly hook: string,
  ) {}

  async *pages(since: number, signal?: AbortSignal): AsyncGenerator<ListedDelivery[]> {
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`
      const path = `${this.hook}/deliveries?per_page=${PAGE}${query}`
      const { headers, text } = await this.api.call('GET', path, { signal })
      const list = readAnswer(text.replace(LONG_ID, '$1"$2"'), this.origin)
      if (!Array.isArray(list)) throw unreadableAnswer(`${this.origin} does not answer with a list of deliveries.`)
      const entries = list.filter(isPayload).flatMap(toListed)
      const recent = recentOf(entries, since, this.clockAheadMs())
      if (recent.length > 0) yield recent
      // Only the cursor of the link is used: the token goes to no other address.
      const next: string | undefined = nextCursor(String(headers.link ?? ''))
      cursor = recent.length < entries.length || next === cursor ? undefined : next
    }
  }

  async read({ id, deliveryId }: ListedDelivery, signal?: AbortSignal): Promise<WebhookDelivery | undefined> {
    const { status, text } = await this.api.call('GET', `${this.hook}/deliveries/${id}`, {
      accepted: [404, 422],
      signal,
    })
    if (status !== 200) return undefined
    const answer = readAnswer(text, this.origin)
    const request = isPayload(answer) ? objectAt(answer, 'request') : undefined
    const headers = headersFrom(memberOf(request, 'headers'))
    const payload = memberOf(request, 'payload')
    if (headers === undefined || !hasBody(payload)) return undefined
    const event = isPayload(answer) ? textAt(answer, 'event') : undefined
    if (event !== undefined) headers['x-github-event'] ??= event
    if (deliveryId !== undefined) headers['x-github-delivery'] ??= deliveryId
    return jsonDelivery(headers, payload)
  }

  async redeliver({ id }: ListedDelivery, signal?: AbortSignal): Promise<Redelivery> {
    const path = `${this.hook}/deliveries/${id}/attempts`
    const { status } = await this.api.call('POST', path, { accepted: [400, 404, 422], signal })
    return isSuccess(status) ? 'asked' : 'gone'
  }

  clockAheadMs(): number {
    return this.api.clockAheadMs()
  }

  close(): void {
    this.api.close()
  }
}

/** Source: RFC 8288, "Link". */
function nextCursor(links: string): string | undefined {
  const next = links.split(',').find(link => link.includes('rel="next"')) ?? ''
  const address = next.slice(next.indexOf('<') + 1, next.indexOf('>'))
  const cursor = URL.canParse(address) ? new URL(address).searchParams.get('cursor') : null
  return cursor !== null && CURSOR.test(cursor) ? encodeURIComponent(cursor) : undefined
}

function hasBody(payload: unknown): boolean {
  return isPayload(payload) ? Object.keys(payload).length > 0 : typeof payload === 'string' && payload !== ''
}

function toListed(entry: Payload): ListedDelivery[] {
  const id = memberOf(entry, 'id')
  if (!/^\d{1,20}$/.test(String(id))) return []
  return [
    {
      id: String(id),
      deliveryId: textAt(entry, 'guid'),
      at: instantOf(memberOf(entry, 'delivered_at')),
      succeeded: isSuccess(memberOf(entry, 'status_code')),
      isPing: textAt(entry, 'event') === 'ping',
    },
  ]
}
