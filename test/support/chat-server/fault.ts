import type { ServerResponse } from 'node:http'

/** What may go wrong with a request. */
export type Fault =
  /** The right answer, later; never, where `until` does not resolve. `isHeard`: it is not silent until then. */
  | { kind: 'slow'; until: Promise<unknown>; isHeard?: boolean }
  | { kind: 'reset' }
  /** The connection breaks in the middle of the right answer. */
  | { kind: 'half' }
  /** Any other answer. */
  | { kind: 'answer'; status: number; type?: string; headers?: Record<string, string>; body: string }

/** @returns whether the request is dealt with, and not to be answered any more */
export async function misbehave(fault: Fault, res: ServerResponse): Promise<boolean> {
  switch (fault.kind) {
    case 'slow':
      await (fault.isHeard ? heardUntil(fault.until, res) : fault.until)
      return res.destroyed
    case 'reset':
      res.socket?.resetAndDestroy()
      return true
    case 'half':
      return false
    case 'answer':
      res
        .writeHead(fault.status, { 'content-type': fault.type ?? 'application/json', ...fault.headers })
        .end(fault.body)
      return true
  }
}

/** Sends interim answers until then: a client ends a request that is silent for half a minute. */
export async function heardUntil(until: Promise<unknown>, res: ServerResponse): Promise<void> {
  const timer = setInterval(() => res.writeProcessing(), 1_000)
  try {
    await until
  } finally {
    clearInterval(timer)
  }
}

export function brokenJson(): Fault {
  return { kind: 'answer', status: 200, body: '{"result":"success","messages":[{"id":1,' }
}

export function respondWith(
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Fault {
  return { kind: 'answer', status, headers, body: JSON.stringify(body) }
}

export function rateLimited(retryAfterSeconds: number): Fault {
  const body = { result: 'error', code: 'RATE_LIMIT_HIT', msg: 'Zu viele Anfragen', 'retry-after': retryAfterSeconds }
  return respondWith(429, body, { 'retry-after': String(retryAfterSeconds) })
}
