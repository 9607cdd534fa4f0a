import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../model/app-error.js'
import type { EventPage, EventQuery } from '../model/events/event-query.js'
import type { Micros } from '../model/timestamp.js'
import type { LiveFeed } from './live-feed.js'

/** Reads a page of events, maybe after waiting for its turn. */
export type ReadPage = (query: EventQuery, signal?: AbortSignal) => Promise<EventPage>

/** Wraps a function that reads a page. */
export type WrapRead = (read: ReadPage) => ReadPage

/** What waiting readers need. */
export interface WaitingParts {
  feed: LiveFeed
  /** For a reader that has not caught up. */
  read: ReadPage
  /** For a reader that an event has woken. Readers woken together send the same query, so they may share a read. */
  readShared: ReadPage
}

/** How long a stream pauses before it reads a busy ledger again. */
const BUSY_MS = 200

/**
 * Long poll: while the page of a query with `since` is empty, waits until something matches, `seconds` have passed or
 * the signal aborts. Then returns the page as last read.
 *
 * @throws the signal's reason when it aborts before the first page was read; as `read`
 */
export async function waitForPage(
  query: EventQuery,
  { feed, read, readShared, seconds, signal }: WaitingParts & { seconds: number; signal: AbortSignal | undefined },
): Promise<EventPage> {
  const deadline = performance.now() + seconds * 1000
  const waiting = feed.listen(query)
  try {
    let page = await read(query, signal)
    while (page.count === 0 && !signal?.aborted) {
      const left = deadline - performance.now()
      if (left <= 0) break
      await waiting.next(signal, left)
      if (!signal?.aborted) page = await readAgain(query, { page, signal, read: readShared })
    }
    return page
  } finally {
    waiting.end()
  }
}

/**
 * Yields every matching event after `query.since`, or after the current head: page by page, until the signal aborts.
 * Reads the next page when the consumer asks for it. Each page's `nextSince` is the checkpoint after it. If the ledger
 * is busy, it reads again a moment later.
 */
export async function* followPages(
  query: EventQuery,
  { feed, read, readShared, readHead, signal }: WaitingParts & { readHead: ReadPage; signal: AbortSignal },
): AsyncGenerator<EventPage> {
  const waiting = feed.listen(query)
  try {
    let since =
      query.since ??
      (await retryWhileBusy(() => readHead({ order: 'desc', limit: 1, maxBytes: 0 }, signal), signal)).head ??
      0
    for (let readNext = read; !signal.aborted; ) {
      const page = await retryWhileBusy(() => readNext({ ...query, order: 'asc', since }, signal), signal)
      since = page.nextSince ?? since
      yield page
      readNext = page.hasMore ? read : readShared
      if (!page.hasMore) await waiting.next(signal)
    }
  } finally {
    waiting.end()
  }
}

/** Reads; while the ledger is busy, tries again a moment later. @throws as `read`; the signal's reason */
export async function retryWhileBusy(read: () => Promise<EventPage>, signal: AbortSignal): Promise<EventPage> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'busy') throw error
      await sleep(BUSY_MS, undefined, { signal })
    }
  }
}

async function readAgain(
  query: EventQuery,
  { page, signal, read }: { page: EventPage; signal: AbortSignal | undefined; read: ReadPage },
): Promise<EventPage> {
  try {
    return await read({ ...query, ...checkpointOf(page) }, signal)
  } catch (error) {
    if (signal?.aborted) return page
    throw error
  }
}

function checkpointOf(page: EventPage): { since?: Micros } {
  return page.nextSince === null ? {} : { since: page.nextSince }
}
