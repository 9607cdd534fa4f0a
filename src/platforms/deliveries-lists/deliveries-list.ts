import { isObject } from '../../model/json-object.js'
import type { WebhookDelivery } from '../adapter.js'
import type { PlatformApi } from '../api/platform-api.js'
import { memberOf, type Payload } from '../mapping/payload.js'

/** One delivery attempt of a platform, as the platform lists it. */
export interface ListedDelivery {
  /** Id of the entry, by which the platform shows and redelivers it. */
  id: string
  /** The id in the delivery itself. Absent if the list does not show it. */
  deliveryId?: string | undefined
  /** Epoch milliseconds by the platform's clock. Absent if the list has no times. */
  at?: number | undefined
  /** The receiver's response was a success. */
  succeeded: boolean
  /** A ping: it contains nothing to record. */
  isPing: boolean
  /** Absent if the list does not contain it. */
  delivery?: WebhookDelivery | undefined
}

/**
 * Outcome of a request to deliver again. `accepted`: the receiver accepted it. `asked`: the platform will send it.
 * `failed`: the receiver refused it or was not reached. `gone`: the platform can no longer send it.
 */
export type Redelivery = 'accepted' | 'asked' | 'failed' | 'gone'

/**
 * The deliveries of one webhook, as its platform lists them, newest first.
 *
 * Every method may throw AppError `unavailable/platform_…`, `unauthenticated/platform_credentials_refused`,
 * `forbidden/platform_not_permitted`, `not_found/hook_unknown`; the signal's reason once it is aborted.
 */
export interface DeliveriesList {
  /** Entries contain the id that the ledger stores for a delivery, but not the delivery. */
  readonly listsIdsOnly: boolean
  /** The bytes of a delivery are those that were sent, not JSON that was serialised again. */
  readonly keepsBytes: boolean
  /** @param since epoch milliseconds by our clock. The list ends before an older entry */
  pages(since: number, signal?: AbortSignal): AsyncGenerator<ListedDelivery[]>
  /** @returns undefined if the platform no longer has it */
  read(entry: ListedDelivery, signal?: AbortSignal): Promise<WebhookDelivery | undefined>
  redeliver(entry: ListedDelivery, signal?: AbortSignal): Promise<Redelivery>
  readonly api: Pick<PlatformApi, 'clockAheadMs' | 'close'>
}

/** One page of a list, and the place of the next one, which is undefined after the last page. */
interface ListedPage<Place> {
  entries: ListedDelivery[]
  next: Place | undefined
}

/** The pages of a list, up to the first entry older than `since`. @param first place of the first page */
export async function* recentPages<Place>(
  { api, since, first }: { api: DeliveriesList['api']; since: number; first: Place },
  read: (place: Place) => Promise<ListedPage<Place>>,
): AsyncGenerator<ListedDelivery[]> {
  for (let place: Place | undefined = first; place !== undefined; ) {
    const { entries, next }: ListedPage<Place> = await read(place)
    const recent = recentOf(entries, since, api.clockAheadMs())
    if (recent.length > 0) yield recent
    place = recent.length < entries.length || next === place ? undefined : next
  }
}

/** The entries of a list that have an id. */
export function readEntries(
  list: readonly unknown[],
  toListed: (entry: Payload) => Omit<ListedDelivery, 'id'>,
): ListedDelivery[] {
  return list.filter(isObject).flatMap(entry => {
    const id = String(memberOf(entry, 'id'))
    return /^\d{1,20}$/.test(id) ? [{ id, ...toListed(entry) }] : []
  })
}

/** Names in lower case, values as text. @returns undefined for anything but an object */
export function headersFrom(value: unknown): Record<string, string> | undefined {
  if (!isObject(value)) return undefined
  const headers: Record<string, string> = Object.create(null)
  for (const [name, sent] of Object.entries(value)) {
    if (typeof sent === 'string' || typeof sent === 'number') headers[name.toLowerCase()] = String(sent)
  }
  return headers
}

/** A delivery whose body is listed as a JSON value. For a form, the list shows the JSON in it. */
export function jsonDelivery(headers: Record<string, string>, body: unknown): WebhookDelivery {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { headers: { ...headers, 'content-type': 'application/json' }, body: Buffer.from(text) }
}

/** The entries since an instant, by the platform's clock. An entry without a time counts as recent. */
function recentOf(entries: readonly ListedDelivery[], since: number, clockAheadMs: number): ListedDelivery[] {
  return entries.filter(({ at }) => at === undefined || at >= since + clockAheadMs - CLOCK_TOLERANCE_MS)
}

/** Dates of answers are in whole seconds, and take time to arrive. */
const CLOCK_TOLERANCE_MS = 60_000

export function isSuccess(status: unknown): boolean {
  const code = typeof status === 'string' ? Number(status) : status
  return typeof code === 'number' && code >= 200 && code < 300
}

/** Epoch milliseconds. */
export function instantOf(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
