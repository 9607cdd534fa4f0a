import { AppError } from '../../model/app-error.js'
import { readEventPage } from '../event-pages.js'
import type { LedgerClient } from '../ledger-client.js'
import type { Batch } from '../library/consumer-reader.js'
import { type LedgerEvent, ORDER_KEY_OF, type OrderKey } from '../library/ledger-event.js'
import { NotNow, WorkEnds } from '../library/ordered-work.js'
import { runConsumer } from '../library/run-consumer.js'
import { createForwarder, type ForwardOptions } from './forward-events.js'
import { ledgerCalls } from './ledger-calls.js'
import { type CommandOptions, runCommand } from './run-command.js'

/** How a consumer handles its events, and in which order. */
export interface ConsumePlan {
  name: string
  /** Absent: the consumer keeps its filters. */
  filters?: object
  /** Where a new consumer begins: `beginning`, `now` or a time. */
  from: string
  once: boolean
  /** Maximum number of events passed together. */
  unit: number
  concurrency: number
  key: OrderKey
  retries: number
  onFailure: 'stop' | 'dead-letter'
  /** Whether to continue at the checkpoint of a restored ledger. */
  onRestore: 'continue' | 'stop'
  maxAgeSeconds?: number
  maxBacklog?: number
}

export type Work =
  | ({ kind: 'exec' } & CommandOptions)
  | ({ kind: 'forward' } & ForwardOptions)
  | { kind: 'print'; print: (event: LedgerEvent) => Promise<void> }

interface ConsumeOptions {
  work: Work
  signal: AbortSignal
  report: (sentence: string) => void
}

const PAGE = { least: 100, most: 500 }
/** How long a killed instance still holds its lease. The lease is extended while an event takes longer. */
const LEASE_SECONDS = 15

/**
 * Passes the events of a consumer on, until the signal aborts, or with `once` until there are no more.
 *
 * @throws AppError `conflict/lease_held` with `once`; `internal/consumer_failed` when it stops because of an event;
 *   `conflict/receiver_gone`; `conflict/epoch_changed` with `onRestore: 'stop'`; as `LedgerClient`
 */
export async function consume(client: LedgerClient, plan: ConsumePlan, options: ConsumeOptions): Promise<void> {
  const { work, signal, report } = options
  const { name, filters, from, once, unit, concurrency, key, retries, onFailure, onRestore } = plan
  const place = from === 'beginning' || from === 'now' ? { position: from } : { from }
  const skip = plan.maxBacklog === undefined ? undefined : skipBacklog(client, name, plan.maxBacklog, options)
  try {
    await runConsumer({
      calls: ledgerCalls(client, name),
      create: { ...(filters ? { filters } : {}), ...place },
      limit: Math.min(PAGE.most, Math.max(PAGE.least, unit * concurrency)),
      leaseSeconds: LEASE_SECONDS,
      once,
      signal,
      report,
      unit,
      retries,
      onFailure,
      onRestore,
      concurrency: work.kind === 'print' ? 1 : concurrency,
      keyOf: ORDER_KEY_OF[work.kind === 'print' ? 'all' : key],
      handle: reportingWaits(withoutOld(handlerOf(work), plan.maxAgeSeconds), report),
      ...(skip ? { skip } : {}),
    })
  } catch (error) {
    if (error instanceof WorkEnds) throw new AppError('conflict', 'receiver_gone', error.message)
    if (error instanceof AppError || signal.aborted) throw error
    const detail = error instanceof Error ? error.message : String(error)
    throw new AppError('internal', 'consumer_failed', `The consumer ${name} stopped. ${detail}`, {
      hint: 'Nothing is lost: the event is delivered again at the next start. --on-failure dead-letter continues with others.',
    })
  }
}

function handlerOf(work: Work): (events: readonly LedgerEvent[]) => Promise<void> {
  if (work.kind === 'exec') return events => runCommand(events, work)
  if (work.kind === 'forward') return createForwarder(work)
  return async events => {
    for (const event of events) await work.print(event)
  }
}

type Handle = (events: readonly LedgerEvent[]) => Promise<void>

function withoutOld(handle: Handle, maxAgeSeconds: number | undefined): Handle {
  if (maxAgeSeconds === undefined) return handle
  return async events => {
    const oldest = Date.now() - maxAgeSeconds * 1000
    const young = events.filter(event => Date.parse(event.captured_at) >= oldest)
    if (young.length > 0) await handle(young)
  }
}

/** Reports each outage of a receiver once, and its return once. */
function reportingWaits(handle: Handle, report: (sentence: string) => void): Handle {
  let isAway = false
  return async events => {
    try {
      await handle(events)
    } catch (error) {
      if (error instanceof NotNow && !isAway) report(`${error.message} Waiting.`)
      if (error instanceof NotNow) isAway = true
      throw error
    }
    if (isAway) report('Continuing.')
    isAway = false
  }
}

/** Moves the consumer to the newest events if too many wait. Reads pages of them only if there are that many. */
function skipBacklog(
  client: LedgerClient,
  name: string,
  most: number,
  { signal, report }: ConsumeOptions,
): (batch: Batch) => Promise<boolean> {
  return async batch => {
    if (batch.ack.checkpoint === undefined || (!batch.has_more && batch.items.length <= most)) return false
    const consumer = (await client.consumer(name, { signal })).json() as ShownConsumer
    if (consumer.lag.exact && consumer.lag.events <= most) return false
    let before: string | undefined
    let left = most
    while (left > 0) {
      const limit = Math.min(PAGE.most, left)
      const range = { since: consumer.checkpoint, ...(before === undefined ? {} : { before }) }
      const query = { ...consumer.filters, ...range, order: 'desc', limit: String(limit) }
      const page = readEventPage(await client.events(query, { signal }))
      const oldest = page.items.at(-1) as LedgerEvent | undefined
      if (!oldest || !page.hasMore) return false
      before = oldest.captured_at
      left -= page.items.length
    }
    await client.seekConsumer(name, JSON.stringify({ from: before }), { signal })
    report(`More than ${most} events waited. Older ones are skipped.`)
    return true
  }
}

interface ShownConsumer {
  checkpoint: string
  filters: object
  lag: { events: number; exact: boolean }
}
