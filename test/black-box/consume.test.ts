import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { freePort } from '../support/free-port.js'
import { firstDeliveries, hasPython, KINDS, KilledConsumer } from './killed-consumers.js'
import { ownFolder } from './own-folder.js'
import { startServer } from './running-server.js'
import { SEED, seeded } from './seeded.js'
import { type TestedStore, testedStores } from './tested-stores.js'

/** Of each consumer. `KILLS=100 node dist/test/run.js dist/test/black-box/consume.test.js` takes some minutes. */
const KILLS = Number(process.env.KILLS ?? 1)
const SUBJECTS = 12
const BATCH = 10
/** Events are recorded until the last kill, so that every instance has work. */
const WRITE_EVERY_MS = 100
/** For the slowest consumer. */
const MOST_WAITING = 300

t.setTimeout(600_000 + KILLS * 20_000)

/** The kinds differ in the client, which does not know the store. */
const KINDS_OF: Record<TestedStore['name'], readonly string[]> = { SQLite: Object.keys(KINDS), PostgreSQL: ['shell'] }

for (const { name, newDatabase } of await testedStores(t)) {
  t.test(`consumers miss no event and keep the order when they or their server are killed: ${name}`, async t => {
    const kinds = KINDS_OF[name].filter(kind => kind !== 'python' || hasPython())
    if (kinds.length < KINDS_OF[name].length) {
      if (process.env.CI === 'true') throw new Error('python3 is missing.')
      console.error('\n*** SKIPPED: the consumer in Python, because python3 is missing. ***\n')
    }
    await killConsumers(t, kinds, await newDatabase(t))
  })
}

async function killConsumers(t: Test, kinds: readonly string[], database: string): Promise<void> {
  const folder = ownFolder(t)
  const random = seeded(SEED)
  const port = await freePort()
  let server = await startServer(t, { home: folder, database, port })
  const consumers = kinds.map(kind => new KilledConsumer(t, kind, () => server, folder))
  let written = 0
  const write = async () => {
    const lines = Array.from({ length: BATCH }, () => {
      const number = written++
      const common = { source: 'demo', kind: 'a.b', subject_type: 'x', subject_id: String(number % SUBJECTS) }
      return JSON.stringify({ ...common, dedupe_key: `key-${number}` })
    })
    const { status, text } = await server.http.post('/api/events', lines.join('\n'), { type: 'application/x-ndjson' })
    if (status !== 200) throw new Error(`The events were not recorded: ${text}`)
  }
  let isKilling = true
  const killing = Promise.all(
    consumers.map(async consumer => {
      while (consumer.kills < KILLS) await consumer.killOnce(random)
      consumer.start()
    }),
  ).finally(() => {
    isKilling = false
  })
  while (isKilling) {
    if (consumers.every(consumer => written - consumer.count() < MOST_WAITING)) await write()
    await setTimeout(WRITE_EVERY_MS)
  }
  await killing

  const standby = new KilledConsumer(t, 'shell', () => server, folder)
  standby.start()
  await write()
  await server.kill()
  server = await startServer(t, { home: folder, database, port })
  await write()
  await Promise.all([...consumers, standby].map(consumer => consumer.finish(written)))
  for (const [at, consumer] of consumers.entries()) {
    const delivered = consumer.delivered()
    const first = firstDeliveries(delivered)
    t.equal(first.length, written, `${kinds[at]}: every event`)
    for (let subject = 0; subject < SUBJECTS; subject++) {
      const own = first.filter(({ subject_id }) => subject_id === String(subject))
      const numbers = own.map(({ dedupe_key }) => Number(dedupe_key.slice('key-'.length)))
      t.same(
        numbers,
        [...numbers].sort((a, b) => a - b),
        `${kinds[at]}: the order of subject ${subject}`,
      )
    }
    const doubles = delivered.length - written
    t.comment(`${kinds[at]}: ${written} events, ${consumer.kills} kills, ${doubles} doubles`)
    t.ok(doubles <= (consumer.kills + 2) * 500, `${kinds[at]}: only what was not acknowledged comes again`)
  }
}
