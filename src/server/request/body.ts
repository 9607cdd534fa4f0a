import type { ServerResponse } from 'node:http'
import { createGunzip } from 'node:zlib'
import { AppError } from '../../model/app-error.js'
import type { HttpRequest } from '../http/route.js'
import { BodyBudget, type BodyShare } from './body-budget.js'
import { readMediaType } from './media-type.js'
import { readJson } from './read-json.js'

/**
 * Reads a whole body, and counts its bytes while it arrives.
 *
 * @throws AppError `too_large/body_too_large` beyond `maxBytes`, as soon as that is known; `unavailable/busy` if the bodies
 *   that arrive together use too much memory, and this is the slowest or the largest;
 *   `unsupported_type/unsupported_media_type` for an encoded body; `invalid/bad_request` when the sender leaves.
 */
export type ReadBody = (
  req: HttpRequest,
  res: ServerResponse,
  maxBytes: number,
  options?: BodyOptions,
) => Promise<Buffer>

interface BodyOptions {
  /**
   * Accepts a body compressed with gzip. `maxBytes` and the budget apply to its compressed and its uncompressed size.
   */
  decompress?: boolean
}

/** Bodies up to this size are limited by the number of connections (4,096: 128 MiB); larger ones use a budget. */
const SMALL_BYTES = 32 * 1024
/**
 * From this size on, memory for the whole body is allocated in advance: joining it at the end would delay other
 * requests.
 */
const LARGE_BYTES = 1024 * 1024
const GZIP = ['gzip', 'x-gzip']
/** Limit beyond `LARGE_BYTES`. Events expand to ten or twenty times their compressed size. */
const MOST_EXPANSION = 100
const NOT_GZIP = 'The body is not gzip, although Content-Encoding names it, or it ends too early.'

/**
 * @param budgetBytes for the bodies of all requests together until they are answered, not counting the first 32 KiB of each
 * @param anonymousBytes the budget for anonymous senders, so that they cannot use up the other one
 */
export function createBodyReader(budgetBytes: number, anonymousBytes = budgetBytes): ReadBody {
  const known = new BodyBudget(budgetBytes)
  const anonymous = new BodyBudget(anonymousBytes)

  return (req, res, maxBytes, { decompress = false } = {}) => {
    const encoding = req.headers['content-encoding']?.toLowerCase() ?? 'identity'
    const isCompressed = decompress && GZIP.includes(encoding)
    if (encoding !== 'identity' && !isCompressed) return Promise.reject(encoded(decompress))
    const announced = Number(req.headers['content-length'] ?? 0)
    if (announced > maxBytes) return Promise.reject(tooLarge(maxBytes))
    if (req.headers.expect !== undefined) res.writeContinue()

    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let whole: Buffer | undefined
      let size = 0
      let sent = 0
      let share: BodyShare | undefined
      const openShare = () => {
        const opened = (req.isAnonymous ? anonymous : known).open(refuse)
        res.once('close', opened.release)
        return opened
      }

      const source = isCompressed ? req.pipe(createGunzip()) : req
      const refuse = (error: unknown) => {
        source.removeListener('data', onData)
        if (source !== req) {
          req.unpipe()
          source.destroy()
        }
        chunks.length = 0
        whole = undefined
        share?.release()
        // The rest is discarded (Node's request timeout limits that), so that the sender can read the refusal.
        req.resume()
        reject(error)
      }
      const onData = (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) return refuse(tooLarge(maxBytes))
        if (isCompressed && size > LARGE_BYTES && size > MOST_EXPANSION * sent) return refuse(expandsTooMuch())
        if (size > SMALL_BYTES) {
          try {
            share ??= openShare()
            share.take(Math.min(chunk.length, size - SMALL_BYTES))
          } catch (error) {
            return refuse(error)
          }
        }
        if (whole) {
          whole.set(chunk, size - chunk.length)
          return
        }
        chunks.push(chunk)
        if (size > LARGE_BYTES && announced > size && !isCompressed) {
          whole = Buffer.allocUnsafeSlow(announced)
          whole.set(Buffer.concat(chunks.splice(0)))
        }
      }
      source.on('data', onData)
      source.on('end', () => {
        share?.complete()
        const [only] = chunks
        resolve(whole ?? (only && chunks.length === 1 ? only : Buffer.concat(chunks)))
      })
      if (source !== req) {
        source.on('error', cause => refuse(new AppError('invalid', 'bad_request', NOT_GZIP, { cause })))
        // Compressed data may have any length without any content.
        req.on('data', (chunk: Buffer) => {
          sent += chunk.length
          if (sent > maxBytes) refuse(tooLarge(maxBytes))
        })
      }
      req.on('error', cause => {
        refuse(new AppError('invalid', 'bad_request', 'The request ended before its body was complete.', { cause }))
      })
    })
  }
}

/** Reads a body that must be declared as JSON: a form of a foreign page cannot send that without permission. */
export type ReadJsonBody = (req: HttpRequest, res: ServerResponse, maxBytes: number) => Promise<unknown>

/** @throws AppError as `readMediaType`, `ReadBody` and `readJson` */
export function createJsonReader(readBody: ReadBody): ReadJsonBody {
  return async (req, res, maxBytes) => {
    readMediaType(req, ['application/json'])
    return readJson(await readBody(req, res, maxBytes, { decompress: true }))
  }
}

function expandsTooMuch(): AppError {
  const detail = `The body expands to more than ${MOST_EXPANSION} times its compressed size. Send it without an encoding.`
  return new AppError('too_large', 'body_too_large', detail)
}

function encoded(decompress: boolean): AppError {
  const detail = decompress ? 'This encoding is not supported.' : 'Encoded bodies are not supported here.'
  const hint = decompress ? 'Send it with gzip, or without an encoding.' : 'Send it without an encoding.'
  return new AppError('unsupported_type', 'unsupported_media_type', detail, { hint })
}

/** A size such as 25 MiB or 64 KiB. */
export function sizeText(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`
}

export function tooLarge(maxBytes: number): AppError {
  const detail = `The body is larger than ${sizeText(maxBytes)}. Send less at a time.`
  return new AppError('too_large', 'body_too_large', detail)
}
