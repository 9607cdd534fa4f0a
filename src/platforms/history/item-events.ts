import { AppError } from '../../model/app-error.js'
import type { NewEvent } from '../../model/events/event.js'
import { isObject } from '../../model/json-object.js'
import { findTimestamp } from '../../model/timestamp.js'
import type { NormalisedDelivery, WebhookDelivery } from '../adapter.js'
import { withinDepth } from '../deliveries/delivery-body.js'
import { idAt, instantAt, type Payload, textAt } from '../mapping/payload.js'
import type { HistoryApi, ListPage } from './history-api.js'
import type { HistoryPage, LeftOut } from './history-stream.js'

/** Turns the JSON object of a delivery into events, as the adapter of a platform does. */
type NormaliseBody = (body: Payload, delivery: WebhookDelivery) => NormalisedDelivery

/** A delivery as the platform's webhook would have sent it. */
export interface PastDelivery {
  headers: Readonly<Record<string, string>>
  body: Payload
  /** When the event happened, if the member that the adapter reads lacks it. */
  occurredAt?: string | undefined
}

/** The reason why an item is left out. */
export class UnusableItem extends Error {}

/** The id of an item. @throws UnusableItem */
export function idOf(item: Payload): string {
  const id = idAt(item, 'id')
  if (id === undefined) throw new UnusableItem('it has no id')
  return id
}

/** An instant of an item, as UTC text with six digits. @throws UnusableItem */
export function timeOf(item: Payload, name: string): string {
  const time = findTimestamp(textAt(item, name) ?? '')?.text
  if (time === undefined) throw new UnusableItem(`it has no time in ${name}`)
  return time
}

/**
 * The events of the items of one page. An item that cannot become an event is left out and reported. It does not affect
 * the others.
 *
 * @param name name of the items, for the report
 * @param toDeliveries the deliveries for one item, oldest first. @throws UnusableItem
 */
export async function toHistoryPage(
  items: readonly unknown[],
  { name, normalise, toDeliveries }: ItemReader,
): Promise<ItemPage> {
  const events: NewEvent[] = []
  const leftOut: LeftOut[] = []
  await Promise.all(
    items.map(async item => {
      try {
        if (!isObject(item)) throw new UnusableItem('it is not an object')
        for (const past of await toDeliveries(withinDepth(item))) events.push(...eventsOfPast(past, normalise))
      } catch (error) {
        if (!(error instanceof UnusableItem)) throw error
        leftOut.push({ reason: error.message, item: `${name} ${nameOf(item)}` })
      }
    }),
  )
  return { events: inOrder(events), leftOut, items: items.length }
}

/** The result for the items of a page. */
export type ItemPage = Pick<HistoryPage, 'events' | 'leftOut' | 'items'>

/** Joins a page with the lists that belong to its items. */
export function joinPages(pages: readonly ItemPage[]): ItemPage {
  return {
    events: pages.flatMap(({ events }) => events),
    leftOut: pages.flatMap(({ leftOut }) => leftOut),
    items: pages.reduce((items, page) => items + page.items, 0),
  }
}

/**
 * Reads a list that belongs to one item, page by page. The list counts as empty if the item is gone.
 *
 * @param mayFollow whether the next page may have relevant items, by the items of this page
 */
export async function readSubList(
  api: HistoryApi,
  first: string,
  reader: ItemReader,
  mayFollow: (items: readonly unknown[]) => boolean = () => true,
): Promise<ItemPage> {
  const pages: ItemPage[] = []
  let path: string | undefined = first
  while (path !== undefined) {
    const { items, next }: ListPage = await api.list(path).catch(emptyIfGone)
    pages.push(await toHistoryPage(items, reader))
    path = mayFollow(items) ? next : undefined
  }
  return joinPages(pages)
}

function emptyIfGone(error: unknown): ListPage {
  if (error instanceof AppError && error.code === 'platform_place_unknown') return { items: [] }
  throw error
}

/** A list of a platform that has no order but oldest first. */
interface OldestFirst {
  api: HistoryApi
  first: string
  reader: ItemReader
  /** The member with the time of an item. */
  time: string
  /** RFC 3339 in UTC, six digits. */
  since: string
  headers?: Readonly<Record<string, string>> | undefined
}

/**
 * A page of such a list, read from its end. If the platform does not give the number of pages, the list is left out.
 *
 * @param position position of the page; absent for the last one
 */
export async function readFromEnd(position: string | undefined, list: OldestFirst): Promise<HistoryPage> {
  const { api, first, reader, time, since, headers } = list
  const start = await api.list(position ?? first, headers)
  const { lastPage = 1 } = start
  if (position === undefined && start.next !== undefined && lastPage === 1) {
    return { events: [], leftOut: [{ reason: 'the platform gives no last page', item: reader.name }], items: 0 }
  }
  const isLast = position !== undefined || lastPage === 1
  const { items, previous } = isLast ? start : await api.list(`${first}&page=${lastPage}`, headers)
  const page = await toHistoryPage(items, reader)
  return { ...page, next: hasRecent(items.slice(0, 1), since, time) ? previous : undefined }
}

/**
 * Whether some of the items may be at or after an instant. Items without a time do not count; if none has one, some may
 * be.
 *
 * @param times the members that may contain an item's time; the latest counts
 */
export function hasRecent(items: readonly unknown[], since: string, ...times: readonly string[]): boolean {
  const known = items.flatMap(item => {
    const found = isObject(item) ? times.flatMap(name => instantAt(item, name) ?? []) : []
    return found.length === 0 ? [] : [found.reduce((left, right) => (left > right ? left : right))]
  })
  return known.length === 0 ? items.length > 0 : known.some(time => time >= since)
}

/** Number of the following pages, by the page number in this page's address. */
export function pagesLeft(position: string, lastPage: number | undefined): number | undefined {
  if (lastPage === undefined) return undefined
  const page = /[?&]page=(\d{1,9})/u.exec(position)?.[1] ?? '1'
  return Math.max(0, lastPage - Number(page))
}

export interface ItemReader {
  name: string
  normalise: NormaliseBody
  toDeliveries: (item: Payload) => readonly PastDelivery[] | Promise<readonly PastDelivery[]>
}

/** The events that the adapter creates from a delivery. @throws UnusableItem */
export function eventsOfPast({ headers, body, occurredAt }: PastDelivery, normalise: NormaliseBody): NewEvent[] {
  const delivery = {
    headers,
    // Bytes are needed only for an event without an identity of its own.
    get body() {
      return Buffer.from(JSON.stringify(body))
    },
  }
  try {
    const { events } = normalise(body, delivery)
    return occurredAt === undefined ? events : events.map(event => ({ ...event, occurred_at: occurredAt }))
  } catch (error) {
    if (error instanceof AppError) throw new UnusableItem(error.message)
    throw error
  }
}

function inOrder(events: NewEvent[]): NewEvent[] {
  const rank = ({ occurred_at }: NewEvent) => occurred_at ?? ''
  return events.sort((left, right) => Number(rank(left) > rank(right)) - Number(rank(left) < rank(right)))
}

function nameOf(item: unknown): string {
  if (!isObject(item)) return '(no object)'
  const name = idAt(item, 'number') ?? idAt(item, 'iid') ?? idAt(item, 'id')
  return name === undefined ? '(without an id)' : `#${name.slice(0, 40)}`
}
