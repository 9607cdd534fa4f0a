import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { shownAddress } from '../../src/model/postgres-address.js'
import { eventOf, readAll } from '../runtime/postgres/three-servers.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { ownFolder } from './own-folder.js'
import { consume } from './polling-consumer.js'
import { startServer } from './running-server.js'

/** Servers that are killed in turn; one more, in the process of the test, is not. */
const SERVERS = 2
/** Few by default; a long run sets hundreds. */
const KILLS = Number(process.env.DAYBOOK_TEST_ROUNDS ?? 2)
const WRITERS = 8
/** Of each writer, around each kill. */
const EVENTS = 15
const LAST_KEY = 'the last one'
const SOURCES = ['notes', 'lamps', 'doors']
const FILTERS = ['limit=37', 'source=notes&limit=5', 'q=note&source=notes&limit=100']

t.setTimeout(600_000 + KILLS * 30_000)

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else
  t.test(
    'servers on one PostgreSQL are killed under load: each event is stored once, and consumers miss none',
    async t => {
      const cluster = await TestCluster.shared(t, programs)
      const database = shownAddress(await cluster.emptyLedger(t))
      const servers = await Promise.all(Array.from({ length: SERVERS }, () => startServer(t, { database })))
      const { url: steady } = await serveHere(t, { home: ownFolder(t), db: database, only: 'ledger' })
      let asked = 0
      const url = () => [...servers.map(server => server.url), steady][asked++ % (SERVERS + 1)] ?? ''
      const acknowledged: string[] = []
      const isLast = (key: string) => key === LAST_KEY
      const consumers = FILTERS.map(query => consume(t, { query, url, isLast }))
      for (let round = 0; round < KILLS; round++) {
        const write = async (writer: number) => {
          for (let at = 0; at < EVENTS; at++) {
            const key = `${round}/${writer}/${at}`
            // Sends like a real sender: to another server until one of them answers.
            while (!(await post(url(), key, SOURCES[at % SOURCES.length]))) asked++
            acknowledged.push(key)
          }
        }
        const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
        while (acknowledged.length < (round + 1 / 3) * WRITERS * EVENTS) await sleep(1)
        await servers[round % SERVERS]?.kill()
        await writing
        if (round < KILLS - 1) servers[round % SERVERS] = await startServer(t, { database })
      }
      while (!(await post(url(), LAST_KEY, SOURCES[0]))) asked++
      const events = await readAll(steady)
      const stored = events.map(event => event.dedupe_key)
      t.equal(acknowledged.length, KILLS * WRITERS * EVENTS)
      t.equal(new Set(stored).size, stored.length)
      t.same(
        acknowledged.filter(key => !stored.includes(key)),
        [],
      )
      const [all, some, few] = await Promise.all(consumers)
      t.same(all, stored)
      const ofSource = events.filter(({ source }) => source === SOURCES[0])
      for (const seen of [some, few])
        t.same(
          seen,
          ofSource.map(event => event.dedupe_key),
        )
      t.comment(`${KILLS} kills, ${stored.length} events`)
    },
  )

/** @returns whether it was acknowledged */
async function post(url: string, key: string, source = ''): Promise<boolean> {
  const body = JSON.stringify(eventOf(key, { source, payload: { said: `note ${key}` } }))
  const headers = { 'content-type': 'application/json' }
  try {
    const response = await fetch(`${url}/api/events`, { method: 'POST', headers, body })
    await response.text()
    return response.ok
  } catch {
    await sleep(5) // it was killed
    return false
  }
}
