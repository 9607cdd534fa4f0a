import { readToOf } from '../../ledger/watch-times.js'
import { AppError } from '../../model/app-error.js'
import type { NewEvent } from '../../model/events/event.js'
import { kindMatches } from '../../model/events/event-match.js'
import type { HistoryTarget, RestAccount } from '../../model/platforms/history.js'
import type { WatchCapture } from '../../model/subscriptions/capture.js'
import type { Subscription } from '../../model/subscriptions/subscription.js'
import { findTimestamp, type Micros, toTimestamp } from '../../model/timestamp.js'
import type { HistoryStream } from '../../platforms/history/history-stream.js'
import { openHistory } from '../../platforms/history/open-history.js'
import { watchedTargetOf } from '../../platforms/history/watched-target.js'
import type { RecordedHistory } from '../history/history-ledger.js'
import { recordHistory } from '../history/record-history.js'
import type { CaptureParts } from './capture-one.js'
import { PollProgress } from './poll-progress.js'

const SECOND: Micros = 1_000_000
/** Lists show some items late, and clocks differ. Items that are read again are recognised. */
const OVERLAP = 600 * SECOND
/** Times in answers are whole seconds, and answers take a while. */
const CLOCK_TOLERANCE = 60 * SECOND
/** How far the first poll of an older subscription goes back. */
const FIRST = 86_400 * SECOND
/** Maximum pages of one poll, so that other watches get a turn. The next poll continues. */
const MOST_PAGES = 100
/** Failures that concern one list only. */
const OF_A_LIST = ['platform_unavailable', 'platform_answer_unreadable', 'platform_request_refused']

interface PolledWatch {
  watch: Subscription
  target: HistoryTarget
  account: RestAccount
  attemptedAt: Micros
}

/**
 * Reads the events of a place of a code host or forum since the last poll, and records those that the watch does not
 * have. The stored instant advances only after all lists were read. If a limit ends a poll, the next poll continues it.
 *
 * @throws AppError as `HistoryApi`, `Ledger.recordLive`; `invalid/watch_not_captured` if no list has a kind of the watch;
 *   the signal's reason once it is aborted
 *
 * Source: docs/decisions/0085.
 */
export async function pollPlace(
  capture: WatchCapture,
  { watch, target, account, attemptedAt }: PolledWatch,
  parts: CaptureParts,
): Promise<void> {
  const { ledger, sleep, signal, onProgress } = parts
  const { id } = watch
  const report: WatchCapture['polled'] = { complete: false, unavailable: [], left_out: [] }
  capture.polled = report
  const host = hostOf(account)
  const isMoved = Boolean(watch.capture?.host && watch.capture.host !== host)
  if (isMoved) capture.previous_host = watch.capture?.host ?? ''
  const start = isMoved ? undefined : findTimestamp(readToOf(watch))?.micros
  const since = start === undefined ? firstInstant(watch, attemptedAt) : start - OVERLAP
  const unfinished = isMoved ? undefined : watch.capture?.unfinished
  const progress = PollProgress.read(unfinished, { place: target.text, since: toTimestamp(since) })
  const last_attempt_at = toTimestamp(attemptedAt)
  // If this attempt fails, the next one begins at the same instant.
  await ledger.noteCapture(id, {
    host,
    last_attempt_at,
    ...(start === undefined ? { read_to: toTimestamp(since) } : {}),
  })
  const calls = {
    sleep,
    now: Date.now,
    signal,
    onWait: (seconds: number) =>
      onProgress?.({ subscription_id: id, messages: capture.messages, waiting_seconds: seconds }),
  }
  const opened = await openHistory(target, { account, since: progress.since, isPoll: true, calls })
  // The clock of a forum is known only from the answers with its lists.
  const begin = () => {
    const ahead = opened.clockAheadMs() * 1_000
    progress.begin(attemptedAt + (Math.abs(ahead) < CLOCK_TOLERANCE ? 0 : ahead))
  }
  try {
    const { streams: all } = opened.history
    const streams = all.filter(stream => isWanted(stream, watch))
    if (streams.length === 0) throw noWantedList(watch, all)
    const counts = await recordHistory(
      { streams },
      {
        ledger: { record: events => record(capture, { watch, account, events }, parts) },
        checkpoint: progress,
        clock: () => performance.now(),
        mostPages: MOST_PAGES,
        onProgress: () => onProgress?.({ subscription_id: id, messages: capture.messages }),
        concernsList: ({ code }) => OF_A_LIST.includes(code),
      },
    )
    const unavailable = new Set(counts.unavailable.map(({ stream }) => stream))
    report.complete = streams.every(({ name }) => progress.isDone(name) || unavailable.has(name))
    report.unavailable = counts.unavailable
    report.left_out = counts.left_out
    begin()
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    // After a limit, the next poll continues. After any other failure it reads all lists again, because one list that
    // always fails must not keep the others from being read.
    const isLimit = error instanceof AppError && error.code === 'platform_rate_limited'
    begin()
    await ledger.noteCapture(id, { unfinished: isLimit ? progress.toJson() : null })
    throw error
  } finally {
    opened.close()
  }
  if (!report.complete) return ledger.noteCapture(id, { unfinished: progress.toJson() })
  await ledger.noteCapture(id, { read_to: progress.until, unfinished: null }, progress.until)
}

