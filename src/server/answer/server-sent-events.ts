import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { AppError, type ErrorCategory } from '../../model/app-error.js'
import type { HttpRequest } from '../http/route.js'
import type { OpenAnswer } from '../http/shutdown.js'
import { apiHeaders } from './reply.js'

/** Begins an answer of server-sent events. @returns false where it is over with that (`HEAD`) */
export function beginEvents(req: HttpRequest, res: ServerResponse): boolean {
  res.writeHead(200, [...apiHeaders(req), 'Content-Type', 'text/event-stream', 'X-Accel-Buffering', 'no'])
  if (req.method !== 'HEAD') return true
  res.end()
  return false
}

/** Where a reader that was connected before stopped. */
export function lastEventId(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['last-event-id']
  return typeof value === 'string' ? value : undefined
}

/** A stream outlives a login: checks every `everyMs` whether it may still be read, and ends it once it may not. */
export function endOnceRefused(open: OpenAnswer, mayRead: () => Promise<void>, everyMs: number): () => void {
  const asking = setInterval(() => {
    // A store that cannot say who it is has other troubles; the next beat asks again.
    mayRead().catch(error => isRefusal(error) && open.end())
  }, everyMs)
  return () => clearInterval(asking)
}

const REFUSALS: readonly ErrorCategory[] = ['unauthenticated', 'forbidden', 'throttled']

/** `throttled` as well: a wrong key or token from an address that showed too many of them. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && REFUSALS.includes(error.category)
}
