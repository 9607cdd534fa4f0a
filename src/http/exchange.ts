import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { HttpFailure, toHttpFailure } from './http-failure.js'

/** Address of a server. */
export type HttpAddress =
  /** Base address, http or https, without a trailing slash. May have a path. */
  { baseUrl: string } | { socketPath: string }

export interface HttpCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the base address, percent-encoded, with its query. */
  path: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array | undefined
  /** How long the connection may be silent. */
  idleSeconds: number
  /** Limit for the whole request; none by default. */
  totalSeconds?: number | undefined
  /** Maximum size of the body; reading stops there. */
  maxAnswerBytes: number
  signal?: AbortSignal | undefined
  /** Keeps connections open between requests, and has the trusted certificates. By default each request has its own connection. */
  agent?: Agent | undefined
}

export interface HttpAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** An answer whose body is still arriving. */
export interface OpenAnswer {
  status: number
  headers: IncomingHttpHeaders
  /** The body as it arrives. @throws HttpFailure; the signal's reason once it is aborted */
  chunks(): AsyncGenerator<Buffer>
  /** Closes the connection. Always call it. */
  end(): void
}

const CONNECT_SECONDS = 10
/** Path and query in which nothing has to be encoded. Source: RFC 3986, section 3.3. */
const ENCODED = /^\/[\w.~!$&'()*+,;=:@%/?-]*$/

/**
 * Sends one request. Does not follow redirects: a credential must not reach another server.
 *
 * @throws HttpFailure; the signal's reason once it is aborted
 */
export async function exchange(address: HttpAddress, call: HttpCall): Promise<HttpAnswer> {
  const answer = await openAnswer(address, call)
  try {
    return await readWhole(answer)
  } finally {
    answer.end()
  }
}

/** @throws as `OpenAnswer.chunks` */
export async function readWhole({ status, headers, chunks }: OpenAnswer): Promise<HttpAnswer> {
  const body: Buffer[] = []
  for await (const chunk of chunks()) body.push(chunk)
  return { status, headers, body: Buffer.concat(body) }
}

/** Sends one request, for reading the answer as it arrives. @throws as `exchange` */
export async function openAnswer(address: HttpAddress, call: HttpCall): Promise<OpenAnswer> {
  call.signal?.throwIfAborted()
  const request = open(address, call)
  const watch = watchOver(request, address, call)
  const toThrown = (error: unknown) =>
    call.signal?.aborted ? call.signal.reason : (watch.failure ?? toHttpFailure(error, watch.connected))
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      // Not `once`: a second error without a listener would end the process.
      request.on('error', reject)
      request.once('response', resolve)
      // Without a listener Node would only close the connection.
      request.once('upgrade', (_, socket) => {
        socket.destroy()
        reject(new HttpFailure('not_http', 'status 101'))
      })
      request.end(call.body)
    })
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      chunks: async function* () {
        try {
          yield* bounded(response, call.maxAnswerBytes)
          // An answer without a length ends when the connection closes, even if we closed it.
          call.signal?.throwIfAborted()
          if (watch.failure) throw watch.failure
        } catch (error) {
          throw toThrown(error)
        }
      },
      end: watch.end,
    }
  } catch (error) {
    watch.end()
    const thrown = toThrown(error)
    // The server closed the kept connection when we used it again.
    const isStale = request.reusedSocket && thrown instanceof HttpFailure && thrown.kind === 'lost'
    if (isStale && call.method === 'GET') return openAnswer(address, call)
    throw thrown
  }
}

/**
 * Not imported: importing `node:http` as an ES module evaluates all of its exports, and from Node 22 on one of them
 * loads a WebSocket client, which takes 20 ms.
 */
function open(address: HttpAddress, { method, path, headers, idleSeconds, agent }: HttpCall): ClientRequest {
  const http = process.getBuiltinModule('node:http')
  const options: RequestOptions = {
    method,
    headers: { ...headers },
    timeout: idleSeconds * 1000,
    agent: agent ?? false,
  }
  if ('socketPath' in address) return http.request({ ...options, socketPath: address.socketPath, path })
  const url = new URL(`${address.baseUrl}${path}`)
  // `URL` folds the segments "." and "..", which may be the dedupe key of an event.
  if (ENCODED.test(path)) options.path = `${new URL(address.baseUrl).pathname.replace(/\/$/, '')}${path}`
  return isSecure(address) ? process.getBuiltinModule('node:https').request(url, options) : http.request(url, options)
}

interface Watch {
  connected: boolean
  /** Why the request was ended, if it was. Reading the answer then ends with another error, or with none. */
  failure: HttpFailure | undefined
  end: () => void
}

/** Ends a request that takes too long or is aborted. */
function watchOver(request: ClientRequest, address: HttpAddress, call: HttpCall): Watch {
  const { idleSeconds, totalSeconds, signal } = call
  const stop = (kind: 'unreachable' | 'silent', reason: string) => () => {
    watch.failure = new HttpFailure(kind, reason)
    request.destroy(watch.failure)
  }
  let connecting: NodeJS.Timeout | undefined
  let total: NodeJS.Timeout | undefined
  const abort = () => request.destroy()
  signal?.addEventListener('abort', abort)
  request.once('timeout', stop('silent', `${idleSeconds} seconds`))
  // Before that it may wait for a connection in use by another request.
  request.once('socket', socket => {
    if (request.destroyed) return
    const connect = () => {
      watch.connected = true
      clearTimeout(connecting)
    }
    if (request.reusedSocket) {
      connect()
    } else {
      connecting = setTimeout(stop('unreachable', `no connection in ${CONNECT_SECONDS} s`), CONNECT_SECONDS * 1000)
      socket.once(isSecure(address) ? 'secureConnect' : 'connect', connect)
    }
    if (totalSeconds !== undefined) total = setTimeout(stop('silent', `${totalSeconds} seconds`), totalSeconds * 1000)
  })
  const watch: Watch = {
    connected: false,
    failure: undefined,
    end: () => {
      clearTimeout(connecting)
      clearTimeout(total)
      signal?.removeEventListener('abort', abort)
      request.destroy()
    },
  }
  return watch
}

async function* bounded(response: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new HttpFailure('too_large', `${maxBytes / 1024 / 1024} MiB`)
    yield chunk
  }
}

function isSecure(address: HttpAddress): boolean {
  return 'baseUrl' in address && address.baseUrl.startsWith('https:')
}
