import type { EventDelivery } from '../../ledger/event-recorder.js'
import { AppError } from '../../model/app-error.js'
import type { Provenance } from '../../model/events/event.js'
import { toFailure } from '../../model/failure.js'
import { type HookReport, type ListedHook, RECONCILE_LIMITS } from '../../model/platforms/reconciliation.js'
import type { WebhookDelivery } from '../../platforms/adapter.js'
import type { AcceptedDelivery, AcceptedEvent } from '../../platforms/deliveries/accept-delivery.js'
import type { ListedDelivery } from '../../platforms/deliveries-lists/deliveries-list.js'
import { type MissingDelivery, noteLost, type ReconcileParts } from './hook-run.js'
import { readDeliveryIds } from './known-deliveries.js'
import { redeliverAll } from './redeliver.js'

const MICROS_PER_MS = 1_000
/** How much earlier than the platform's time, which is by its own clock, the ledger may have captured a delivery. */
const CLOCK_TOLERANCE_MS = 60 * 60_000
const REPORTED_CLOCK_MS = 60_000

/**
 * Compares the deliveries of one webhook with the ledger: first by the id of the delivery, then by the keys of its
 * events. Records missing deliveries from the list, and asks the platform to repeat those whose content is not in it.
 *
 * Failures of the platform are part of the report. Recorded events stay, and the next run recognises them.
 *
 * @throws AppError of the ledger; the signal's reason once it is aborted
 *
 * Source: docs/decisions/0079.
 */
export async function reconcileHook(hook: ListedHook, parts: ReconcileParts): Promise<HookReport> {
  const report = emptyReport(hook)
  if (parts.memory) parts.memory.hasNewlyGone = false
  const asked: MissingDelivery[] = []
  try {
    report.complete = await readList(hook, { ...parts, report, asked })
    await redeliverAll(asked, { ...parts, report, source: hook.source })
  } catch (error) {
    if (parts.signal?.aborted || !(error instanceof AppError) || !isOfPlatform(error)) throw error
    report.error = toFailure(error)
    report.complete = false
    // Deliveries for which the platform was not asked.
    for (const { entry, reason } of asked.splice(0)) noteLost({ report }, 'missing', entry, reason)
  }
  const ahead = parts.list.api.clockAheadMs()
  if (Math.abs(ahead) > REPORTED_CLOCK_MS) report.clock_ahead_seconds = Math.round(ahead / 1_000)
  if (parts.memory) parts.memory.isClean = report.complete && report.missing === 0
  return report
}

interface Run extends ReconcileParts {
  report: HookReport
  /** Collects the deliveries that the platform has to send again. */
  asked: MissingDelivery[]
}

/** @returns whether the list was read to its end */
async function readList(hook: ListedHook, run: Run): Promise<boolean> {
  const { list, report, memory, signal } = run
  const since = run.now() - run.sinceSeconds * 1_000
  const from = (since - CLOCK_TOLERANCE_MS) * MICROS_PER_MS
  const ids = list.listsIdsOnly ? await readDeliveryIds(run.ledger, hook.source, from, signal) : new Set<string>()
  const attempted = new Set<string>()
  for await (const page of list.pages(since, signal)) {
    const entries = page.filter(entry => {
      const id = entry.deliveryId ?? `entry ${entry.id}`
      const isFirst = !attempted.has(id)
      attempted.add(id)
      return isFirst
    })
    if (memory?.isClean && page.every(({ id }) => memory.isSettled(id))) return true
    await reconcilePage(entries, ids, run)
    run.onListed?.(report.listed)
    if (attempted.size >= RECONCILE_LIMITS.listed) return false
  }
  return true
}

