/**
 * A polka server that does the minimum with an event: read it, parse it, answer a small JSON. Prints its port as JSON
 * once it listens.
 */
import type { AddressInfo } from 'node:net'
import polka from 'polka'

const ANSWER = JSON.stringify({ created: true, dedupe_key: 'none', seen_count: 1 })
const HEADERS = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(ANSWER) }

const app = polka()
app.post('/api/events', (req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const event: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const isEvent = typeof event === 'object' && event !== null && 'kind' in event
    res.writeHead(isEvent ? 201 : 400, HEADERS)
    res.end(ANSWER)
  })
})
app.listen({ host: '127.0.0.1', port: 0 }, () => {
  const { port } = app.server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ port })}\n`)
})
