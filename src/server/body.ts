import type { ServerResponse } from 'node:http'
import { AppError } from '../model/app-error.js'
import type { HttpRequest } from './route.js'

/**
 * Reads a whole body, counting while it arrives.
 *
 * @throws AppError `too_large/body_too_large` beyond `maxBytes`, as soon as that is known; `unavailable/busy` while too
 *   many large bodies are on their way; `unsupported_type/unsupported_media_type` for an encoded body;
 *   `invalid/bad_request` when the sender goes away.
 */
export type ReadBody = (req: HttpRequest, res: ServerResponse, maxBytes: number) => Promise<Buffer>

/** Bodies up to here are bounded by the number of connections; what is beyond it comes out of the budget. */
const SMALL_BYTES = 1024 * 1024

/** @param budgetBytes what all bodies that are being read may hold together, the first mebibyte of each not counted */
export function createBodyReader(budgetBytes: number): ReadBody {
  let free = budgetBytes

  return (req, res, maxBytes) => {
    const encoding = req.headers['content-encoding']
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      return Promise.reject(
        new AppError(
          'unsupported_type',
          'unsupported_media_type',
          'Encoded bodies are not understood. Send it as it is.',
        ),
      )
    }
    const announced = Number(req.headers['content-length'] ?? 0)
    if (announced > maxBytes) return Promise.reject(tooLarge(maxBytes))
    if (req.headers.expect !== undefined) res.writeContinue()

    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let whole: Buffer | undefined
      let size = 0
      let taken = 0

      const refuse = (error: AppError) => {
        req.removeListener('data', onData)
        chunks.length = 0
        whole = undefined
        // The rest is read and thrown away (Node's request timeout bounds that), so that the sender gets to read why.
        req.resume()
        reject(error)
      }
      const onData = (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) return refuse(tooLarge(maxBytes))
        if (size > SMALL_BYTES) {
          const more = Math.min(chunk.length, size - SMALL_BYTES)
          if (more > free) return refuse(busy())
          if (taken === 0) res.once('close', () => (free += taken))
          free -= more
          taken += more
        }
        if (whole) {
          whole.set(chunk, size - chunk.length)
          return
        }
        chunks.push(chunk)
        if (size > SMALL_BYTES && announced > size) {
          // Filled from now on, so that joining does not keep everybody waiting at the end.
          whole = Buffer.allocUnsafeSlow(announced)
          whole.set(Buffer.concat(chunks.splice(0)))
        }
      }
      req.on('data', onData)
      req.on('end', () => {
        const [only] = chunks
        resolve(whole ?? (only && chunks.length === 1 ? only : Buffer.concat(chunks)))
      })
      req.on('error', cause => {
        refuse(new AppError('invalid', 'bad_request', 'The request ended before its body was complete.', { cause }))
      })
    })
  }
}

/** A size as people write it: 25 MiB, 64 KiB. */
export function sizeText(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`
}

export function tooLarge(maxBytes: number): AppError {
  const detail = `The body is larger than ${sizeText(maxBytes)}. Send less at a time.`
  return new AppError('too_large', 'body_too_large', detail)
}

function busy(): AppError {
  return new AppError('unavailable', 'busy', 'Too many large bodies are arriving at once. Send it again in a moment.', {
    retryAfterSeconds: 1,
  })
}
