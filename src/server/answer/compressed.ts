import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { HttpRequest, Reply } from '../http/route.js'
import { acceptedEncodings } from '../request/accepted-encodings.js'
import { PIECE_BYTES } from './answer-budget.js'
import { byteLength } from './reply.js'

/**
 * Which answers are compressed, in bytes. A shorter one fits one packet. Who reads larger ones reads many: there
 * compression costs more than it saves.
 */
const COMPRESSED = { least: 1_400, most: PIECE_BYTES }

/**
 * Compresses an answer if the reader accepts gzip. Only for answers without secrets: their length says something about
 * their content.
 *
 * Source: RFC 9110, section 8.4.1; CRIME and BREACH (CVE-2013-3587).
 */
export function compressed(req: HttpRequest, reply: Reply): Reply | Promise<Reply> {
  const length = byteLength(reply.body)
  const isFit = length >= COMPRESSED.least && length <= COMPRESSED.most
  if (!isFit || !acceptedEncodings(req.headers['accept-encoding']).includes('gzip')) return reply
  return compress(reply)
}

async function compress(reply: Reply): Promise<Reply> {
  const body = await promisify(gzip)(joined(reply.body))
  return { ...reply, body, headers: [...(reply.headers ?? []), 'Content-Encoding', 'gzip'] }
}

function joined(body: Reply['body']): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  return Buffer.concat(body.map(piece => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}
