import { consumerCalls, type Page, readPage, toQuery } from './fetch-calls.js'
import { isTransient, type LedgerAddress, readAddress, send } from './fetch-transport.js'
import { followPages } from './follow-pages.js'
import { type EventFilters, type LedgerEvent, ORDER_KEY_OF, ORDER_KEYS, type OrderKey } from './ledger-event.js'
import { runConsumer } from './run-consumer.js'

export type { Page } from './fetch-calls.js'
export { type LedgerAddress, LedgerError } from './fetch-transport.js'
export type { EventFilters, EventTarget, LedgerEvent, OrderKey } from './ledger-event.js'
export { NotNow } from './ordered-work.js'

/** The work of a consumer: either `handle` or `handleBatch`. */
export type Work =
  /** Processes one event. The event is acknowledged when the promise resolves. @throws when the work failed */
  | { handle: (event: LedgerEvent) => unknown; handleBatch?: never; batchSize?: never }
  /** Processes up to `batchSize` events together. */
  | { handle?: never; handleBatch: (events: readonly LedgerEvent[]) => unknown; batchSize: number }

export type ConsumeOptions = Work & {
  /** Absent: an existing consumer keeps its filters, and a new one has none. */
  filters?: EventFilters
  /** Where a new consumer begins: a time, `beginning`, or `now`, which is the default. */
  from?: string
  /** How many calls run at the same time. Default 1. */
  concurrency?: number
  /** Events with the same key are handled in order, one after the other. Default `subject`. */
  key?: OrderKey | ((event: LedgerEvent) => string)
  /** How often a failed event is tried again, with growing waits. Default 5. */
  retries?: number
  /** After an event's last failure: end with its error (default), or keep the event as a dead letter and continue. */
  onFailure?: 'stop' | 'dead-letter'
  /**
   * After the ledger was restored or replaced: continue at the checkpoint that it has (default; may repeat events), or
   * end with `epoch_changed`.
   */
  onRestore?: 'continue' | 'stop'
  /** End when there are no more events. */
  once?: boolean
  /** Ends the consumer, which first finishes the events in progress and acknowledges them. */
  signal?: AbortSignal
  /**
   * Receives a sentence for each interruption, for its end, and for each dead letter whose event was removed. Default:
   * `console.error`.
   */
  report?: (sentence: string) => void
}

export interface FollowOptions {
  /** The checkpoint to begin after. Absent: now. */
  since?: string
  signal?: AbortSignal
  report?: (sentence: string) => void
}

const LIMIT = { least: 100, most: 500 }
/** How long a killed instance still holds its lease. The lease is extended while an event takes longer. */
export const LEASE_SECONDS = 15

/** A ledger, over its REST API. */
export class Daybook {
  private readonly address: LedgerAddress

  /** @throws TypeError for an address that is not valid */
  constructor(address: LedgerAddress) {
    this.address = readAddress(address)
  }

  /**
   * Processes the events of the named consumer until the signal aborts; creates the consumer if it is new. The ledger
   * keeps the checkpoint. Each event is delivered at least once, and events of one key are delivered in order. One
   * instance reads at a time; others wait. It waits through outages of the server, and continues in a restored ledger.
   *
   * @throws TypeError for an invalid option, before any request
   * @throws LedgerError what waiting cannot resolve; with `once`, `lease_held` while another instance reads; the error of
   *   an event that failed too often, with `stop`
   */
  async consume(name: string, options: ConsumeOptions): Promise<void> {
    checkOptions(options)
    const { filters, from = 'now', key = 'subject', concurrency = 1, batchSize = 1, handle, handleBatch } = options
    const { report = sentence => console.error(`Consumer ${name}: ${sentence}`) } = options
    const place = from === 'beginning' || from === 'now' ? { position: from } : { from }
    return runConsumer({
      calls: consumerCalls(this.address, name),
      leaseSeconds: LEASE_SECONDS,
      concurrency,
      report,
      create: { ...(filters ? { filters } : {}), ...place },
      limit: Math.min(LIMIT.most, Math.max(LIMIT.least, batchSize * concurrency)),
      once: options.once ?? false,
      onRestore: options.onRestore,
      signal: options.signal ?? new AbortController().signal,
      unit: batchSize,
      retries: options.retries ?? 5,
      onFailure: options.onFailure ?? 'stop',
      keyOf: typeof key === 'function' ? key : ORDER_KEY_OF[key],
      handle: async events => {
        if (handleBatch) await handleBatch(events)
        else for (const event of events) await handle(event)
      },
    })
  }

  /**
   * Yields every matching event, oldest first, indefinitely. For programs that keep their own checkpoint, and for pages in
   * browsers, which only show events.
   *
   * @throws LedgerError for failures that waiting cannot resolve
   */
  async *follow(filters: EventFilters = {}, options: FollowOptions = {}): AsyncGenerator<Page> {
    const { since, signal = new AbortController().signal, report = console.error } = options
    let isAway = false
    yield* followPages<Page>({
      ask: async query => {
        const path = `/api/events${toQuery(query)}`
        const answer = await send(this.address, { method: 'GET', path, waitSeconds: Number(query.wait ?? 0) }, signal)
        if (isAway) report('Continuing.')
        isAway = false
        return readPage(answer)
      },
      filters,
      since,
      signal,
      isTransient,
      isPatient: true,
      onInterrupted: error => {
        if (!isAway) report(`${error.message} Waiting.`)
        isAway = true
      },
      onPruned: error => report(`${error.message} Continuing after them.`),
    })
  }
}

/** Programs in JavaScript have no types that check this. */
function checkOptions(options: ConsumeOptions): void {
  const { handle, handleBatch, batchSize = 1, concurrency = 1, key = 'subject' } = options
  const { retries = 5, onFailure = 'stop', onRestore = 'continue' } = options
  const isFunction = (value: unknown) => typeof value === 'function'
  const isCount = (value: number, least: number) => (Number.isInteger(value) || value === Infinity) && value >= least
  const isKey = isFunction(key) || ORDER_KEYS.includes(key as OrderKey)
  const rules: [isValid: boolean, rule: string][] = [
    [isFunction(handle) !== isFunction(handleBatch), 'Give one function: handle or handleBatch.'],
    [isCount(batchSize, 1), 'batchSize must be an integer of at least 1, or Infinity.'],
    [isCount(concurrency, 1), 'concurrency must be an integer of at least 1, or Infinity.'],
    [isCount(retries, 0), 'retries must be an integer of at least 0, or Infinity.'],
    [isKey, `key must be a function or one of ${ORDER_KEYS.join(', ')}.`],
    [['stop', 'dead-letter'].includes(onFailure), "onFailure must be 'stop' or 'dead-letter'."],
    [['continue', 'stop'].includes(onRestore), "onRestore must be 'continue' or 'stop'."],
  ]
  const broken = rules.find(([isValid]) => !isValid)
  if (broken) throw new TypeError(broken[1])
}
