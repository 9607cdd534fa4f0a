/** A backend with one large answer, written as fast as it is read. Prints its port as JSON once it listens. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

const bytes = Number(process.argv[2])
const PIECE = Buffer.alloc(64 * 1024, 'x')

function* pieces(): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE.length) yield left < PIECE.length ? PIECE.subarray(0, left) : PIECE
}

const server = createServer((_req, res) => {
  res.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': bytes })
  Readable.from(pieces(), { objectMode: false }).pipe(res)
})
server.listen({ host: '127.0.0.1', port: 0 }, () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ port })}\n`)
})
