/**
 * Clients that take more than their share, as a process of its own. Argument: a `GreedyPlan` as JSON. Prints a line
 * once every client has started, continues until it receives a line, and prints a `GreedyResult` for each kind as JSON.
 */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { GREEDY_KINDS, type GreedyKind, type GreedyPlan, type GreedyResult } from '../greedy-clients.js'
import { get } from '../requests.js'
import { BEGINNING } from '../walk-plan.js'

/** The clients of a kind start in this many groups, one every `GROUP_MS`. */
const GROUPS = 100
const GROUP_MS = 100
const DRIP_MS = 1_000
const RECONNECT_MS = 500

const { port, counts } = JSON.parse(process.argv[2] ?? '') as GreedyPlan
const host = `127.0.0.1:${port}`
const PAGE = `/api/events?limit=500&since=${BEGINNING}`
const page = get(host, PAGE)
const stream = get(host, '/api/stream')
const slowHeaders = Buffer.from(`POST /api/events HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `)
const slowBody = Buffer.from(
  `POST /api/events HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n`,
)

const results = Object.fromEntries(
  GREEDY_KINDS.map(kind => [kind, { opened: 0, closed: 0, answers: {} } as GreedyResult]),
) as Record<GreedyKind, GreedyResult>
const dripping = new Set<Socket>()

const BEGIN: Record<GreedyKind, (socket: Socket, nth: number) => void> = {
  idle: socket => socket.resume(),
  slowloris: (socket, nth) => {
    socket.write(nth % 2 === 0 ? slowHeaders : slowBody)
    socket.resume()
    dripping.add(socket)
    socket.once('close', () => dripping.delete(socket))
  },
  readers: socket => {
    socket.pause()
    socket.write(page)
  },
  streams: socket => {
    socket.once('data', chunk => countStatus('streams', chunk.toString('latin1', 9, 12)))
    socket.resume()
    socket.write(stream)
  },
  pages: socket => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    agent.createConnection = () => socket
    readPage(agent)
  },
}

/** Reads one page after the other while the connection is open. */
function readPage(agent: Agent): void {
  request({ agent, host: '127.0.0.1', port, path: PAGE }, answer => {
    countStatus('pages', String(answer.statusCode))
    answer.resume()
    // An error is counted when the connection closes.
    answer.once('error', () => {})
    answer.once('end', () => readPage(agent))
  })
    .once('error', () => {})
    .end()
}

function countStatus(kind: GreedyKind, status: string): void {
  const { answers } = results[kind]
  answers[status] = (answers[status] ?? 0) + 1
}

function open(kind: GreedyKind, nth: number): void {
  const result = results[kind]
  result.opened++
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  // `close` follows, and counts it.
  socket.on('error', () => {})
  socket.once('close', () => {
    result.closed++
    if (kind !== 'streams') setTimeout(open, RECONNECT_MS, kind, nth)
  })
  BEGIN[kind](socket, nth)
}

function startGroup(group: number): void {
  for (const kind of GREEDY_KINDS) {
    const upTo = (part: number) => Math.floor((counts[kind] * part) / GROUPS)
    for (let nth = upTo(group); nth < upTo(group + 1); nth++) open(kind, nth)
  }
}

setInterval(() => {
  for (const socket of dripping) socket.write('x')
}, DRIP_MS)
let group = 0
const starting = setInterval(() => {
  startGroup(group++)
  if (group < GROUPS) return
  clearInterval(starting)
  process.stdout.write('started\n')
}, GROUP_MS)
await once(process.stdin, 'data')
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit())