async function reconcilePage(entries: readonly ListedDelivery[], ids: ReadonlySet<string>, run: Run): Promise<void> {
  const { report, memory, asked } = run
  const fetched: { entry: ListedDelivery; events: EventDelivery[] }[] = []
  for (const entry of entries) {
    report.listed++
    const isSettled = memory?.isSettled(entry.id) ?? false
    // An earlier run has reported it.
    if (memory?.isGone(entry.id)) report.gone++
    else if (entry.isPing) noteKnown(run, entry, 'ignored')
    else if (isSettled || (entry.deliveryId !== undefined && ids.has(entry.deliveryId))) noteKnown(run, entry)
    else {
      const found = await findMissing(entry, run)
      if (found === undefined) continue
      if ('reason' in found) {
        if (run.isDryRun || asked.length >= RECONCILE_LIMITS.redeliveries) noteLost(run, 'missing', entry, found.reason)
        else asked.push(found)
      } else if (run.isDryRun) noteLost(run, 'missing', entry, 'It is not recorded in a dry run.')
      else fetched.push({ entry, events: found.events })
    }
  }
  if (fetched.length === 0) return
  // The list begins with the newest delivery.
  fetched.reverse()
  const outcomes = await run.ledger.record(fetched.flatMap(({ events }) => events))
  for (const { entry, events } of fetched) {
    const created = outcomes.splice(0, events.length).some(outcome => outcome.created)
    // If no event is new, the delivery arrived during this run.
    if (created) noteKnown(run, entry, 'fetched')
    else noteKnown(run, entry)
  }
}

/** @returns undefined if the ledger has all events of the delivery, which is then counted */
async function findMissing(
  entry: ListedDelivery,
  run: Run,
): Promise<{ events: EventDelivery[] } | MissingDelivery | undefined> {
  const delivery = await run.list.read(entry, run.signal)
  if (delivery === undefined) return whereListed(entry, run, 'The list does not contain its payload.')
  const others = run.list.keepsBytes ? undefined : asOtherwiseWritten(delivery)
  const accepted = await acceptFetched(delivery, run)
  if (accepted === undefined) return void noteLost(run, 'gone', entry, 'Its payload is not readable.')
  const { events, deliveryId } = accepted
  if (events.length === 0) return void noteKnown(run, entry, 'ignored')
  const known = await Promise.all(events.map(({ event }) => run.ledger.knows(event.dedupe_key)))
  if (known.every(isKnown => isKnown)) return void noteKnown(run, entry)
  if (others !== undefined && !(await haveSameKeys(events, others, run)))
    return whereListed(entry, run, 'Only the bytes that were sent identify it, and the list has others.')
  const provenance: Provenance = {
    route: 'capture',
    verified: 'login',
    ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }),
  }
  return { events: events.map(({ event, json }) => ({ event, json, provenance })) }
}

/** Decides by the platform's list, because only the list shows whether it was delivered. */
function whereListed(entry: ListedDelivery, run: Run, reason: string): MissingDelivery | undefined {
  if (!entry.succeeded) return { entry, reason }
  noteKnown(run, entry)
  return undefined
}

/**
 * The same delivery in another form that the platform may have sent: the list contains newly serialised JSON, and
 * GitLab replaces email addresses.
 */
function asOtherwiseWritten({ headers, body }: WebhookDelivery): WebhookDelivery {
  const text = Buffer.from(body).toString('utf8').replaceAll('[REDACTED]', 'redacted')
  return { headers, body: Buffer.from(`${text} `) }
}

/** Whether both forms have equal keys. If not, the keys depend on content that the list changes: a second event. */
async function haveSameKeys(events: readonly AcceptedEvent[], others: WebhookDelivery, run: Run): Promise<boolean> {
  const accepted = await acceptFetched(others, run)
  return events.every(({ event }, index) => event.dedupe_key === accepted?.events[index]?.event.dedupe_key)
}

/** @returns undefined for a payload that no platform can have sent */
async function acceptFetched(delivery: WebhookDelivery, { accept }: Run): Promise<AcceptedDelivery | undefined> {
  try {
    return await accept(delivery, { secrets: [], requireVerified: false, context: {}, verified: 'login' })
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_json') return undefined
    throw error
  }
}

function noteKnown({ report, memory }: Run, entry: ListedDelivery, as?: 'ignored' | 'fetched'): void {
  report[as ?? (entry.succeeded ? 'delivered' : 'known')]++
  memory?.settle(entry.id)
}

function isOfPlatform({ code }: AppError): boolean {
  return code.startsWith('platform_') || code === 'hook_unknown'
}

function emptyReport({ source, url }: ListedHook): HookReport {
  return {
    source,
    url,
    listed: 0,
    delivered: 0,
    known: 0,
    ignored: 0,
    fetched: 0,
    redelivered: 0,
    missing: 0,
    gone: 0,
    lost: [],
    complete: false,
  }
}
