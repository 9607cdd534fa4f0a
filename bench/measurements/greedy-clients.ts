import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { Bench } from '../bench.js'
import { DELIVERY_SECRET, deliveryMaker } from '../deliveries.js'
import { EventMaker } from '../events.js'
import type { Figure } from '../figure.js'
import { GREEDY_KINDS, type GreedyResult } from '../greedy-clients.js'
import { type RunningServer, residentMegabytes, startGreedyClients, startLedger } from '../programs.js'
import { Times, type TimesSummary } from '../statistics.js'
import { BEGINNING } from '../walk-plan.js'

/** After this time, the caller counts the request as failed. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 20
const SAMPLE_MS = 100
/** Together they exceed the size of a page. */
const LARGE_EVENTS = { count: 600, payloadBytes: 32_000, batch: 150 }
const DELIVERY_HEADERS = { 'content-type': 'application/json' }

/** The requests of one honest caller, which sends the next one when the previous answer has arrived. */
interface Caller {
  name: string
  agent: Agent
  /** The nth request of this caller. */
  make: (nth: number) => HonestRequest
}

interface HonestRequest {
  path: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer
  /** Subject of the event that the request records; unique to the request. */
  subjectId: string
}

interface CallerResult {
  name: string
  answered: number
  /** Number of failed requests by status or reason. */
  failed: Record<string, number>
  times: TimesSummary
}

/** The answer times of honest callers while others take all the connections, streams and answers that they can get. */
export async function measureGreedyClients({ workspace, options, progress }: Bench): Promise<Figure[]> {
  const settings = { EVENT_WEBHOOK_SECRET_CODE_A: DELIVERY_SECRET, EVENT_WEBHOOK_REQUIRE_VERIFIED: '1' }
  const server = await startLedger(workspace, await workspace.folder('greedy'), settings)
  await addLargeEvents(server)
  const before = (await residentMegabytes(server.pid)) ?? Number.NaN
  progress(`greedy clients: ${GREEDY_KINDS.map(kind => `${options.greedy[kind]} ${kind}`).join(', ')}`)

  const ending = new AbortController()
  const kept: string[] = []
  const callers = callersOf().map(caller => call(server, caller, ending.signal, kept))
  let peak = before
  const sampling = setInterval(() => {
    void residentMegabytes(server.pid).then(now => {
      peak = Math.max(peak, now ?? 0)
    })
  }, SAMPLE_MS)
  const greedy = await startGreedyClients(workspace, { port: server.port, counts: options.greedy })
  progress('every greedy client has been started')
  await setTimeout(options.quick ? 5_000 : 30_000)
  ending.abort()
  const results = await Promise.all(callers)
  clearInterval(sampling)
  const seen = await greedy.stop()
  progress('looking for every event that was acknowledged')
  const lost = await countLost(server, kept)
  await server.stop()
  return figuresOf({ results, seen, before, peak, lost })
}

function callersOf(): Caller[] {
  const events = new EventMaker()
  const deliver = deliveryMaker('code_a', 'mean')
  const kinds = [
    {
      what: 'POST',
      make: (index: number) => {
        const body = events.eventText(index)
        return { path: '/api/events', headers: DELIVERY_HEADERS, body, subjectId: String(index) }
      },
    },
    {
      what: 'webhook',
      make: (index: number) => {
        const { path, headers, body } = deliver(index)
        return { path, headers: { ...DELIVERY_HEADERS, ...headers }, body, subjectId: String(index + 1) }
      },
    },
  ]
  return kinds.flatMap(({ what, make }, kind) =>
    [true, false].map((keepAlive, way) => ({
      name: `${what}, ${keepAlive ? 'kept connection' : 'new connections'}`,
      agent: new Agent({ keepAlive }),
      make: nth => make((2 * kind + way) * 1_000_000 + nth),
    })),
  )
}

