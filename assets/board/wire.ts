/** Responses of the board's API. Source: docs/reference/board-rest.md. */
import type { Run } from '#model/board/run'

export interface RunPage {
  items: Run[]
  count: number
  next: number | null
}

/** Another board to which this one forwards requests. */
export interface Backend {
  name: string
  url: string
}

/** Source: Board Access Gate, "Endpoints", `GET /api/session`. */
export interface BoardSession {
  authenticated: boolean
  csrf_token: string | null
  /** The username, if it is a session of the ledger. */
  ledger_user?: string
}

/** Source: Board Access Gate, "Endpoints", `GET /api/auth`. */
export interface AuthStatus {
  enabled: boolean
  authenticated: boolean
  username_required: boolean
  api_token_enabled: boolean
}
