import type { ServerResponse } from 'node:http'
import type { CutOff, HttpRequest } from '../http/route.js'

/** The least that a reader must receive in the given time. */
const LEAST_BYTES = 256 * 1024
const CHECKS = 8

/** Whether the reader left. Node does not close an answer then that waits behind another one on its connection. */
export function hasLeft(res: ServerResponse): boolean {
  return res.closed || res.req.socket.destroyed
}

/** Aborts when the connection is closed, or immediately if it is closed already: the answer has no reader any more. */
export function closeSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (hasLeft(res)) gone.abort()
  else {
    res.once('close', () => {
      // Once all is sent there is nothing to abort, and an abort costs as much as half of a small answer.
      if (!res.writableFinished) gone.abort()
    })
  }
  return gone.signal
}

/** Ends an incomplete answer by closing its connection, the only way to show that it is incomplete. */
export function cutOff(res: ServerResponse, reason: CutOff): void {
  const req = res.req as HttpRequest
  req.cutOff ??= reason
  // Not `res`, which has no connection while it waits for the previous answer.
  req.socket.destroy()
}

/**
 * Cuts off a reader that receives less than 256 KiB of the waiting bytes in `takenMs`. A write counts only when it is
 * complete, so a larger one has more time.
 */
export function cutOffWhenSlow(res: ServerResponse, takenMs: number): void {
  if (hasLeft(res)) return
  const { socket } = res.req
  let mark: { at: number; bytes: number; mayTakeMs: number } | undefined
  const check = () => {
    const pending = socket.writableLength
    const bytes = socket.bytesWritten - pending
    const at = performance.now()
    if (pending > 0 && mark && bytes - mark.bytes < LEAST_BYTES) {
      if (at - mark.at >= mark.mayTakeMs) cutOff(res, 'slow')
      return
    }
    mark = pending > 0 ? { at, bytes, mayTakeMs: takenMs * Math.max(1, pending / LEAST_BYTES) } : undefined
  }
  check()
  const checking = setInterval(check, takenMs / CHECKS)
  res.once('close', () => clearInterval(checking))
}