async function call(
  { port }: RunningServer,
  { name, agent, make }: Caller,
  ending: AbortSignal,
  kept: string[],
): Promise<CallerResult> {
  const times = new Times()
  const failed: Record<string, number> = {}
  for (let nth = 0; !ending.aborted; nth++) {
    const startedAt = performance.now()
    const request = make(nth)
    const how = await send(port, agent, request)
    times.add(performance.now() - startedAt)
    if (how === '200' || how === '201') kept.push(request.subjectId)
    else failed[how] = (failed[how] ?? 0) + 1
    await setTimeout(PAUSE_MS)
  }
  agent.destroy()
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0)
  return { name, answered: times.count - failures, failed, times: times.summary() }
}

/** @returns the status, or the reason why there is none */
function send(port: number, agent: Agent, { path, headers, body }: HonestRequest): Promise<string> {
  return new Promise(resolve => {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const lengths = { 'content-length': String(Buffer.byteLength(body)) }
    const sending = request(
      { host: '127.0.0.1', port, agent, path, method: 'POST', headers: { ...headers, ...lengths }, signal },
      response => {
        response.resume()
        response.once('end', () => resolve(String(response.statusCode)))
        response.once('error', fail)
      },
    )
    const fail = (error: NodeJS.ErrnoException) => {
      resolve(signal.aborted ? 'no answer in time' : (error.code ?? error.message))
    }
    sending.once('error', fail)
    sending.end(body)
  })
}

async function addLargeEvents({ port }: RunningServer): Promise<void> {
  const { count, payloadBytes, batch } = LARGE_EVENTS
  const text = 'large '.repeat(payloadBytes / 6)
  for (let first = 0; first < count; first += batch) {
    const lines = Array.from({ length: batch }, (_, nth) =>
      JSON.stringify({ kind: 'page.kept', subject_type: 'page', subject_id: `${first + nth}`, payload: { text } }),
    )
    const answer = await fetch(`http://127.0.0.1:${port}/api/events`, {
      method: 'POST',
      body: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    })
    if (!answer.ok) throw new Error(`A batch was answered with ${answer.status}.`)
    await answer.text()
  }
}

async function countLost({ port }: RunningServer, subjectIds: readonly string[]): Promise<number> {
  const stored = new Set<string>()
  let page: { items: { subject_id: string }[]; next_since: string; has_more: boolean } | undefined
  while (!page || page.has_more) {
    const since = page?.next_since ?? BEGINNING
    const answer = await fetch(`http://127.0.0.1:${port}/api/events?limit=500&since=${since}`)
    if (!answer.ok) throw new Error(`A page was answered with ${answer.status}.`)
    page = (await answer.json()) as NonNullable<typeof page>
    for (const { subject_id } of page.items) stored.add(subject_id)
  }
  return subjectIds.filter(subjectId => !stored.has(subjectId)).length
}

function figuresOf(seen: {
  results: CallerResult[]
  seen: Record<string, GreedyResult>
  before: number
  peak: number
  lost: number
}): Figure[] {
  const of = (name: string) => `greedy clients: ${name}`
  const failures = (failed: Record<string, number>) => Object.values(failed).reduce((sum, count) => sum + count, 0)
  const reasons = (failed: Record<string, number>) => Object.entries(failed).map(([how, count]) => ` ${how} (${count})`)
  return [
    ...seen.results.flatMap(({ name, answered, failed, times }): Figure[] => [
      {
        what: of(`${name}, failed${reasons(failed)}`),
        value: failures(failed),
        unit: 'requests',
        yardstick: { what: 'answered', value: answered, unit: 'requests' },
        goal: { atMost: 0 },
        details: { failed, times },
      },
      {
        what: of(`${name}, p99`),
        value: times.p99,
        unit: 'ms',
        yardstick: { what: 'p50', value: times.p50, unit: 'ms' },
        goal: { atMost: 1_000 },
      },
    ]),
    { what: of('acknowledged and not in the ledger'), value: seen.lost, unit: 'requests', goal: { atMost: 0 } },
    {
      what: of('most memory'),
      value: seen.peak,
      unit: 'MB',
      goal: { atMost: 500 },
      details: seen.seen,
      yardstick: { what: 'before', value: seen.before, unit: 'MB' },
    },
  ]
}
