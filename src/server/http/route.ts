import type { ServerResponse } from 'node:http'
import type { Request } from 'polka'
import type { TSchema } from '#typebox'
import type { Identity } from '../../accounts/identity.js'
import type { AnswerRoom } from '../answer/answer-budget.js'

/** Who may call a route of the ledger. `accounts/access.ts` defines what each word requires. */
const ACCESS = [
  /** Everyone; credentials are ignored. */
  'public',
  /** Everyone, with or without a login; the answer depends on who the caller is. */
  'optional_login',
  /** Callers that record events; on a closed ledger, `EVENT_WRITERS` decides about those without credentials. */
  'record',
  /** Platforms: a delivery must prove itself, or must not come from a page of another origin. */
  'webhook',
  /** Everyone while the ledger is open, then callers with a login. */
  'read',
  /** As `read`, for changes of subscriptions. */
  'write',
  /** Callers who want to log in. */
  'login',
  /** Callers with a login who want to end it. */
  'logout',
  /** Callers with a login, for their own account. */
  'account',
  'admin',
  /** Admins with a token, for exports and followers. Not for pages, because answers contain digests of passwords. */
  'copy',
  /** The owner of the ledger's files, only over its socket. */
  'local',
] as const
export type Access = (typeof ACCESS)[number]

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/**
 * One row of a program's route table; a `GET` row also answers `HEAD`. Each of the two programs has its own access rules
 * and identities; the defaults are those of the ledger.
 */
export interface Route<Rule extends string = Access, Who = Identity> extends Endpoint<Who> {
  method: Method
  /** Below the root path, `:name` for one segment, `*` at the end for the rest: `/api/events/:dedupe_key`. */
  pattern: string
  access: Rule
}

/** A handler with its entry in the API description. */
export interface Endpoint<Who = unknown> {
  handle: Handler<Who>
  doc: RouteDoc
}

export type LedgerEndpoint = Endpoint<Identity>

/**
 * Answers one request. Throws `AppError` for an expected failure; anything else thrown is a defect. Returns `undefined`
 * if it has written the whole response itself.
 */
export type Handler<Who = unknown> = (req: HttpRequest<Who>, res: ServerResponse) => Reply | Promise<Reply | undefined>

export function documented<Who>(doc: RouteDoc, handle: Handler<Who>): Endpoint<Who> {
  return { doc, handle }
}

export function route<Rule extends string, Who>(
  method: Method,
  pattern: string,
  access: Rule,
  endpoint: Endpoint<Who>,
): Route<Rule, Who> {
  return { method, pattern, access, ...endpoint }
}

/** A request as handlers see it. */
export interface HttpRequest<Who = unknown> extends Request {
  /** Percent-encoded, as sent, root path included. */
  path: string
  /** Path, query and fragment as sent; polka cuts the fragment off `url`. */
  target: string
  /** The query string with its `?`, as sent; empty when there is none. */
  search: string
  requestId: string
  /** Milliseconds of `performance.now()`. */
  receivedAt: number
  /** Whether it came over the owner's socket, where file permissions decide who may connect. */
  local: boolean
  /** Whether browsers reach this server only over TLS, and are instructed to remember that. */
  tlsOnly: boolean
  /** The identity; the anonymous one if the route does not identify its callers. */
  identity: Who
  /** The listed origin of the page that sent it, which may read the answer. */
  crossOrigin?: string
  /** Whether its sender is anonymous. */
  isAnonymous: boolean
  /** Logged at `info`, unlike other requests of its route. */
  isNotable?: boolean
  /** The answer is held open on purpose: its duration does not measure how fast requests are answered. */
  isHeld?: boolean
  /** Refused to keep room for others: such refusals are counted, and logged together once a minute. */
  isShed?: boolean
  /** The share of the memory for answers that its answer uses. */
  room?: AnswerRoom
  /** Its answer was cut off before the reader had received it. */
  cutOff?: CutOff
  /** Further members of its line in the request log; never a secret. */
  logged?: Readonly<Record<string, string | number>>
}

/** Why an answer was cut off: the reader received too little, or nothing while other answers needed the memory. */
export type CutOff = 'slow' | 'memory'

export interface Reply {
  status: number
  /** Bytes are written unchanged, pieces one after the other, texts as UTF-8. */
  body: string | Uint8Array | readonly (string | Uint8Array)[]
  /** `application/json` when absent. */
  type?: string
  /** Set for a page for people, or a part of one, which may load what the page policy allows. */
  page?: true
  /** Names and values in turn. */
  headers?: readonly string[]
}

/** A route's entry in the API description. */
export interface RouteDoc {
  /** A few words, for lists. */
  summary: string
  /** One sentence with further information for callers. */
  description: string
  query?: readonly ParameterDoc[]
  headers?: readonly ParameterDoc[]
  /** By media type. */
  body?: Readonly<Record<string, TSchema>>
  mayOmitBody?: true
  /** By status. Refusals are the same everywhere; the description adds them. */
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
  /** Media type, `application/json` when absent. Of several, the request determines the one of its answer. */
  type?: string | readonly string[]
  /** Of several types, that of `application/json`. */
  schema?: TSchema
}
