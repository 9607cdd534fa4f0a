import { AppError } from '../../model/app-error.js'
import { documented, type Endpoint, type HttpRequest, type Reply, type RouteDoc } from '../http/route.js'
import type { Shutdown } from '../http/shutdown.js'
import type { Metric } from './metric.js'
import type { ProgramMetrics } from './program-metrics.js'

const TEXT = 'text/plain; charset=utf-8'
const RETRY_AFTER_SECONDS = 5

/** `GET /metrics`. @param ofCaller metrics that depend on the caller */
export function metricsText<Who>(
  metrics: ProgramMetrics,
  ofCaller: (req: HttpRequest<Who>) => Promise<readonly Metric[]> = async () => [],
): Endpoint<Who> {
  return documented(METRICS, async (req: HttpRequest<Who>) => {
    const body = await metrics.text(() => ofCaller(req))
    return { status: 200, type: metrics.contentType, body }
  })
}

/** `GET /livez`: shows that the process answers. It does not use the store, so a slow disk causes no restart. */
export function livez(): Endpoint {
  return documented(LIVEZ, () => empty(200))
}

/**
 * `GET /readyz`: whether the store can commit, and the server accepts requests. Callers need no login, so the answer contains
 * no reason.
 *
 * @param checkWritable @throws AppError `unavailable/…`
 */
export function readyz({
  checkWritable,
  shutdown,
}: {
  checkWritable: () => Promise<unknown>
  shutdown: Shutdown
}): Endpoint {
  return documented(READYZ, async req => {
    try {
      if (shutdown.begun) throw new AppError('unavailable', 'stopping', 'The server stops.')
      await checkWritable()
      return empty(200)
    } catch (error) {
      if (!(error instanceof AppError) || error.category !== 'unavailable') throw error
      req.logged = { code: error.code, detail: error.message }
      return { ...empty(503), headers: ['Retry-After', String(RETRY_AFTER_SECONDS)] }
    }
  })
}

function empty(status: number): Reply {
  return { status, type: TEXT, body: '' }
}

const METRICS: RouteDoc = {
  summary: 'Metrics for Prometheus',
  description: 'Counters, gauges and histograms in the text format of Prometheus.',
  answers: { 200: { description: 'Prometheus text format', type: 'text/plain' } },
}
const LIVEZ: RouteDoc = {
  summary: 'Whether the process answers; for supervisors',
  description: 'Does not look at the store: restart the process if this fails.',
  answers: { 200: { description: 'It does; the answer is empty', type: 'text/plain' } },
}
const READYZ: RouteDoc = {
  summary: 'Whether the store can commit; for load balancers',
  description: 'Fails while the store cannot commit and while the server stops: send requests elsewhere.',
  answers: {
    200: { description: 'It can; the answer is empty', type: 'text/plain' },
    503: { description: 'It cannot, or the server stops; the answer is empty', type: 'text/plain' },
  },
}
