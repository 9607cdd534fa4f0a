/** Responses of the board's API. Source: docs/reference/board-rest.md. */

export interface Card {
  id: string
  title: string
  /** Markdown. */
  body: string
  column: string
  labels: string[]
  assignee: string | null
  /** Dedupe keys of events in the ledger. */
  links: string[]
  rank: number
  version: number
  created_at: string
  updated_at: string
}

export interface CardPage {
  items: Card[]
  count: number
  next: number | null
  columns: string[]
}

export type RunMode = 'dry_run' | 'mock' | 'real'
export type RunState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted'

export interface RunPlan {
  /** Null if none is configured; absent without the executor's token. */
  command?: string[] | null
  folder: string
  environment: string[]
  timeout_seconds: number
}

export interface Run {
  id: string
  card_id: string
  mode: RunMode
  state: RunState
  reason: string | null
  exit_code: number | null
  signal: string | null
  created_at: string
  started_at: string | null
  finished_at: string | null
  timeout_seconds: number
  log_bytes: number
  log_dropped_bytes: number
  plan: RunPlan | null
}

export interface RunPage {
  items: Run[]
  count: number
  next: number | null
}

export interface ExecutorStatus {
  real: boolean
  paused: boolean
  running: string | null
  queued: number
  plan: RunPlan
}

export interface LogPiece {
  seq: number
  at: string
  stream: 'out' | 'err' | 'note'
  text: string
}

/** Another board to which this one forwards requests. */
export interface Backend {
  name: string
  url: string
}

/** Source: Board Access Gate, "Endpoints", `GET /api/auth`. */
export interface AuthStatus {
  enabled: boolean
  authenticated: boolean
  username_required: boolean
  api_token_enabled: boolean
}
