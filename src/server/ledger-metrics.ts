import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { ProvenanceRoute } from '../model/event.js'

type Observer = Histogram.Internal<'route' | 'method' | 'status'>

/** What one ledger app counts, in a registry of its own. Source: Prometheus text format. */
export class LedgerMetrics {
  readonly #registry = new Registry()
  readonly #requests = new Histogram({
    name: 'daybook_http_request_duration_seconds',
    help: 'Time from a request’s headers to its answer, by route pattern, method and status class.',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [this.#registry],
  })
  readonly #deliveries = new Counter({
    name: 'daybook_deliveries_total',
    help: 'Deliveries of events, by the way they came in and whether the event was new or a repeat.',
    labelNames: ['route', 'result'] as const,
    registers: [this.#registry],
  })

  /** Finding a metric by its labels costs more than counting; there are few of them. */
  readonly #observers = new Map<string, Observer[]>()
  readonly #counters = new Map<string, Counter.Internal>()

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

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
    let counter = this.#counters.get(name)
    if (!counter) {
      counter = this.#deliveries.labels(route, result)
      this.#counters.set(name, counter)
    }
    counter.inc()
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }
}
