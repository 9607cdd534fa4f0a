import type { TimesSummary } from './statistics.js'

/** What a load generator sends. */
export type Work =
  /** `POST /api/events`, each one event. */
  | { kind: 'events'; first: number }
  /** The same few events again and again, for a server that keeps none. */
  | { kind: 'repeats'; first: number; count: number }
  /** `POST /api/events`, each `size` events as NDJSON. */
  | { kind: 'batches'; first: number; size: number }
  /** `POST /webhooks/…`, each another event. */
  | { kind: 'deliveries'; source: DeliverySource; size: DeliverySize; first: number }
  /** `POST /api/events`, each one event whose payload is what such a delivery holds. */
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

/** What one run of a load generator does. It ends at the first bound that it reaches. */
export interface LoadPlan {
  port: number
  /** Each sends its next request when the previous answer has arrived. */
  connections: number
  work: Work
  /** Bound in count. */
  requests: number
  /** Bound in time, the warm-up not counted. */
  measureMs: number
  /** At first, not measured. */
  warmupMs: number
  /** Requests that are written down before the start. */
  prepare: number
  /** How long a connection waits after an answer. */
  pauseMs?: number
  /** Whether other answers than 2xx are part of what is measured. */
  mayRefuse?: boolean
  /** Whether to report when each answer arrived. */
  marks?: boolean
}

/** What one run of a load generator saw. */
export interface LoadResult {
  /** Answers 2xx while measuring. */
  answered: number
  /** How long was measured. */
  seconds: number
  /** Answers 2xx a second. */
  rate: number
  /** Milliseconds from sending a request to its complete answer, while measuring. */
  times: TimesSummary
  /** Other answers, in the whole run. */
  refused: number
  /** Requests without an answer, in the whole run. */
  failed: number
  /** Connections opened, in the whole run. */
  opened: number
  /** Share of a core that the load generator itself took while measuring. */
  cpu: number
  /** Milliseconds from the first request to each 2xx answer, in the order of the answers. */
  marks?: number[]
}

/** Bounds in time for those that are bounded in count. */
export const UNHURRIED_MS = 30 * 60_000
