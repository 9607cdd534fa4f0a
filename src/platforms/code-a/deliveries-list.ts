import { isObject } from '../../model/json-object.js'
import { parseUrl } from '../../model/parse-url.js'
import type { WebhookDelivery } from '../adapter.js'
import { linkOf, type PlatformApi } from '../api/platform-api.js'
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
import { memberOf, objectAt, type Payload, textAt } from '../mapping/payload.js'

const PAGE = 100
/** Ids may exceed the integers that a double represents exactly. Lists have no payloads, so nothing else matches. */
const LONG_ID = /("id":\s*)(\d{15,20})/g
const CURSOR = /^[\w%.~=-]{1,512}$/u

/**
 * The deliveries of a webhook of GitHub, which keeps them for three days. The list has only ids; each is read alone.
 *
 * Source: GitHub, "REST API endpoints for repository webhooks" and "for organization webhooks".
 */
export class CodeADeliveries implements DeliveriesList {
  readonly listsIdsOnly = true
  readonly keepsBytes = false

  /** @param hook path of the webhook in the API */
  constructor(
    readonly api: PlatformApi,
    private readonly hook: string,
  ) {}

  pages(since: number, signal?: AbortSignal): AsyncGenerator<ListedDelivery[]> {
    return recentPages({ api: this.api, since, first: '' }, async cursor => {
      const query = cursor === '' ? '' : `&cursor=${cursor}`
      const answer = await this.api.call('GET', `${this.hook}/deliveries?per_page=${PAGE}${query}`, { signal })
      const list = this.api.parse(answer.text.replace(LONG_ID, '$1"$2"'))
      if (!Array.isArray(list)) throw this.api.unreadable('not with a list of deliveries')
      // Uses only the cursor of the link, so that the token goes to no other address.
      return { entries: readEntries(list, toListed), next: cursorOf(linkOf(answer, 'next')) }
    })
  }

  async read({ id, deliveryId }: ListedDelivery, signal?: AbortSignal): Promise<WebhookDelivery | undefined> {
    const { status, text } = await this.api.call('GET', `${this.hook}/deliveries/${id}`, {
      accepted: [404, 422],
      signal,
    })
    if (status !== 200) return undefined
    const answer = this.api.parse(text)
    const request = isObject(answer) ? objectAt(answer, 'request') : undefined
    const headers = headersFrom(memberOf(request, 'headers'))
    const payload = memberOf(request, 'payload')
    if (headers === undefined || !hasBody(payload)) return undefined
    const event = isObject(answer) ? textAt(answer, 'event') : undefined
    if (event !== undefined) headers['x-github-event'] ??= event
    if (deliveryId !== undefined) headers['x-github-delivery'] ??= deliveryId
    return jsonDelivery(headers, payload)
  }

  async redeliver({ id }: ListedDelivery, signal?: AbortSignal): Promise<Redelivery> {
    const path = `${this.hook}/deliveries/${id}/attempts`
    const { status } = await this.api.call('POST', path, { accepted: [400, 404, 422], signal })
    return isSuccess(status) ? 'asked' : 'gone'
  }
}

function cursorOf(address = ''): string | undefined {
  const cursor = parseUrl(address)?.searchParams.get('cursor') ?? null
  return cursor !== null && CURSOR.test(cursor) ? encodeURIComponent(cursor) : undefined
}

function hasBody(payload: unknown): boolean {
  return isObject(payload) ? Object.keys(payload).length > 0 : typeof payload === 'string' && payload !== ''
}

function toListed(entry: Payload): Omit<ListedDelivery, 'id'> {
  return {
    deliveryId: textAt(entry, 'guid'),
    at: instantOf(memberOf(entry, 'delivered_at')),
    succeeded: isSuccess(memberOf(entry, 'status_code')),
    isPing: textAt(entry, 'event') === 'ping',
  }
}
