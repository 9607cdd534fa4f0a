import type { TimesSummary } from './statistics.js'

/** The requests that a load generator sends. */
export type Work =
  /** `POST /api/events`, one event each. */
  | { kind: 'events'; first: number }
  /** The same few events repeatedly, for a server that stores none. */
  | { kind: 'repeats'; first: number; count: number }
  /** `POST /api/events`, `size` events each, as NDJSON. */
  | { kind: 'batches'; first: number; size: number }
  /** `POST /webhooks/…`, a new event each. */
  | { kind: 'deliveries'; source: DeliverySource; size: DeliverySize; first: number }
  /** `POST /api/events`, one event each, whose payload is that of such a delivery. */
  | { kind: 'payloads'; source: DeliverySource; size: DeliverySize; first: number }
  /** `POST /api/subscriptions`. */
  | { kind: 'subscriptions'; which: 'watching' | 'idle'; first: number }
  /** `GET` of these paths in turn. */
  | { kind: 'reads'; paths: readonly string[]; headers?: Readonly<Record<string, string>> }
  /** `POST /api/login`, always the same. */
  | { kind: 'logins'; username: string; password: string }

export const DELIVERY_SOURCES = ['chat', 'forum', 'code_a', 'code_b'] as const
/** `own`: a source that an operator has defined. */
export type DeliverySource = (typeof DELIVERY_SOURCES)[number] | 'own'
export type DeliverySize = 'mean' | 'megabyte'

/** Settings of one run of a load generator. It ends at the first limit that it reaches. */
export interface LoadPlan {
  port: number
  /** Number of connections. Each sends its next request when the previous answer has arrived. */
  connections: number
  work: Work
  /** Maximum number of requests. */
  requests: number
  /** Maximum time, without the warm-up. */
  measureMs: number
  /** Length of the warm-up, which is not measured. */
  warmupMs: number
  /** Number of requests that are prepared before the start. */
  prepare: number
  /** How long a connection waits after an answer. */
  pauseMs?: number
  /** Whether answers other than 2xx are expected in the measurement. */
  mayRefuse?: boolean
  /** Whether to report when each answer arrived. */
  marks?: boolean
}

/** The results of one run of a load generator. */
export interface LoadResult {
  /** Number of 2xx answers while measuring. */
  answered: number
  /** Length of the measurement. */
  seconds: number
  /** 2xx answers a second. */
  rate: number
  /** Milliseconds from sending a request to the end of its answer, while measuring. */
  times: TimesSummary
  /** Other answers, in the whole run. */
  refused: number
  /** Requests without an answer, in the whole run. */
  failed: number
  /** Connections opened, in the whole run. */
  opened: number
  /** Share of a core that the load generator itself used while measuring. */
  cpu: number
  /** Milliseconds from the first request to each 2xx answer, in the order of the answers. */
  marks?: number[]
}

/** Maximum time of runs that are limited by count. */
export const UNHURRIED_MS = 30 * 60_000
