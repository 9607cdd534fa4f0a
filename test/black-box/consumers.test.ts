import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readTimestamp } from '../../src/model/timestamp.js'
import { entry, type Recorded, readAll, toLines } from './entries.js'
import { HttpClient } from './http-client.js'
import { consume } from './polling-consumer.js'
import { type RunningServer, startServer } from './running-server.js'
import { SEED, seeded, wholeNumber } from './seeded.js'
import { consumeStream } from './stream-consumer.js'
import { testedStores } from './tested-stores.js'

const STEPPING_CLOCK = fileURLToPath(new URL('./programs/stepping-clock.js', import.meta.url))
const WRITERS = 8
const TURNS = 12
/** The stores' own tests have pages of one event. */
const PAGE_SIZES = [7, 500]
const SOURCES = ['chat', 'forum', 'code_a']
const KINDS = ['message.created', 'message.updated', 'reply.created']
const HOUR_US = 3_600_000_000
const LAST_KEY = 'the last one'
const isLast = (key: string) => key === LAST_KEY

/** Each query with the events that match it; the last event matches all queries. */
const FILTERS: {
  query: string
  covers: (event: { source: string; kind: string; actor: { id: string } }) => boolean
}[] = [
  { query: 'source=chat', covers: event => event.source === 'chat' },
  { query: 'kind=message.*', covers: event => event.kind.startsWith('message.') },
  { query: 'actor=7&q=green', covers: event => event.actor.id === '7' },
]

t.setTimeout(600_000)

for (const { name, isShared, newDatabase } of await testedStores(t)) {
  t.test(`eight writers, filtered consumers, a stream, a long poll, and a clock set back: ${name}`, async t => {
    const database = await newDatabase(t)
    // Where servers share the ledger, every request goes to another one.
    const others = isShared ? [startServer(t, { database }), startServer(t, { database })] : []
    const server = await startServer(t, { database, preload: STEPPING_CLOCK })
    const servers = [server, ...(await Promise.all(others))]
    let asked = 0
    const url = () => servers[asked++ % servers.length]?.url ?? ''
    const consumers = PAGE_SIZES.flatMap(limit =>
      FILTERS.map(({ query, covers }) => ({
        covers,
        name: `${query}, limit ${limit}`,
        query: `${query}&limit=${limit}`,
      })),
    )
    const waiting = { covers: () => true, name: 'long poll', query: 'wait=20&limit=50' }
    const polled = [...consumers, waiting].map(async ({ name, covers, query }) => ({
      name,
      covers,
      seen: await consume(t, { query, url, isLast }),
    }))
    const streamed = consumeStream(t, { url: server.url, random: seeded(SEED), longest: 300, isLast })

    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(url(), writer)))
    await untilRecorded(server, 100)
    await setClockBack(server)
    const acknowledged = (await writing).flat()
    const { head, next } = await afterTheStep(server)
    if (isShared) t.ok(next > head && next - head < HOUR_US, 'the clock of the database counts')
    else t.equal(next, head + 1, 'the clock is an hour behind, and the ledger moves on by the least there is')
    await server.http.post('/api/events', entry(LAST_KEY, { actor: { id: '7', display: 'Ada' } }))

    const events = await readAll(server.http)
    const keys = events.map(event => event.dedupe_key)
    t.equal(new Set(keys).size, keys.length, 'no event is there twice')
    t.same(
      acknowledged.filter(({ key, at }) => events.find(event => event.dedupe_key === key)?.captured_at !== at),
      [],
    )
    t.equal(acknowledged.length, keys.length - 3)
    for (const { name, covers, seen } of await Promise.all(polled)) {
      t.ok(seen.length > 50)
      t.same(
        seen,
        events.filter(covers).map(event => event.dedupe_key),
        name,
      )
    }
    const { seen, cuts } = await streamed
    t.same(seen, keys, `the stream, with ${cuts} cuts`)
    t.ok(cuts > 0)
  })
}

/** Single events and batches in turns, some of them sent twice. */
async function write(url: string, writer: number): Promise<{ key: string; at: string }[]> {
  const http = new HttpClient(url)
  const random = seeded(SEED + writer)
  const acknowledged: { key: string; at: string }[] = []
  for (let turn = 0; turn < TURNS; turn += 1) {
    const batch = Array.from({ length: wholeNumber(random, 1, 9) }, (_, n) =>
      entry(`${writer}/${turn}/${n}`, {
        source: SOURCES[wholeNumber(random, 0, 2)],
        kind: KINDS[wholeNumber(random, 0, 2)],
        actor: { id: String(wholeNumber(random, 6, 8)), display: 'Ada' },
      }),
    )
    const [first] = batch
    const answer =
      batch.length === 1
        ? await http.post('/api/events', first)
        : await http.post('/api/events', toLines(batch), { type: 'application/x-ndjson' })
    const body = answer.json<Recorded & { results?: Recorded[] }>()
    for (const { dedupe_key, captured_at } of body.results ?? [body])
      acknowledged.push({ key: dedupe_key, at: captured_at })
    if (random() < 0.2) await http.post('/api/events', first)
    await sleep(wholeNumber(random, 0, 15))
  }
  http.close()
  return acknowledged
}

async function untilRecorded({ http }: RunningServer, events: number): Promise<void> {
  while ((await http.get('/api/stats')).json<{ event_count: number }>().event_count < events) await sleep(5)
}

async function setClockBack(server: RunningServer): Promise<void> {
  server.signal('SIGUSR2')
  while (!server.log().includes('the clock was set back')) await sleep(2)
}

/** Time between the last two events, without another writer. Microseconds. */
async function afterTheStep({ http }: RunningServer): Promise<{ head: number; next: number }> {
  const [head, next] = [await recordOne(http, 'before the last'), await recordOne(http, 'next to the last')]
  return { head, next }
}

async function recordOne(http: HttpClient, key: string): Promise<number> {
  const { captured_at } = (await http.post('/api/events', entry(key))).json<Recorded>()
  return readTimestamp('captured_at', captured_at).micros
}
