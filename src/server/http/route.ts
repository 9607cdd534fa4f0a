import type { ServerResponse } from 'node:http'
import type { Request } from 'polka'
import type { TSchema } from '#typebox'
import type { Identity } from '../../accounts/identity.js'
import type { AnswerRoom } from '../answer/answer-budget.js'

/** Who may call a route of the ledger. What each word asks for stands in one table, in `access.ts`. */
export const ACCESS = [
  /** Anybody, and it is not even looked who. */
  'public',
  /** Anybody; the answer depends on who it is. */
  'anybody',
  /** Callers that record events; on a closed ledger, those without credentials only as far as `EVENT_WRITERS` says. */
  'record',
  /** Platforms: a delivery proves itself, or comes from no page of another origin. */
  'webhook',
  /** Everybody while the ledger is open, then whoever is logged in. */
  'read',
  /** The same, for what changes subscriptions. */
  'write',
  /** Whoever wants to log in. */
  'login',
  /** Whoever is logged in, and wants that to end. */
  'logout',
  /** Whoever is logged in, for what is its own. */
  'account',
  'admin',
  /** The owner of the ledger's files, over its socket alone. */
  'local',
] as const
export type Access = (typeof ACCESS)[number]

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/**
 * One row of an app's route table. `HEAD` goes wherever `GET` does. Each of the two programs has access rules and
 * identities of its own; the ledger's are meant where nothing is said.
 */
export interface Route<Rule extends string = Access, Who = Identity> {
  method: Method
  /** Below the root path, `:name` for one segment, `*` at the end for all that follows: `/api/events/:dedupe_key`. */
  pattern: string
  access: Rule
  handle: Handler<Who>
  doc: RouteDoc
}

/**
 * Answers one request. Throws `AppError` for an expected failure; anything else thrown is a defect.
 * `undefined`: it wrote the response by itself, and that response is over.
 */
export type Handler<Who = unknown> = (req: HttpRequest<Who>, res: ServerResponse) => Reply | Promise<Reply | undefined>

/** One that asks who it is, in the ledger. */
export type LedgerHandler = Handler<Identity>

/** A request as handlers see it. */
export interface HttpRequest<Who = unknown> extends Request {
  /** Percent-encoded, as sent, root path included. */
  path: string
  /** The query string with its `?`, as sent; empty when there is none. */
  search: string
  requestId: string
  /** Milliseconds of `performance.now()`. */
  receivedAt: number
  /** It came over the owner's socket: file permissions decided who may connect. */
  local: boolean
  /** Browsers reach this server over TLS only, and shall remember that. */
  tlsOnly: boolean
  /** Who it proved to be; nobody where that was not asked. */
  identity: Who
  /** Its sender has proved nothing. */
  isAnonymous: boolean
  /** It is to be found in every log, though not all that is done on this route is. */
  isNotable?: boolean
  /** The answer is held open on purpose: how long it takes says nothing about how fast requests are answered. */
  isHeld?: boolean
  /** Refused to keep room for others: such refusals are counted, and logged together once a minute. */
  isShed?: boolean
  /** What its answer holds of the memory for answers. */
  room?: AnswerRoom
  /** Its answer was cut off before the reader had taken it. */
  cutOff?: CutOff
  /** What the request log shall say besides; never a secret. */
  logged?: Readonly<Record<string, string | number>>
}

/** Why: the reader took too little, or nothing while other answers needed the memory. */
export type CutOff = 'slow' | 'memory'

export interface Reply {
  status: number
  /** Bytes are written as they are; pieces, which are text in UTF-8, one after the other. */
  body: string | Uint8Array | readonly (string | Uint8Array)[]
  /** `application/json` when absent. */
  type?: string
  /** It is a page for people, or a part of one: it may load what the page policy allows. */
  page?: true | PageReply
  /** Names and values in turn. */
  headers?: readonly string[]
}

/** What a page needs of the page policy besides what all may. */
export interface PageReply {
  /** Digests of the scripts that stand in it: `sha256-…`. */
  scriptHashes?: readonly string[]
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
