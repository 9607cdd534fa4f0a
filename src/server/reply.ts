import type { ServerResponse } from 'node:http'
import type { HttpRequest, Reply } from './route.js'

/** Headers of every answer. Not `no-referrer`: it would turn `Origin` into `null` on form posts. */
const EVERY_ANSWER = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'same-origin',
  'X-Frame-Options',
  'DENY',
  'Cross-Origin-Resource-Policy',
  'same-origin',
] as const

const API_ANSWER: readonly string[] = [
  ...EVERY_ANSWER,
  'Cache-Control',
  'no-store',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
]

const PAGE_ANSWER: readonly string[] = [
  ...EVERY_ANSWER,
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
  'Cross-Origin-Opener-Policy',
  'same-origin',
]

/** Headers of an API answer that its handler writes by itself, names and values in turn. */
export function apiHeaders(requestId: string): string[] {
  return [...API_ANSWER, 'X-Request-Id', requestId]
}

/** Headers of an HTML page and its assets, names and values in turn. */
export function pageHeaders(requestId: string): string[] {
  return [...PAGE_ANSWER, 'X-Request-Id', requestId]
}

/** A JSON answer from a value. */
export function json(status: number, value: unknown): Reply {
  return { status, body: JSON.stringify(value) }
}

/**
 * Writes a complete answer. Headers go out as one flat array in one `writeHead`: Node takes that without building a
 * header table first. A `HEAD` answer has the same headers; Node leaves its body out.
 */
export function send(req: HttpRequest, res: ServerResponse, reply: Reply): void {
  if (res.headersSent) {
    // Part of another answer is out: cutting the connection is the only way to say that it is not whole.
    res.destroy()
    return
  }
  const headers = apiHeaders(req.requestId)
  if (reply.headers) headers.push(...reply.headers)
  if (reply.status === 204) {
    res.writeHead(204, headers)
    res.end()
    return
  }
  const { body } = reply
  headers.push('Content-Type', reply.type ?? 'application/json', 'Content-Length', String(byteLength(body)))
  if (typeof body === 'string') {
    res.writeHead(reply.status, headers)
    res.end(body)
    return
  }
  res.cork()
  res.writeHead(reply.status, headers)
  for (const piece of body) res.write(piece)
  res.end()
}

function byteLength(body: Reply['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  let total = 0
  for (const piece of body) total += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength
  return total
}
