import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** What may go wrong with a request. */
export type RestFault =
  /** The connection breaks before the answer, or in the middle of it. */
  'reset' | 'half' | { status: number; headers?: Record<string, string>; body?: string }

export interface RestRequest {
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  /** How many requests came before it. */
  index: number
}

export interface RestAnswer {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

export interface RestServer {
  /** `http://127.0.0.1:<port>` */
  url: string
  asked: RestRequest[]
  close(): Promise<void>
}

export interface RestServerOptions {
  answer: (request: RestRequest, origin: string) => RestAnswer
  fault?: ((request: RestRequest) => RestFault | undefined) | undefined
  /** How far its clock is ahead of ours. */
  minutesAhead?: number | undefined
}

/** A stand-in for a platform's REST API on a port of its own, with the faults that a test asks for. */
export async function startRestServer({ answer, fault, minutesAhead = 0 }: RestServerOptions): Promise<RestServer> {
  const asked: RestRequest[] = []
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://stand-in')
    const request = { path: url.pathname, query: url.searchParams, headers: req.headers, index: asked.length }
    asked.push(request)
    res.setHeader('date', new Date(Date.now() + minutesAhead * 60_000).toUTCString())
    const trouble = fault?.(request)
    if (trouble === 'reset') {
      res.socket?.resetAndDestroy()
      return
    }
    if (typeof trouble === 'object') {
      res
        .writeHead(trouble.status, { 'content-type': 'application/json', ...trouble.headers })
        .end(trouble.body ?? '{}')
      return
    }
    const { port } = server.address() as AddressInfo
    write(res, answer(request, `http://127.0.0.1:${port}`), trouble === 'half')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}`, asked, close }
}

export function closing<Server extends RestServer>(t: Test, server: Server): Server {
  t.teardown(server.close)
  return server
}

function write(res: ServerResponse, { status = 200, headers = {}, body }: RestAnswer, isHalf: boolean): void {
  const text = JSON.stringify(body)
  const length = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
  }
  res.writeHead(status, { ...length, ...headers })
  if (isHalf) res.write(text.slice(0, Math.floor(text.length / 2)), () => setTimeout(() => res.destroy(), 5))
  else res.end(text)
}

/** A page of a list with the `Link` header that GitHub, GitLab and Gitea send. */
export function pageOf(
  items: readonly unknown[],
  { query, size, address }: { query: URLSearchParams; size: number; address: string },
): { headers: Record<string, string>; body: unknown[] } {
  const page = Math.max(1, Number(query.get('page') ?? 1))
  const last = Math.max(1, Math.ceil(items.length / size))
  const link = (rel: string, number: number) => {
    const next = new URLSearchParams(query)
    next.set('page', String(number))
    return `<${address}?${next}>; rel="${rel}"`
  }
  const links = [
    ...(page > 1 ? [link('prev', page - 1)] : []),
    ...(page < last ? [link('next', page + 1), link('last', last)] : []),
    ...(page > 1 ? [link('first', 1)] : []),
  ]
  const headers: Record<string, string> = links.length > 0 ? { link: links.join(', ') } : {}
  return { headers, body: items.slice((page - 1) * size, page * size) }
}

/** The value of a parameter as the size of a page, as the servers limit it. */
export function pageSize(
  query: URLSearchParams,
  name: string,
  { usual, most }: { usual: number; most: number },
): number {
  const size = Number(query.get(name) ?? usual)
  return Number.isInteger(size) && size > 0 ? Math.min(size, most) : usual
}
