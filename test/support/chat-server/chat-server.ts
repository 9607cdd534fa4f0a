import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { EventQueues } from './event-queues.js'
import { type Fault, misbehave } from './fault.js'
import { getMessage, getMessages } from './get-messages.js'
import { MessageBook } from './message-book.js'
import { toMember } from './people.js'
import { type RateLimit, RateLimiter } from './rate-limit.js'
import { Refusal } from './refusal.js'

/** A request that the stand-in was asked, its credentials aside. */
export interface Asked {
  path: string
  query: URLSearchParams
  /** How many of that path came before it. */
  index: number
}

export interface ChatServerOptions {
  book?: MessageBook
  /** As `GET /server_settings` returns it; null for a server that is too old to have one. */
  featureLevel?: number | null
  email?: string
  apiKey?: string
  rateLimit?: RateLimit
  /** The most messages before an anchor, and after it, in one answer; absent: as many as were requested. */
  pageMessages?: number
  /** What goes wrong with a request. */
  fault?: (asked: Asked) => Fault | undefined
  /** Epoch milliseconds. */
  now?: () => number
}

/** A stand-in for the chat platform: its messages, users and settings, over HTTP, with its ways to refuse. */
export interface ChatServer {
  /** `http://127.0.0.1:<port>` */
  url: string
  book: MessageBook
  queues: EventQueues
  email: string
  apiKey: string
  asked: Asked[]
  /** How many connections were made. */
  connections(): number
  close(): Promise<void>
}

const NEWEST_LEVEL = 400

/** Starts one on a port of its own; closed when the test ends. */
export async function chatServer(t: Test, options: ChatServerOptions = {}): Promise<ChatServer> {
  const chat = await startChatServer(options)
  t.teardown(chat.close)
  return chat
}

/** Starts one on a port of its own. */
export async function startChatServer(options: ChatServerOptions = {}): Promise<ChatServer> {
  const { book = new MessageBook(), featureLevel = NEWEST_LEVEL, rateLimit, now = Date.now } = options
  const { email = 'daybook-bot@chat.example.org', apiKey = 'k3y-of-the-bot' } = options
  const { pageMessages = Number.POSITIVE_INFINITY } = options
  const level = featureLevel ?? 0
  const limiter = rateLimit && new RateLimiter(rateLimit, now)
  const queues = new EventQueues(book, now, level)
  const asked: Asked[] = []
  let connections = 0

  const answerTo = async (
    { path, query }: Asked,
    req: IncomingMessage,
    res: ServerResponse,
  ): Promise<Record<string, unknown>> => {
    if (path === '/api/v1/server_settings') {
      const known = featureLevel === null ? {} : { zulip_feature_level: featureLevel }
      return { ...known, zulip_version: '10.3', realm_name: 'Example', authentication_methods: { password: true } }
    }
    if (!isAuthorised(req, email, apiKey)) throw new Refusal(401, 'INVALID_API_KEY', 'Invalid API key')
    if (path === '/api/v1/users') return { members: book.people.map(toMember) }
    if (path === '/api/v1/messages') return getMessages(query, book, { featureLevel: level, pageMessages })
    const [, id] = /^\/api\/v1\/messages\/(\d+)$/.exec(path) ?? []
    if (id !== undefined) return getMessage(Number(id), query, book, level)
    if (path === '/api/v1/register' && req.method === 'POST') return queues.register(await readForm(req))
    if (path === '/api/v1/events') return queues.events(query, new Promise(resolve => res.once('close', resolve)))
    throw new Refusal(404, 'BAD_REQUEST', 'Not found')
  }

  const server = createServer(async (req, res) => {
    const url = new URL(req.url ?? '/', 'http://stand-in')
    const index = asked.filter(({ path }) => path === url.pathname).length
    const request = { path: url.pathname, query: url.searchParams, index }
    asked.push(request)
    const fault = options.fault?.(request)
    if (fault && (await misbehave(fault, res))) return
    const work = async () => ({ headers: limiter?.take() ?? {}, body: await answerTo(request, req, res) })
    await reply(res, work, level, fault)
  })
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, book, queues, email, apiKey, asked, connections: () => connections, close }
}

interface Answer {
  headers: Record<string, string>
  body: Record<string, unknown>
}

async function reply(
  res: ServerResponse,
  work: () => Promise<Answer>,
  level: number,
  fault: Fault | undefined,
): Promise<void> {
  try {
    const { headers, body } = await work()
    write(res, 200, headers, JSON.stringify({ result: 'success', msg: '', ...body }), fault)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, code, message, members } = error
    // Versions before 5 had no codes.
    const errorCode = level === 0 ? {} : { code }
    const wait = members['retry-after']
    const headers = wait === undefined ? {} : { 'retry-after': String(wait) }
    write(res, status, headers, JSON.stringify({ result: 'error', msg: message, ...errorCode, ...members }), undefined)
  }
}

function write(
  res: ServerResponse,
  status: number,
  headers: Record<string, string>,
  text: string,
  fault: Fault | undefined,
): void {
  const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
  res.writeHead(status, { ...length, ...headers })
  if (fault?.kind === 'half') {
    res.write(text.slice(0, Math.floor(text.length / 2)), () => setTimeout(() => res.destroy(), 5))
    return
  }
  res.end(text)
}

async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

function isAuthorised(req: IncomingMessage, email: string, apiKey: string): boolean {
  return req.headers.authorization === `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`
}
