import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { AppError } from '../model/app-error.js'

/** Where a ledger is. */
export type LedgerAddress =
  /** Base address, http or https, without a slash at its end. May have a path. */
  | { apiUrl: string }
  /** The socket of the process that owns the ledger's files. */
  | { socketPath: string }

export interface HttpCall {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the base address, percent-encoded, with its query. */
  path: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array | undefined
  /** How long the connection may be silent. */
  idleSeconds: number
  signal?: AbortSignal | undefined
}

export interface HttpAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

const CONNECT_SECONDS = 10
/** Anything longer would not fit into one string. */
const MAX_ANSWER_BYTES = 500 * 1024 * 1024

/**
 * One request, over a connection of its own. Redirects are not followed: a credential goes where it was meant to go.
 *
 * @throws AppError `unavailable/server_unreachable` when nothing can be reached there, `unavailable/connection_lost`,
 *   `unavailable/server_timeout`, `unavailable/not_a_ledger`, `too_large/answer_too_large`;
 *   the signal's reason once it is aborted
 */
export async function exchange(address: LedgerAddress, call: HttpCall): Promise<HttpAnswer> {
  call.signal?.throwIfAborted()
  const request = open(address, call)
  let connected = false
  const connecting = setTimeout(() => {
    request.destroy(failure('server_unreachable', `${nothingAt(address)} (no connection in ${CONNECT_SECONDS} s).`))
  }, CONNECT_SECONDS * 1000)
  const abort = () => request.destroy()
  call.signal?.addEventListener('abort', abort)
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // Stays: an error may follow the one that was told, and nobody must be surprised by it.
      request.on('error', reject)
      request.once('response', resolve)
      request.once('socket', socket => {
        socket.once(isSecure(address) ? 'secureConnect' : 'connect', () => {
          connected = true
          clearTimeout(connecting)
        })
      })
      request.once('timeout', () => {
        const detail = `${nameOf(address)} did not answer in ${call.idleSeconds} seconds. Try again later.`
        request.destroy(failure('server_timeout', detail))
      })
      request.end(call.body)
    })
    return { status: response.statusCode ?? 0, headers: response.headers, body: await collect(response) }
  } catch (error) {
    call.signal?.throwIfAborted()
    throw toRefusal(address, error, connected)
  } finally {
    clearTimeout(connecting)
    call.signal?.removeEventListener('abort', abort)
    request.destroy()
  }
}

/**
 * Taken from the process, not imported: importing `node:http` as an ES module evaluates every one of its exports, and
 * from Node 22 on one of them loads a whole WebSocket client, 20 ms for nothing.
 */
function open(address: LedgerAddress, { method, path, headers, idleSeconds }: HttpCall): ClientRequest {
  const http = process.getBuiltinModule('node:http')
  const options: RequestOptions = { method, headers: { ...headers }, timeout: idleSeconds * 1000, agent: false }
  if ('socketPath' in address) return http.request({ ...options, socketPath: address.socketPath, path })
  const url = `${address.apiUrl}${path}`
  return isSecure(address) ? process.getBuiltinModule('node:https').request(url, options) : http.request(url, options)
}

async function collect(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) {
      throw new AppError(
        'too_large',
        'answer_too_large',
        'The answer is larger than 500 MiB. Ask for less with --limit.',
      )
    }
  }
  return Buffer.concat(chunks, bytes)
}

function toRefusal(address: LedgerAddress, error: unknown, connected: boolean): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === undefined) return error
  if (code.startsWith('HPE_'))
    return failure('not_a_ledger', `${nameOf(address)} does not speak HTTP. ${CHECK_ADDRESS}`, error)
  if (!connected) return failure('server_unreachable', `${nothingAt(address)} (${REASONS.get(code) ?? code}).`, error)
  return failure('connection_lost', `The connection to ${nameOf(address)} broke (${code}). Try again.`, error)
}

const CHECK_ADDRESS = 'Check --api-url or EVENT_API_URL.'

const REASONS = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'unknown host'],
  ['EAI_AGAIN', 'the name could not be looked up'],
  ['EHOSTUNREACH', 'no route to host'],
  ['ENETUNREACH', 'network unreachable'],
  ['ENOENT', 'no such socket'],
])

/** Its hint says how to get a server. */
function failure(code: string, detail: string, cause?: unknown): AppError {
  const hint = 'Start one with "daybook serve", or say where it is with --api-url or EVENT_API_URL.'
  return new AppError('unavailable', code, detail, { cause, ...(code === 'server_unreachable' ? { hint } : {}) })
}

function nothingAt(address: LedgerAddress): string {
  return `No server answers at ${nameOf(address)}`
}

function nameOf(address: LedgerAddress): string {
  return 'socketPath' in address ? address.socketPath : address.apiUrl
}

function isSecure(address: LedgerAddress): boolean {
  return 'apiUrl' in address && address.apiUrl.startsWith('https:')
}
