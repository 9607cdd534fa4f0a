import type { Logger } from 'pino'
import type { Counter } from 'prom-client'
import { AppError } from '../../model/app-error.js'
import type { ProvenanceRoute } from '../../model/events/event.js'
import { FOLLOW_STATES, type FollowStatus } from '../../model/follow.js'
import type { CaptureTotals } from '../../model/subscriptions/capture.js'
import { LIVE_STATES, type LiveReport } from '../../model/subscriptions/live-capture.js'
import type { LedgerStats, ReplicaHealth } from '../../store/event-store.js'
import type { ServedCaptures } from '../events/capture-route.js'
import type { RefusedDelivery } from '../events/refused-deliveries.js'
import { type Metric, metric, metricBy } from '../metrics/metric.js'
import { ProgramMetrics } from '../metrics/program-metrics.js'
import type { ServedFollowing } from './follow-routes.js'
import type { ServedLedger } from './served-ledger.js'

/** The parts of the ledger that its metrics read. */
interface LedgerMetricParts {
  ledger: Pick<ServedLedger, 'health' | 'stats'>
  refusedDeliveries: () => readonly RefusedDelivery[]
  captures: Pick<ServedCaptures, 'totals' | 'live'>
  /** Epoch milliseconds of the newest backup that the server has made; undefined if it makes none. */
  lastBackup: () => number | undefined
  following: Pick<ServedFollowing, 'status'>
}

/** Number of sources (the largest) with their own label value: direct writers name sources, so there may be many. */
const SOURCES_LISTED = 50
const OTHER_SOURCES = 'other'
const DELIVERY_RESULTS = ['created', 'duplicate'] as const
/** The routes on which the server itself receives deliveries. */
const DELIVERY_ROUTES: readonly ProvenanceRoute[] = ['api', 'webhook']

/** The metrics of a ledger. */
export class LedgerMetrics extends ProgramMetrics {
  readonly #deliveries = this.counter(
    'daybook_deliveries_total',
    'Deliveries of events, by route and by whether the event was new or a repeat.',
    ['route', 'result'],
  )
  /** Caches counters, because finding a metric by its labels costs more than counting. There are few. */
  readonly #counters = new Map<string, Counter.Internal>()

  constructor(logger: Logger) {
    super(logger)
    for (const route of DELIVERY_ROUTES) {
      for (const result of DELIVERY_RESULTS) this.#deliveries.inc({ route, result }, 0)
    }
  }

  countDelivery(route: ProvenanceRoute, created: boolean): void {
    const result = created ? 'created' : 'duplicate'
    const name = `${route} ${result}`
    this.tryToCount(() => {
      let counter = this.#counters.get(name)
      if (!counter) {
        counter = this.#deliveries.labels(route, result)
        this.#counters.set(name, counter)
      }
      counter.inc()
    })
  }

  watchLedger({ ledger, refusedDeliveries, captures, lastBackup, following }: LedgerMetricParts): void {
    this.whenRead('events', async () => eventMetrics(await ledger.stats()))
    this.whenRead('head', () => headMetrics(ledger))
    this.whenRead('refused deliveries', async () => [refusedMetric(refusedDeliveries())])
    this.whenRead('captures', async () => captureMetrics(captures.totals()))
    this.whenRead('live capture', async () => liveMetrics(captures.live?.()))
    this.whenRead('backups', async () => backupMetrics(lastBackup()))
    this.whenRead('following', async () => followMetrics(following.status()))
  }
}

function eventMetrics({ by_source, subscription_count }: LedgerStats): Metric[] {
  const sources = Object.entries(by_source).map(([source, { events }]) => [source, events] as const)
  sources.sort(([, left], [, right]) => right - left)
  const counts = new Map(sources.slice(0, SOURCES_LISTED))
  const rest = sources.slice(SOURCES_LISTED).reduce((sum, [, events]) => sum + events, 0)
  if (rest > 0) counts.set(OTHER_SOURCES, (counts.get(OTHER_SOURCES) ?? 0) + rest)
  return [
    metricBy('source', counts, { name: 'daybook_events', help: 'Stored events, by source.' }),
    metric('daybook_subscriptions', 'Stored subscriptions.', subscription_count),
  ]
}

