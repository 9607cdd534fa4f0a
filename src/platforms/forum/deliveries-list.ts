import { isObject } from '../../model/json-object.js'
import type { WebhookDelivery } from '../adapter.js'
import type { PlatformApi } from '../api/platform-api.js'
import {
  type DeliveriesList,
  headersFrom,
  instantOf,
  isSuccess,
  type ListedDelivery,
  type Redelivery,
  readEntries,
  recentPages,
} from '../deliveries-lists/deliveries-list.js'
import { memberOf, objectAt, type Payload, textAt } from '../mapping/payload.js'

const HOOK = /^(?<base>.*\/admin\/api)\/web_hooks\/(?<id>\d+)$/u

/**
 * The deliveries of a webhook of Discourse, as its administrators see them: headers and the bytes of the body.
 *
 * Source: Discourse, `Admin::WebHooksController` and `AdminWebHookEventSerializer`.
 */
export class ForumDeliveries implements DeliveriesList {
  readonly listsIdsOnly = false
  readonly keepsBytes = true

  /** @param hook path of the webhook: `/admin/api/web_hooks/3` */
  constructor(
    readonly api: PlatformApi,
    private readonly hook: string,
  ) {}

  /** Newest first. New deliveries move entries to a later page, where they occur once more. */
  pages(since: number, signal?: AbortSignal): AsyncGenerator<ListedDelivery[]> {
    const { base, id } = HOOK.exec(this.hook)?.groups ?? {}
    return recentPages({ api: this.api, since, first: 0 }, async offset => {
      const path = `${base}/web_hook_events/${id}.json?offset=${offset}`
      const answer = this.api.parse((await this.api.call('GET', path, { signal })).text)
      const list = isObject(answer) ? memberOf(answer, 'web_hook_events') : undefined
      if (!Array.isArray(list)) throw this.api.unreadable('not with a list of webhook events')
      return { entries: readEntries(list, toListed), next: list.length === 0 ? undefined : offset + list.length }
    })
  }

  async read({ delivery }: ListedDelivery): Promise<WebhookDelivery | undefined> {
    return delivery
  }

  async redeliver({ id }: ListedDelivery, signal?: AbortSignal): Promise<Redelivery> {
    const path = `${this.hook}/events/${id}/redeliver.json`
    const { status, text } = await this.api.call('POST', path, { accepted: [400, 404, 422], signal })
    if (!isSuccess(status)) return 'gone'
    const answer = this.api.parse(text)
    const event = isObject(answer) ? objectAt(answer, 'web_hook_event') : undefined
    return isSuccess(memberOf(event, 'status')) ? 'accepted' : 'failed'
  }
}

function toListed(entry: Payload): Omit<ListedDelivery, 'id'> {
  const headers = readHeaders(textAt(entry, 'headers'))
  const body = textAt(entry, 'payload')
  return {
    deliveryId: headers?.['x-discourse-event-id'],
    at: instantOf(memberOf(entry, 'created_at')),
    succeeded: isSuccess(memberOf(entry, 'status')),
    isPing: headers?.['x-discourse-event-type'] === 'ping',
    delivery: headers && body !== undefined ? { headers, body: Buffer.from(body) } : undefined,
  }
}

/** Headers are listed as JSON text, which is absent until the delivery was tried. */
function readHeaders(text: string | undefined): Record<string, string> | undefined {
  if (text === undefined) return undefined
  try {
    return headersFrom(JSON.parse(text))
  } catch {
    // Cut off, or of another version. The list then counts as not containing the delivery.
    return undefined
  }
}
