import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../model/app-error.js'

/** Maximum body of a request to a backend. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024

/** The part of a body that is read before the request is forwarded. */
export interface BodyStart {
  bytes: Buffer
  /** Whether `bytes` is the whole body. Otherwise the request is paused where `bytes` ends. */
  isWhole: boolean
}

/**
 * Reads a body only until it is known whether it has more than `maxBytes`.
 *
 * @throws AppError `invalid/bad_request` when the sender leaves
 */
export function readBodyStart(req: IncomingMessage, res: ServerResponse, maxBytes: number): Promise<BodyStart> {
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
      // Synchronously: the next chunk may arrive before the caller of this function continues.
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

export function bodyTooLarge(): AppError {
  const detail = `The body is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB. Send less at a time.`
  return new AppError('too_large', 'body_too_large', detail)
}