/** Empty while the store cannot commit; `daybook_ready` shows that. */
async function headMetrics(ledger: LedgerMetricParts['ledger']): Promise<Metric[]> {
  try {
    const { head, unindexedEvents, replica, damage } = await ledger.health()
    const help = 'When the newest event was captured, in seconds of Unix time.'
    return [
      ...(head ? [metric('daybook_head_timestamp_seconds', help, head.capturedAt / 1_000_000)] : []),
      metric('daybook_unindexed_events', 'Events that are stored, but not yet in the search index.', unindexedEvents),
      metric('daybook_store_damaged', '1 after a task has met damage in the database, otherwise 0.', damage ? 1 : 0),
      ...(replica ? replicaMetrics(replica) : []),
    ]
  } catch (error) {
    if (error instanceof AppError && error.category === 'unavailable') return []
    throw error
  }
}

function replicaMetrics({ lagEvents, lagSeconds, problem }: ReplicaHealth): Metric[] {
  const readable = metric(
    'daybook_replica_readable',
    '1 if the read replica can be read, otherwise 0.',
    problem ? 0 : 1,
  )
  if (problem) return [readable]
  const seconds = 'How long ago the first event was captured that the read replica does not have; 0 if it has all.'
  return [
    readable,
    metric('daybook_replica_lag_events', 'Events that the read replica does not have yet.', lagEvents),
    metric('daybook_replica_lag_seconds', seconds, lagSeconds),
  ]
}

function refusedMetric(refused: readonly RefusedDelivery[]): Metric {
  return {
    type: 'counter',
    name: 'daybook_deliveries_refused_total',
    help: 'Deliveries to webhooks that were answered with an error, by source and by the code of the answer.',
    values: refused.map(({ source, code, count }) => ({ labels: { source, code }, value: count })),
  }
}

function captureMetrics({ outcomes, created, duplicates }: CaptureTotals): Metric[] {
  return [
    metricBy('outcome', Object.entries(outcomes), {
      type: 'counter',
      name: 'daybook_captures_total',
      help: 'Attempts to capture a watch, by outcome.',
    }),
    metricBy('result', Object.entries({ created, duplicate: duplicates }), {
      type: 'counter',
      name: 'daybook_captured_messages_total',
      help: 'Messages, and events of polls, that captures recorded, by whether the event was new or a repeat.',
    }),
  ]
}

function liveMetrics(report: LiveReport | undefined): Metric[] {
  if (!report) return []
  const { status, totals } = report
  const { created, duplicates, registered, lost } = totals
  return [
    metricBy(
      'state',
      LIVE_STATES.map(state => [state, state === status.state ? 1 : 0] as const),
      { name: 'daybook_chat_live_state', help: '1 for the state in which the event queue of the chat server is read.' },
    ),
    metricBy('result', Object.entries({ created, duplicate: duplicates }), {
      type: 'counter',
      name: 'daybook_chat_live_events_total',
      help: 'Events of the queue that were recorded, by whether they were new or a repeat.',
    }),
    metricBy('change', Object.entries({ registered, lost }), {
      type: 'counter',
      name: 'daybook_chat_live_changes_total',
      help: 'Registrations and losses of the chat event queue, by change.',
    }),
  ]
}

function backupMetrics(last: number | undefined): Metric[] {
  if (last === undefined) return []
  return [
    metric(
      'daybook_last_backup_timestamp_seconds',
      'When the newest backup was made, in seconds of Unix time.',
      last / 1000,
    ),
  ]
}

function followMetrics(status: FollowStatus | undefined): Metric[] {
  if (!status) return []
  const { state, lag_events, lag_seconds, last_contact_at } = status
  const contact = last_contact_at === null ? undefined : Date.parse(last_contact_at) / 1000
  return [
    metricBy(
      'state',
      FOLLOW_STATES.map(one => [one, one === state ? 1 : 0] as const),
      { name: 'daybook_follow_state', help: '1 for the state of the ledger towards the one that it follows.' },
    ),
    ...(lag_events === null
      ? []
      : [metric('daybook_follow_lag_events', 'Events of the followed ledger that are missing.', lag_events)]),
    metric(
      'daybook_follow_lag_seconds',
      'How long ago the ledger last had all events of the followed one.',
      lag_seconds,
    ),
    ...(contact === undefined
      ? []
      : [
          metric(
            'daybook_follow_last_contact_timestamp_seconds',
            'When the followed ledger last answered, in seconds of Unix time.',
            contact,
          ),
        ]),
  ]
}
