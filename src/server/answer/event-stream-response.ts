import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { isRefusal } from '../../model/app-error.js'
import type { HttpRequest } from '../http/route.js'
import type { HeldResponse } from '../http/shutdown.js'
import { apiHeaders } from './reply.js'

/** Begins an answer of server-sent events. @returns false if that completes it (`HEAD`) */
export function beginEventStream(req: HttpRequest, res: ServerResponse): boolean {
  res.writeHead(200, [...apiHeaders(req), 'Content-Type', 'text/event-stream', 'X-Accel-Buffering', 'no'])
  if (req.method !== 'HEAD') return true
  res.end()
  return false
}

/** Where a reconnecting reader stopped. */
export function lastEventId(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['last-event-id']
  return typeof value === 'string' ? value : undefined
}

/** A stream outlives a login: checks every `everyMs` whether it may still be read, and otherwise ends it. */
export function endOnceRefused(open: HeldResponse, checkMayRead: () => Promise<void>, everyMs: number): () => void {
  const asking = setInterval(() => {
    // A failure of the store proves nothing about the caller; the next check asks again.
    checkMayRead().catch(error => isRefusal(error) && open.end())
  }, everyMs)
  return () => clearInterval(asking)
}
