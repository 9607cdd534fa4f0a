import type { ServerResponse } from 'node:http'
import { permission } from '../http/cross-origin.js'
import type { HttpRequest, Reply } from '../http/route.js'
import { type AnswerBudget, busy, PIECE_BYTES } from './answer-budget.js'
import { BodyWriter, untilClosed } from './body-writer.js'
import { cutOffWhenSlow } from './slow-reader.js'

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

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'"

const PAGE_ANSWER: readonly string[] = [
  ...EVERY_ANSWER,
  ...['Cross-Origin-Opener-Policy', 'same-origin', 'Content-Security-Policy', PAGE_POLICY],
]

/** Source: decisions on security, section 5. */
const PASSED_ANSWER: readonly string[] = [...EVERY_ANSWER, 'Content-Security-Policy', "sandbox; default-src 'none'"]

/** Instructs browsers to use only TLS for a year. Source: RFC 6797. */
const TLS_ONLY: readonly string[] = ['Strict-Transport-Security', 'max-age=31536000']

const SMALL_BYTES = 16 * 1024

type AnsweredRequest = Pick<HttpRequest, 'requestId' | 'tlsOnly' | 'crossOrigin'>

/** Headers of an API answer whose handler writes it itself, names and values in turn. */
export function apiHeaders(req: AnsweredRequest): string[] {
  return withRequest(API_ANSWER, req)
}

/**
 * Headers of an answer that we pass on from another server: it must not act as a page of ours. The caller adds
 * `Cache-Control`.
 */
export function passedHeaders(req: AnsweredRequest): string[] {
  return withRequest(PASSED_ANSWER, req)
}

/** Headers of an HTML page and its assets. */
export function pageHeaders(req: AnsweredRequest): string[] {
  return withRequest(PAGE_ANSWER, req)
}

function withRequest(headers: readonly string[], { requestId, tlsOnly, crossOrigin }: AnsweredRequest): string[] {
  const all = [...headers, 'X-Request-Id', requestId]
  if (tlsOnly) all.push(...TLS_ONLY)
  if (crossOrigin !== undefined) all.push(...permission(crossOrigin))
  return all
}

/** A JSON answer from a value. */
export function json(status: number, value: unknown): Reply {
  return { status, body: JSON.stringify(value) }
}

/**
 * Writes a complete answer. Headers are passed as one flat array in one `writeHead`, which Node accepts without building a
 * header table. A `HEAD` answer has the same headers; Node omits its body.
 *
 * @returns a promise if the reader does not receive the answer immediately: resolves when the reader has it or is cut
 *   off
 * @throws AppError `unavailable/busy` before anything is written, if there is no memory left for a large answer; the
 *   answer to a change is always sent, and so is a refusal, which may be the answer to that error
 */
export function send(
  req: HttpRequest,
  res: ServerResponse,
  { reply, budget }: { reply: Reply; budget: AnswerBudget },
): Promise<void> | undefined {
  if (res.headersSent) {
    // Part of another answer has been sent. Only cutting the connection shows that it is incomplete.
    res.destroy()
    return undefined
  }
  const body = joinSmall(reply.body)
  const length = byteLength(body)
  // All readers share the bytes of a page.
  const isLarge = length > SMALL_BYTES && !reply.page && req.method !== 'HEAD'
  if (isLarge) holdRoom(req, res, { length, status: reply.status, budget })
  const headers = reply.page ? pageHeaders(req) : apiHeaders(req)
  if (reply.headers) headers.push(...reply.headers)
  if (reply.status === 204 || reply.status === 304) {
    res.writeHead(reply.status, headers)
    res.end()
    return undefined
  }
  headers.push('Content-Type', reply.type ?? 'application/json', 'Content-Length', String(length))
  res.writeHead(reply.status, headers)
  if (req.method === 'HEAD') res.end()
  else if (length > PIECE_BYTES && req.room) {
    return writeLarge(new BodyWriter(res, req.room, budget.limits.takenMs), body)
  } else if (typeof body === 'string') writeText(res, body, length)
  else if (body instanceof Uint8Array) res.end(body)
  else writePieces(res, body)
  if (isTaken(res, isLarge)) return undefined
  req.room?.leftUntaken()
  cutOffWhenSlow(res, budget.limits.takenMs)
  return untilClosed(res)
}

/** Holds room for the answer, unless its route has reserved room already. */
function holdRoom(
  req: HttpRequest,
  res: ServerResponse,
  { length, status, budget }: { length: number; status: number; budget: AnswerBudget },
): void {
  if (req.room) return
  if (req.method === 'GET' && status < 400 && !budget.hasRoom(length)) throw busy()
  req.room = budget.roomFor(res)
  req.room.hold(length)
}

async function writeLarge(writer: BodyWriter, body: Reply['body']): Promise<void> {
  for (const piece of typeof body === 'string' || body instanceof Uint8Array ? [body] : body) {
    await writer.write(typeof piece === 'string' ? Buffer.from(piece) : piece)
  }
  await writer.end()
}

/** Whether the reader has the answer. A small one that waits for the previous one on its connection is not tracked. */
function isTaken({ socket }: ServerResponse, isLarge: boolean): boolean {
  return socket ? socket.writableLength === 0 : !isLarge
}

/**
 * Writes headers and text with one `write` of one string. `res.end(text)` would give the socket a second, empty chunk,
 * and cause the more expensive `writev`; measured, that and the encoding are a tenth of a small answer's cost.
 */
function writeText(res: ServerResponse, text: string, bytes: number): void {
  const { socket } = res
  // ASCII text has the same bytes in both, and latin1 is copied faster.
  const encoding = bytes === text.length ? 'latin1' : 'utf8'
  if (!socket) {
    // This answer waits for earlier ones on the same connection.
    res.end(text, encoding)
    return
  }
  socket.cork()
  res.write(text, encoding)
  socket.uncork()
  res.end()
}

/** Joining few bytes to one text is cheaper than writing them separately. */
function joinSmall(body: Reply['body']): Reply['body'] {
  if (typeof body === 'string' || body instanceof Uint8Array || byteLength(body) > SMALL_BYTES) return body
  return body
    .map(piece =>
      typeof piece === 'string' ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString(),
    )
    .join('')
}

function writePieces(res: ServerResponse, pieces: readonly (string | Uint8Array)[]): void {
  res.cork()
  for (const piece of pieces) res.write(piece)
  res.end()
}

export function byteLength(body: Reply['body']): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (body instanceof Uint8Array) return body.byteLength
  let total = 0
  for (const piece of body) total += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength
  return total
}
