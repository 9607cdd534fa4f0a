import type { ServerResponse } from 'node:http'
import type { Request } from 'polka'
import type { TSchema } from 'typebox'

/**
 * Who may call a route: anyone; whoever delivers events (reachable without login, whatever the page it came from);
 * readers; those who may change subscriptions; the owner of the ledger's files, over its socket alone.
 */
export type Access = 'public' | 'deliver' | 'read' | 'write' | 'local'

export type Method = 'GET' | 'POST' | 'DELETE'

/** One row of an app's route table. `HEAD` goes wherever `GET` does. */
export interface Route {
  method: Method
  /** Below the root path, `:name` for one segment: `/api/events/:dedupe_key`. */
  pattern: string
  access: Access
  handle: Handler
  doc: RouteDoc
}

/**
 * Answers one request. Throws `AppError` for an expected failure; anything else thrown is a defect.
 * `undefined`: it wrote the response by itself, and that response is over.
 */
export type Handler = (req: HttpRequest, res: ServerResponse) => Reply | Promise<Reply | undefined>

/** A request as handlers see it. */
export interface HttpRequest extends Request {
  /** Percent-encoded, as sent, root path included. */
  path: string
  /** The query string with its `?`, as sent; empty when there is none. */
  search: string
  requestId: string
  /** Milliseconds of `performance.now()`. */
  receivedAt: number
  /** It came over the owner's socket: file permissions decided who may connect. */
  local: boolean
  /** What the request log shall say besides; never a secret. */
  logged?: Readonly<Record<string, string | number>>
}

export interface Reply {
  status: number
  /** Bytes are written as they are; pieces one after the other, without joining them. */
  body: string | Uint8Array | readonly (string | Uint8Array)[]
  /** `application/json` when absent. */
  type?: string
  /** Names and values in turn. */
  headers?: readonly string[]
}

/** What the API description says of a route. */
export interface RouteDoc {
  summary: string
  query?: readonly ParameterDoc[]
  headers?: readonly ParameterDoc[]
  /** By media type. */
  body?: Readonly<Record<string, TSchema>>
  /** By status. Refusals are the same everywhere and are added by the description. */
  answers: Readonly<Record<number, AnswerDoc>>
}

export interface ParameterDoc {
  name: string
  description: string
  schema: TSchema
  /** May be given several times. */
  repeatable?: boolean
}

export interface AnswerDoc {
  description: string
  type?: string
  schema?: TSchema
}
