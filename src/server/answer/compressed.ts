import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { HttpRequest, Reply } from '../http/route.js'
import { acceptedEncodings, type Encoding } from '../request/accepted-encodings.js'
import { PIECE_BYTES } from './answer-budget.js'
import { byteLength } from './reply.js'

/** Bytes of answers that are compressed as a whole. A shorter one fits one packet; a larger one is sent in pieces. */
const COMPRESSED = { least: 1_024, most: PIECE_BYTES }
/** Needs half the time of gzip, and yields two thirds of its bytes. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 20 } }

/**
 * Compresses an answer if the reader accepts that. Only for answers without secrets: their length depends on their content.
 *
 * Source: RFC 9110, section 8.4.1; CRIME and BREACH (CVE-2013-3587); docs/decisions/0043.
 */
export function compressed(req: HttpRequest, reply: Reply): Reply | Promise<Reply> {
  const encoding = bestEncoding(req)
  if (!encoding) return reply
  const length = byteLength(reply.body)
  return length >= COMPRESSED.least && length <= COMPRESSED.most ? compress(reply, encoding) : reply
}

/** The encoding with the fewest bytes that this reader accepts. */
export function bestEncoding({ headers }: Pick<HttpRequest, 'headers'>): Encoding | undefined {
  const accepted = headers['accept-encoding']
  return accepted === undefined ? undefined : acceptedEncodings(accepted)[0]
}

async function compress(reply: Reply, encoding: Encoding): Promise<Reply> {
  const whole = joined(reply.body)
  const body = await (encoding === 'br' ? promisify(brotliCompress)(whole, BROTLI) : promisify(gzip)(whole))
  return { ...reply, body, headers: [...(reply.headers ?? []), 'Content-Encoding', encoding] }
}

function joined(body: Reply['body']): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  return Buffer.concat(body.map(piece => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}
