import { request } from 'node:http'
import type { Bench } from '../bench.js'
import { DELIVERY_SECRET, type Delivery, largestDelivery } from '../deliveries.js'
import type { Figure } from '../figure.js'
import {
  DELIVERY_SOURCES,
  type DeliverySize,
  type DeliverySource,
  type LoadPlan,
  type LoadResult,
  type Work,
} from '../load-plan.js'
import { prepareLoad, type RunningServer, runLoad, startLedger } from '../programs.js'
import { measureFresh } from './posts.js'

const CONNECTIONS = 64
/** Number of unverified deliveries of 1 MB that may wait. */
const LARGE_CONNECTIONS = 16
/** More deliveries of mean size than a ledger records here. Large ones are prepared while measuring. */
const EXPECTED_RATE = 12_000
const LARGEST_TIMES = 3
const OTHERS_GOAL_MS = 100
/** From the first byte of a largest delivery until well after its answer, while it is indexed. */
const OTHERS_MEASURED_MS = 8_000

type DeliveryWork = Extract<Work, { kind: 'deliveries' | 'payloads' }>

/** Every delivery has to prove itself. */
export const WEBHOOK_SETTINGS = {
  ...Object.fromEntries(
    DELIVERY_SOURCES.map(source => [`EVENT_WEBHOOK_SECRET_${source.toUpperCase()}`, DELIVERY_SECRET]),
  ),
  EVENT_WEBHOOK_REQUIRE_VERIFIED: '1',
}

/**
 * Deliveries of each platform, compared with plain events with the same payload, whose size costs most; and the effect
 * of the largest delivery on all other clients.
 */
export async function measureWebhooks(bench: Bench): Promise<Figure[]> {
  const plain = await plainRate(bench)
  const figures: Figure[] = []
  for (const size of ['mean', 'megabyte'] as const) {
    for (const source of DELIVERY_SOURCES) figures.push(...(await measureDeliveries(bench, { source, size, plain })))
  }
  return [...figures, ...(await measureOthers(bench))]
}

async function plainRate(bench: Bench): Promise<number> {
  const known = bench.postRates.get(CONNECTIONS)
  if (known !== undefined) return known
  bench.progress('one event a POST, to compare with')
  const { rate } = await measureFresh(bench, CONNECTIONS)
  return rate
}

async function measureDeliveries(
  bench: Bench,
  { source, size, plain }: { source: DeliverySource; size: DeliverySize; plain: number },
): Promise<Figure[]> {
  const what = `deliveries of ${source}, ${size === 'mean' ? 'mean size' : '1 MB'}, ${connectionsOf(size)} connections`
  bench.progress(what)
  const result = await measureLoad(bench, { kind: 'deliveries', source, size, first: 0 })
  bench.progress('the same payloads in plain events')
  const same = await measureLoad(bench, { kind: 'payloads', source, size, first: 0 })
  const value = result.rate
  const figure: Figure = {
    what,
    value,
    unit: 'requests/s',
    details: result,
    yardstick: { what: 'the payload in an event a POST', value: same.rate, unit: 'events/s' },
  }
  if (size !== 'mean') return [figure]
  return [
    { ...figure, goal: { atLeastTimes: 0.6 } },
    {
      what: `deliveries of ${source}, mean size, compared with small events`,
      value,
      unit: 'requests/s',
      yardstick: { what: 'one event a POST', value: plain, unit: 'events/s' },
    },
  ]
}

async function measureLoad(bench: Bench, work: DeliveryWork): Promise<LoadResult> {
  const server = await startReceiving(bench)
  const result = await runLoad(bench.workspace, deliveriesPlan(bench, server, work))
  await server.stop()
  return result
}

function deliveriesPlan({ options }: Bench, { port }: RunningServer, work: DeliveryWork): LoadPlan {
  const { warmupMs, measureMs } = options
  const expected = Math.round((EXPECTED_RATE * (warmupMs + measureMs)) / 1_000)
  return {
    port,
    connections: connectionsOf(work.size),
    warmupMs,
    measureMs,
    requests: 100 * expected,
    work,
    prepare: work.size === 'mean' ? expected : 0,
  }
}

function connectionsOf(size: DeliverySize): number {
  return size === 'mean' ? CONNECTIONS : LARGE_CONNECTIONS
}

/** The slowest answers to others while largest deliveries are received, stored and indexed. */
async function measureOthers(bench: Bench): Promise<Figure[]> {
  bench.progress('other requests while deliveries of 25 MB are taken')
  const server = await startReceiving(bench)
  const bounds = { port: server.port, connections: 1, warmupMs: 0, measureMs: OTHERS_MEASURED_MS, requests: 1_000_000 }
  const reading = await prepareLoad(bench.workspace, {
    ...bounds,
    prepare: 1,
    pauseMs: 2,
    work: { kind: 'reads', paths: ['/api/events?limit=1&source=chat', '/api/health'] },
  })
  const posting = await prepareLoad(bench.workspace, {
    ...bounds,
    prepare: 1_000,
    pauseMs: 2,
    work: { kind: 'events', first: 0 },
  })
  const deliveries = Array.from({ length: LARGEST_TIMES }, (_, index) => largestDelivery(index))
  const others = Promise.all([reading.run(), posting.run()])
  for (const delivery of deliveries) await deliver(server, delivery)
  const [read, posted] = await others
  await server.stop()
  const goal = { atMost: OTHERS_GOAL_MS }
  const name = 'while deliveries of 25 MB are taken'
  return [
    { what: `GET ${name}: the slowest`, value: read.times.max, unit: 'ms', goal, details: read },
    { what: `POST ${name}: the slowest`, value: posted.times.max, unit: 'ms', goal, details: posted },
  ]
}

async function startReceiving({ workspace }: Bench): Promise<RunningServer> {
  return startLedger(workspace, await workspace.folder('webhooks'), WEBHOOK_SETTINGS)
}

function deliver({ port }: RunningServer, { path, headers, body }: Delivery): Promise<void> {
  return new Promise((resolve, reject) => {
    const sending = request({ port, path, method: 'POST', headers: { ...headers, 'content-length': body.length } })
    sending.on('error', reject)
    sending.on('response', response => {
      response.resume()
      if (response.statusCode === 200) response.on('end', resolve)
      else reject(new Error(`A delivery of ${body.length} bytes was answered with ${response.statusCode}.`))
    })
    sending.end(body)
  })
}
