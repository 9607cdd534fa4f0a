import type { ServerResponse } from 'node:http'
import { AppError } from '../model/app-error.js'
import type { BoardRequest } from '../server/board/board-route.js'

/** What was read of a body before it is passed on. */
export interface BodyStart {
  bytes: Buffer
  /** There is no more of it. Otherwise the request is paused where `bytes` ends. */
  isWhole: boolean
}

/**
 * Reads a body as far as it takes to know whether it has more than `maxBytes`.
 *
 * @throws AppError `invalid/bad_request` when the sender goes away
 */
export function readBodyStart(req: BoardRequest, res: ServerResponse, maxBytes: number): Promise<BodyStart> {
  if (req.headers.expect !== undefined) res.writeContinue()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (isWhole: boolean) => {
      req.off('data', onData).off('end', onEnd).off('error', onError)
      resolve({ bytes: Buffer.concat(chunks), isWhole })
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size <= maxBytes) return
      // At once: the next piece may come before whoever waits for this one gets to see it.
      req.pause()
      settle(false)
    }
    const onEnd = () => settle(true)
    const onError = (cause: Error) => {
      reject(new AppError('invalid', 'bad_request', 'The request ended before its body was complete.', { cause }))
    }
    req.on('data', onData).on('end', onEnd).on('error', onError)
  })
}
