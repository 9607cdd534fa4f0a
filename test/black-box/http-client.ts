import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The body as JSON. */
  json<Body>(): Body
}

interface RequestOptions {
  method?: 'GET' | 'POST' | 'DELETE'
  body?: string
  /** Default `application/json`. */
  type?: string
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** The connection was refused or ended before the answer was complete: the outcome of the request is unknown. */
export class NoAnswer extends Error {}

/** Shorter than the server keeps an idle connection, so that no request is sent while the server closes it. */
const IDLE_MS = 3_000

/** Sends requests to one server over keep-alive connections. Rejects with `NoAnswer` if one fails. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: IDLE_MS })

  constructor(readonly url: string) {}

  get(path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.request(path, options)
  }

  post(path: string, body: unknown, options: RequestOptions = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.request(path, { ...options, method: 'POST', body: text })
  }

  async request(path: string, options: RequestOptions): Promise<Answer> {
    const response = await this.open(path, options)
    const text = await readText(response)
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      json: <Body>() => JSON.parse(text) as Body,
    }
  }

  /**
   * Resolves with the head of the answer; the body is the caller's to read. A kept connection may have been idle for so
   * long that the server closes it just now: what only asks is then asked again, on another.
   */
  open(path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
    const { method = 'GET', body, type = 'application/json', headers, signal } = options
    const sent = body === undefined ? headers : { 'content-type': type, ...headers }
    return new Promise((resolve, reject) => {
      const outgoing = request(
        this.url + path,
        { method, agent: this.#agent, ...(sent ? { headers: sent } : {}), ...(signal ? { signal } : {}) },
        resolve,
      )
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        if (method === 'GET' && outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(this.open(path, options))
        else reject(new NoAnswer(error.message, { cause: error }))
      })
      outgoing.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = ''
  try {
    for await (const chunk of response.setEncoding('utf8')) text += chunk
  } catch (cause) {
    throw new NoAnswer('The connection broke in the middle of an answer.', { cause })
  }
  if (!response.complete) throw new NoAnswer('The answer ended before it was complete.')
  return text
}
