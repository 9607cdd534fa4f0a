import type { Agent } from 'node:http'
import { type HttpAnswer, type OpenAnswer, readWhole } from '../http/exchange.js'
import { invalidField } from '../model/app-error.js'
import { Answer, type ServerNames } from './answer.js'
import { notADaybookServer, otherProgram, toAppError } from './problem.js'
import { exchange, nameOf, openAnswer, type ServerAddress, type TransportCall } from './transport.js'

export interface CallOptions {
  signal?: AbortSignal
}

interface ServerClientParts {
  names: ServerNames
  /** Sent with every request; contains the credential. */
  headers: Readonly<Record<string, string>>
  /** What the user of a command can do about a refusal with this `code`, if the server cannot know. */
  hintOf: (code: string) => string | undefined
  /** Maximum idle time of a connection. */
  idleSeconds?: number | undefined
  /** Keeps connections open between requests. */
  agent?: Agent | undefined
}

export type ServerCall = Pick<TransportCall, 'method' | 'path' | 'body'> &
  Partial<Pick<TransportCall, 'headers' | 'idleSeconds' | 'maxAnswerBytes'>>

export const JSON_TYPE = 'application/json'
/** Twice the longest silence of a server; no search takes a tenth of it. Source: docs/decisions/0029. */
const IDLE_SECONDS = 30

/**
 * Shared by the clients of both programs: authenticated requests, and problem responses converted to errors.
 *
 * Every method may throw AppError with the category of the status and the `code` of the problem, and what `exchange`
 * throws; `unavailable/server_unreachable` if there is no server.
 */
export abstract class ServerClient {
  protected readonly idleSeconds: number

  constructor(
    readonly address: ServerAddress,
    private readonly parts: ServerClientParts,
  ) {
    this.idleSeconds = parts.idleSeconds ?? IDLE_SECONDS
  }

  /** How messages name the server. */
  get name(): string {
    return nameOf(this.address)
  }

  protected get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call({ method: 'GET', path }, options)
  }

  protected post(path: string, type: string, body: string | Uint8Array, options?: CallOptions): Promise<Answer> {
    return this.call(callWithBody('POST', path, type, body), options)
  }

  protected async call(call: ServerCall, options?: CallOptions): Promise<Answer> {
    return this.toAnswer(await this.exchange(call, options))
  }

  /** The response to a call, including refusals. @throws AppError `configuration/not_a_…` if the other program answers */
  protected async exchange(call: ServerCall, options?: CallOptions): Promise<HttpAnswer> {
    const answer = await exchange(this.address, this.#withDefaults(call, options), this.parts.names)
    if (hasNoRoute(answer.status)) await this.refuseOtherProgram(options)
    return answer
  }

  /**
   * For an answer that may be due to exchanged addresses of ledger and board: asks the server which program it is.
   *
   * @throws AppError `configuration/not_a_…`; returns if the server is the right one, or does not show what it is
   */
  protected async refuseOtherProgram(options?: CallOptions): Promise<void> {
    if ('socketPath' in this.address) return
    const { names } = this.parts
    // Without the key: a wrong one would count twice. A ledger shows its health to anybody.
    const headers = { accept: 'application/json' }
    const call = { ...this.#withDefaults({ method: 'GET', path: '/api/health' }, options), headers }
    const answer = await exchange(this.address, call, names).catch(() => undefined)
    if (!answer || !isJson(answer)) return
    const other = otherProgram(new Answer(answer.status, answer.body, names), names)
    if (other) throw other
  }

  /** A streamed response; the caller releases it with `end`. */
  protected async open(call: ServerCall, options?: CallOptions): Promise<OpenAnswer> {
    const answer = await openAnswer(this.address, this.#withDefaults(call, options), this.parts.names)
    if (answer.status < 400) return answer
    try {
      if (hasNoRoute(answer.status)) await this.refuseOtherProgram(options)
      throw toAppError(await readWhole(answer), this.parts)
    } finally {
      answer.end()
    }
  }

  protected toAnswer(answer: HttpAnswer): Answer {
    if (answer.status >= 400) throw toAppError(answer, this.parts)
    const expected = answer.status === 204 || (answer.status >= 200 && answer.status < 300 && isJson(answer))
    if (!expected) throw notADaybookServer(answer.status, this.parts.names)
    return new Answer(answer.status, answer.body, this.parts.names)
  }

  #withDefaults(call: ServerCall, options?: CallOptions): TransportCall {
    const headers = { accept: 'application/json, application/problem+json', ...this.parts.headers, ...call.headers }
    const { agent } = this.parts
    return { idleSeconds: this.idleSeconds, agent, ...call, headers, signal: options?.signal }
  }
}

export function callWithBody(
  method: 'POST' | 'PUT' | 'PATCH',
  path: string,
  type: string,
  body: string | Uint8Array,
): ServerCall {
  const headers = { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }
  return { method, path, body, headers }
}

/** Whether the server may have no such path or method. A missing item has the same status. */
function hasNoRoute(status: number): boolean {
  return status === 404 || status === 405
}

export function isJson({ headers }: HttpAnswer): boolean {
  return /^application\/(?:[a-z0-9.-]+\+)?json\b/i.test(headers['content-type'] ?? '')
}

/** One path segment. An empty one would address something else, and a lone surrogate cannot be encoded. */
export function segment(field: string, text: string): string {
  if (text === '') throw invalidField(field, `${field} is empty.`)
  try {
    return encodeURIComponent(text)
  } catch (cause) {
    if (cause instanceof URIError) throw invalidField(field, `${field} is not well-formed Unicode.`)
    throw cause
  }
}

/** With its `?`, or empty. Absent parameters are omitted; a parameter with several values is repeated. */
export function toQueryString<Parameters extends QueryParameters<Parameters>>(parameters: Parameters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries<QueryValue>(parameters)) {
    for (const text of typeof value === 'string' ? [value] : (value ?? [])) query.append(name, text)
  }
  return query.size > 0 ? `?${query}` : ''
}

type QueryValue = string | readonly string[] | undefined
type QueryParameters<Names> = { [Name in keyof Names]: QueryValue }
