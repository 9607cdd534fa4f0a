import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { AppError } from '../../model/app-error.js'
import type { CutOff } from '../http/route.js'
import { CLIENT_GONE, type RequestOutcome } from '../http/router.js'
import type { ShedReason } from '../http/shed-report.js'
import { logFailure, tryOrLog } from '../logging/try-or-log.js'
import type { Metric } from './metric.js'
import { type ProgramParts, processMetrics, readyMetric, storageMetrics } from './process-metrics.js'

type Observer = Histogram.Internal<'route' | 'method' | 'status'>

const LOGIN_OUTCOMES = ['succeeded', 'failed', 'throttled', 'refused'] as const
type LoginOutcome = (typeof LOGIN_OUTCOMES)[number]
const SHED_REASONS: Record<ShedReason, true> = {
  waiting: true,
  transferring: true,
  held: true,
  no_room: true,
  held_limit: true,
}
const CUT_OFFS: Record<CutOff, true> = { slow: true, memory: true }
/** Gauges of prom-client whose names end like those of counters, which Prometheus advises against. */
const MISNAMED = ['nodejs_active_resources_total', 'nodejs_active_handles_total', 'nodejs_active_requests_total']

/**
 * The metrics that both programs have, in their own registry. Names follow the conventions of Prometheus: units last,
 * `_total` for counters.
 *
 * Source: Prometheus text format; Prometheus, "Metric and label naming".
 */
export class ProgramMetrics {
  readonly #registry = new Registry()
  readonly #requests = new Histogram({
    name: 'daybook_http_request_duration_seconds',
    help: 'Time from a request’s headers to its answer, by route pattern, method and status class, without streams, exports and long polls.',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
    registers: [this.#registry],
  })
  readonly #errors = this.counter(
    'daybook_http_errors_total',
    'Requests that were answered with an error, by the code of the answer.',
    ['code'],
  )
  readonly #logins = this.counter('daybook_logins_total', 'Logins with name and password, by outcome.', ['outcome'])
  readonly #shed = this.counter(
    'daybook_connections_shed_total',
    'Connections that were closed or refused to keep room for others, by their use or the reason.',
    ['reason'],
  )
  readonly #cutOff = this.counter(
    'daybook_answers_cut_off_total',
    'Answers that were cut off because their reader was slow, or read nothing while others needed the memory.',
    ['reason'],
  )
  readonly #readings: { about: string; read: () => Promise<readonly Metric[]> }[] = []
  #measuresProcess = false
  /** Caches observers, because finding a metric by its labels costs more than counting. There are few. */
  readonly #observers = new Map<string, Observer[]>()

  constructor(private readonly logger: Logger) {
    // A counter that appears with its first increment hides that increment from `rate` and `increase`.
    for (const outcome of LOGIN_OUTCOMES) this.#logins.inc({ outcome }, 0)
    for (const reason of Object.keys(SHED_REASONS)) this.#shed.inc({ reason }, 0)
    for (const reason of Object.keys(CUT_OFFS)) this.#cutOff.inc({ reason }, 0)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Counts and measures an answered request. */
  observe(outcome: RequestOutcome, seconds: number): void {
    const { req, res, pattern, access, error } = outcome
    // Uses the pattern, never the path, because a label must have few values.
    if (!req.isHeld) this.#observeDuration(pattern ?? 'none', req.method, res.statusCode, seconds)
    const code = codeOf(outcome)
    if (code !== undefined) this.#errors.inc({ code })
    if (access === 'login') this.#logins.inc({ outcome: toLoginOutcome(error) })
    if (req.cutOff) this.#cutOff.inc({ reason: req.cutOff })
  }

  countShed(reason: ShedReason): void {
    this.tryToCount(() => this.#shed.inc({ reason }))
  }

  /** @param read called each time that metrics are read. If it fails, these metrics are left out */
  protected whenRead(about: string, read: () => Promise<readonly Metric[]>): void {
    this.#readings.push({ about, read })
  }

  watchProgram(parts: ProgramParts): void {
    this.whenRead('process', async () => processMetrics(parts))
    this.whenRead('readiness', () => readyMetric(parts.checkWritable))
    this.whenRead('storage', () => storageMetrics(parts.storageSizes))
  }

  /** @param ofCaller metrics that depend on the caller; left out if it fails */
  async text(ofCaller: () => Promise<readonly Metric[]> = async () => []): Promise<string> {
    // Measuring the event loop's delay wakes the process a hundred times a second, so it starts with the first reader.
    if (!this.#measuresProcess) {
      collectDefaultMetrics({ register: this.#registry })
      for (const name of MISNAMED) this.#registry.removeSingleMetric(name)
    }
    this.#measuresProcess = true
    const read = await Promise.all([
      ...this.#readings.map(({ about, read }) => this.#orLog(about, read)),
      this.#orLog('of the caller', ofCaller),
    ])
    const readings = toRegistry(read.flatMap(found => found ?? []))
    const texts = [this.#registry, readings].flatMap(registry =>
      registry.getMetricsAsArray().map(({ name }) => this.#orLog(name, () => registry.getSingleMetricAsString(name))),
    )
    return `${(await Promise.all(texts)).filter(Boolean).join('\n\n')}\n`
  }

  protected counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] })
  }

  protected tryToCount(count: () => void): void {
    tryOrLog(this.logger, 'counted', count)
  }

  #observeDuration(route: string, method: string, status: number, seconds: number): void {
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

  async #orLog<Result>(about: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      logFailure(this.logger, `collected (${about})`, error)
      return undefined
    }
  }
}

/** @returns undefined for an answer that is not an error, and if the sender left before the answer */
function codeOf({ res, pattern, error }: RequestOutcome): string | undefined {
  const { statusCode: status } = res
  if (status < 400 || status === CLIENT_GONE) return undefined
  if (error instanceof AppError) return error.code
  if (error !== undefined) return 'internal'
  return pattern === undefined ? (status === 405 ? 'method_not_allowed' : 'not_found') : undefined
}

function toLoginOutcome(error: unknown): LoginOutcome {
  if (error === undefined) return 'succeeded'
  if (!(error instanceof AppError)) return 'refused'
  if (error.category === 'throttled') return 'throttled'
  return error.code === 'invalid_credentials' ? 'failed' : 'refused'
}

function toRegistry(metrics: readonly Metric[]): Registry {
  const registry = new Registry()
  for (const { type, name, help, values } of metrics) {
    const labelNames = Object.keys(values[0]?.labels ?? {})
    const config = { name, help, labelNames, registers: [registry] }
    if (type === 'counter') {
      const counter = new Counter(config)
      for (const { labels = {}, value } of values) counter.inc(labels, value)
    } else {
      const gauge = new Gauge(config)
      for (const { labels = {}, value } of values) gauge.set(labels, value)
    }
  }
  return registry
}