/** Records events that the watch does not have, including known events that were not marked with it. */
async function record(
  capture: WatchCapture,
  { watch, account, events }: { watch: Subscription; account: RestAccount; events: readonly NewEvent[] },
  { ledger, lease }: CaptureParts,
): Promise<RecordedHistory> {
  const wanted = new Map(events.filter(({ kind }) => watches(watch, kind)).map(event => [event.dedupe_key, event]))
  for (const key of await ledger.listKeysOf(watch.id, [...wanted.keys()])) wanted.delete(key)
  if (wanted.size === 0) return { created: 0, known: events.length }
  const outcomes = await ledger.recordLive({
    // Without a token, anyone on the network could have answered for a server without TLS.
    provenance: { route: 'capture', verified: account.token === undefined ? 'none' : 'login' },
    events: [...wanted.values()].map(event => ({ event, marks: [{ id: watch.id, ...(lease ? { lease } : {}) }] })),
    notes: [],
  })
  const created = outcomes.filter(outcome => outcome.created).length
  capture.messages += outcomes.length
  capture.created += created
  capture.duplicates += outcomes.length - created
  return { created, known: events.length - created }
}

/** @throws AppError `invalid/watch_not_captured` */
export function targetOf(watch: Subscription): HistoryTarget {
  const target = watchedTargetOf(watch)
  if (target) return target
  const message = `Subscription "${watch.id}" names no place of "${watch.source}" that can be captured.`
  const hint = 'Give it a target like repo:ada/engine, project:ada/engine, category:support or topic:123.'
  throw new AppError('invalid', 'watch_not_captured', message, { hint })
}

function noWantedList({ id, event_kinds }: Subscription, streams: readonly HistoryStream[]): AppError {
  const kinds = [...new Set(streams.flatMap(stream => stream.kinds))].sort()
  const message = `Subscription "${id}" selects only kinds that a poll does not find: ${event_kinds.join(', ')}.`
  const hint = `A poll of this place finds ${kinds.join(', ')}. Other kinds need a webhook.`
  return new AppError('invalid', 'watch_not_captured', message, { hint })
}

/** The creation of the subscription, but at most a day ago: `capture history` reads earlier events. */
function firstInstant({ created_at }: Subscription, attemptedAt: Micros): Micros {
  return Math.max((findTimestamp(created_at)?.micros ?? 0) - OVERLAP, attemptedAt - FIRST)
}

function isWanted({ kinds }: HistoryStream, watch: Subscription): boolean {
  return kinds.some(kind => watches(watch, kind))
}

function watches({ event_kinds: patterns }: Subscription, kind: string): boolean {
  return patterns.length === 0 || patterns.some(pattern => kindMatches(kind, pattern))
}

/** Ids are unique on one server only. */
function hostOf({ baseUrl }: RestAccount): string {
  return baseUrl.replace(/^https?:\/\//u, '')
}
