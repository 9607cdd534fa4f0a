import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { freePort } from '../support/free-port.js'

/** A request as it arrived. */
export interface Arrived {
  method: string
  /** Path and query, as sent. */
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export interface AnswerParts {
  status?: number
  type?: string
  headers?: Record<string, string>
  /** Text is sent unchanged, any other value as JSON. */
  body?: unknown
}

/** What to answer; or a function that does it itself. */
export type Answering = AnswerParts | ((res: ServerResponse, request: Arrived) => void)

export interface StandIn {
  /** `http://127.0.0.1:<port>` */
  url: string
  port: number
  arrived: Arrived[]
  close(): Promise<void>
}

/**
 * A real HTTP server that returns the answers of a test. On a port of its own, on which no server answers after `close`;
 * closed when the test ends.
 */
export async function standIn(
  t: Test,
  answer: (request: Arrived) => Answering,
  where?: { port: number } | { path: string },
): Promise<StandIn> {
  const arrived: Arrived[] = []
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', chunk => chunks.push(chunk))
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const request = { method: req.method ?? '', url: req.url ?? '', headers: req.headers, body }
      arrived.push(request)
      const answering = answer(request)
      if (typeof answering === 'function') answering(res, request)
      else send(res, answering)
    })
  })
  const place = where ?? { port: await freePort() }
  server.listen('path' in place ? place : { ...place, host: '127.0.0.1' })
  await once(server, 'listening')
  const address = server.address() as AddressInfo | string
  const port = typeof address === 'string' ? 0 : address.port
  const close = async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }
  t.teardown(close)
  return { url: `http://127.0.0.1:${port}`, port, arrived, close }
}

function send(res: ServerResponse, { status = 200, type, headers, body }: AnswerParts): void {
  if (typeof body === 'string' || body === undefined) {
    res.writeHead(status, { ...(type ? { 'content-type': type } : {}), ...headers }).end(body)
  } else {
    res.writeHead(status, { 'content-type': type ?? 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

/** A problem answer as the ledger gives it. */
export function problem(status: number, code: string, members: Record<string, unknown> = {}): AnswerParts {
  const body = { type: 'about:blank', title: 'x', status, code, detail: `Because of ${code}.`, ...members }
  return { status, type: 'application/problem+json', body }
}
