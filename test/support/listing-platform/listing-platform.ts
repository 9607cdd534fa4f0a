import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { ListedHook, ListingSource } from '../../../src/model/platforms/reconciliation.js'
import { type Fault, heardUntil, misbehave } from '../chat-server/fault.js'
import { discourse } from './discourse.js'
import { github, githubApp } from './github.js'
import { gitlab } from './gitlab.js'

/** A delivery that the stand-in has tried. */
export interface Tried {
  id: number
  headers: Record<string, string>
  body: string
  /** What the receiver answered; 502 if it was not reached. */
  status: number
  /** Epoch milliseconds by the platform's clock. */
  at: number
  /** The list has it without its payload. */
  isBodiless?: boolean
  isRedelivery?: boolean
}

/** One request to the API, as a platform of a source answers it. */
interface Asked {
  method: string
  path: string
  query: URLSearchParams
  /** How many requests came before it. */
  index: number
}

interface ApiAnswer {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

export interface Api {
  hookPath: string
  /** Of the request that is let in. */
  isAuthorised(req: IncomingMessage, token: string): boolean
  /** @param redeliver sends the delivery to its receiver again */
  answer(
    asked: Asked,
    tried: readonly Tried[],
    redeliver: (id: number) => Promise<Tried | undefined>,
  ): Promise<ApiAnswer>
}

const APIS: Record<ListingSource, Api> = { code_a: github, code_b: gitlab, forum: discourse }

interface ListingPlatformOptions {
  source: ListingSource
  /** The hook is that of this GitHub App. */
  app?: { id: string; key: KeyObject; publicKey: KeyObject }
  /** Address of the webhook, for redeliveries. */
  receiver?: string
  /** What goes wrong with a request. */
  fault?: (asked: Asked) => Fault | undefined
  /** How far its clock is ahead. */
  clockAheadMs?: number
  /** Called before each answer, which waits for it. */
  onAsked?: (asked: Asked) => Promise<void> | void
}

/** A stand-in for a platform that lists the deliveries of one webhook. */
export interface ListingPlatform {
  hook: ListedHook & { token: string }
  tried: Tried[]
  asked: Asked[]
  /** Notes a delivery, as if it had been tried. */
  note(sent: { headers: Record<string, string>; body: unknown }, changes?: Partial<Tried>): Tried
  close(): Promise<void>
}

const TOKEN = 't0ken-that-may-list'

/** Starts one on a port of its own; closed when the test ends. */
export async function listingPlatform(t: Test, options: ListingPlatformOptions): Promise<ListingPlatform> {
  const platform = await startListingPlatform(options)
  t.teardown(platform.close)
  return platform
}

/** Starts one on a port of its own. */
export async function startListingPlatform(options: ListingPlatformOptions): Promise<ListingPlatform> {
  const { source, app, clockAheadMs = 0 } = options
  const api = app ? githubApp(app) : APIS[source]
  const tried: Tried[] = []
  const asked: Asked[] = []

  const note: ListingPlatform['note'] = ({ headers, body }, changes = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const one = { id: tried.length + 1, headers, body: text, status: 502, at: Date.now() + clockAheadMs, ...changes }
    tried.push(one)
    return one
  }
  const redeliver = async (id: number): Promise<Tried | undefined> => {
    const one = tried.find(each => each.id === id)
    if (one === undefined || options.receiver === undefined) return undefined
    const sent = await fetch(options.receiver, { method: 'POST', headers: one.headers, body: one.body }).catch(
      () => undefined,
    )
    return note(one, { status: sent?.status ?? 502, isRedelivery: true })
  }

  const server = createServer(async (req, res) => {
    const url = new URL(req.url ?? '/', 'http://stand-in')
    const request = { method: req.method ?? '', path: url.pathname, query: url.searchParams, index: asked.length }
    asked.push(request)
    const date = { date: new Date(Date.now() + clockAheadMs).toUTCString() }
    const waited = options.onAsked?.(request)
    if (waited) await heardUntil(waited, res)
    const fault = options.fault?.(request)
    if (fault && (await misbehave(fault, res))) return
    const isLetIn = api.isAuthorised(req, TOKEN)
    const newestFirst = [...tried].reverse()
    const answer: ApiAnswer = isLetIn
      ? await api.answer(request, newestFirst, redeliver)
      : { status: 401, body: { message: `Bad credentials: ${req.headers.authorization}` } }
    const text = JSON.stringify(answer.body)
    res.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...date, ...answer.headers })
    if (fault?.kind === 'half') res.write(text.slice(0, text.length / 2), () => res.socket?.resetAndDestroy())
    else res.end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  const account = app ? { app: { id: app.id, key: app.key.export({ type: 'pkcs1', format: 'pem' }).toString() } } : {}
  const hook = { source, url: `http://127.0.0.1:${port}${api.hookPath}`, token: TOKEN, ...account }
  return { hook, tried, asked, note, close }
}
