import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ProvenanceRoute } from '../../model/events/event.js'
import type { RefusedDelivery } from '../events/refused-deliveries.js'
import type { ConnectionUse } from '../http/connections.js'
import { type CutOff, documented, type Endpoint } from '../http/route.js'
import type { ShedReason } from '../http/shed-report.js'
import { logFailure, tryOrLog } from '../logging/try-or-log.js'

/** `GET /metrics` */
export function metricsText(metrics: LedgerMetrics): Endpoint {
  const doc = {
    summary: 'Metrics for Prometheus',
    answers: { 200: { description: 'Prometheus text format', type: 'text/plain' } },
  }
  return documented(doc, async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }))
}

type Observer = Histogram.Internal<'route' | 'method' | 'status'>

/** The metrics of one ledger, in its own registry. Source: Prometheus text format. */
export class LedgerMetrics {
  readonly #registry = new Registry()
  readonly #requests = new Histogram({
    name: 'daybook_http_request_duration_seconds',
    help: 'Time from a request’s headers to its answer, by route pattern, method and status class, without streams, exports and long polls.',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [this.#registry],
  })
  readonly #deliveries = new Counter({
    name: 'daybook_deliveries_total',
    help: 'Deliveries of events, by route and by whether the event was new or a repeat.',
    labelNames: ['route', 'result'] as const,
    registers: [this.#registry],
  })
  readonly #shed = new Counter({
    name: 'daybook_connections_shed_total',
    help: 'Connections that were closed or refused to keep room for others, by their use or the reason.',
    labelNames: ['reason'] as const,
    registers: [this.#registry],
  })

  readonly #storeFailures = new Counter({
    name: 'daybook_store_failures_total',
    help: 'Requests that failed because of the state of the database, by the code of the answer.',
    labelNames: ['code'] as const,
    registers: [this.#registry],
  })
  readonly #cutOff = new Counter({
    name: 'daybook_answers_cut_off_total',
    help: 'Answers that were cut off because their reader was slow, or read nothing while others needed the memory.',
    labelNames: ['reason'] as const,
    registers: [this.#registry],
  })

  #measuresProcess = false
  /** Finding a metric by its labels costs more than counting; there are few. */
  readonly #observers = new Map<string, Observer[]>()
  readonly #counters = new Map<string, Counter.Internal>()

  constructor(private readonly logger: Logger) {}

  get contentType(): string {
    return this.#registry.contentType
  }

  /** @param route the pattern, never a path: its values must stay few */
  observeRequest(route: string, method: string, status: number, seconds: number): void {
    const statusClass = Math.floor(status / 100)
    const name = `${method} ${route}`
    let observers = this.#observers.get(name)
    if (!observers) {
      observers = []
      this.#observers.set(name, observers)
    }
    observers[statusClass] ??= this.#requests.labels(route, method, `${statusClass}xx`)
    observers[statusClass].observe(seconds)
  }

  countDelivery(route: ProvenanceRoute, created: boolean): void {
    const result = created ? 'created' : 'duplicate'
    const name = `${route} ${result}`
    tryOrLog(this.logger, 'counted', () => {
      let counter = this.#counters.get(name)
      if (!counter) {
        counter = this.#deliveries.labels(route, result)
        this.#counters.set(name, counter)
      }
      counter.inc()
    })
  }

  countCutOff(reason: CutOff): void {
    tryOrLog(this.logger, 'counted', () => this.#cutOff.inc({ reason }))
  }

  countShed(reason: ShedReason): void {
    tryOrLog(this.logger, 'counted', () => this.#shed.inc({ reason }))
  }

  /** @param counts called when metrics are read */
  watchConnections(counts: () => Record<ConnectionUse, number>): void {
    const gauge = new Gauge({
      name: 'daybook_connections',
      help: 'Open connections, by their use.',
      labelNames: ['use'] as const,
      registers: [this.#registry],
      collect: () => {
        for (const [use, count] of Object.entries(counts())) gauge.set({ use }, count)
      },
    })
  }

  /** @param list called when metrics are read */
  watchRefusedDeliveries(list: () => readonly RefusedDelivery[]): void {
    const counter = new Counter({
      name: 'daybook_deliveries_refused_total',
      help: 'Deliveries to webhooks that were answered with an error, by source and by the code of the answer.',
      labelNames: ['source', 'code'] as const,
      registers: [this.#registry],
      collect: () => {
        counter.reset()
        for (const { source, code, count } of list()) counter.inc({ source, code }, count)
      },
    })
  }

  /** @param count called when metrics are read */
  watchSearchIndex(count: () => Promise<number>): void {
    const gauge: Gauge = new Gauge({
      name: 'daybook_unindexed_events',
      help: 'Events that are stored, but not yet in the search index.',
      registers: [this.#registry],
      collect: async () => {
        gauge.set(await count())
      },
    })
  }

  /** Counts a request that was refused because of the state of the database. */
  countStoreFailure(code: string): void {
    this.#storeFailures.inc({ code })
  }

  /** A metric that cannot be collected is left out. */
  async text(): Promise<string> {
    // Measuring the event loop's delay wakes the process a hundred times a second, which only pays for a reader.
    if (!this.#measuresProcess) collectDefaultMetrics({ register: this.#registry })
    this.#measuresProcess = true
    const texts = this.#registry.getMetricsAsArray().map(async ({ name }) => {
      try {
        return await this.#registry.getSingleMetricAsString(name)
      } catch (error) {
        logFailure(this.logger, `collected (${name})`, error)
        return ''
      }
    })
    return `${(await Promise.all(texts)).filter(text => text !== '').join('\n\n')}\n`
  }
}
