import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { CrashTest } from './crash-test.js'
import { entry, type Recorded, readAll } from './entries.js'
import { filesBeside } from './own-folder.js'
import { overlaps } from './owner-spans.js'
import { consume } from './polling-consumer.js'
import { SEED, wholeNumber } from './seeded.js'
import { readStoredFile } from './stored-file.js'

/** Few by default; a long run sets hundreds. */
const ROUNDS = Number(process.env.DAYBOOK_TEST_ROUNDS ?? 2)
const LAST_KEY = 'the last one'

t.setTimeout(600_000 + ROUNDS * 30_000)
t.comment(`seed ${SEED}, ${ROUNDS} rounds`)

t.test('kill -9 under load loses no acknowledged event, and the next start needs no manual repair', async t => {
  const crash = new CrashTest(t)
  let server = await crash.start()
  const consumer = consume(t, { query: 'limit=37', url: () => server.url, isLast: key => key === LAST_KEY })
  for (let round = 1; round <= ROUNDS; round += 1) {
    await crash.loadAndKill(server, round)
    // Damage is permanent, so checks after some rounds and at the end find it.
    if (crash.random() < 0.3) await crash.check(`round ${round}`)
    if (crash.random() < 0.3) await crash.killWhileStarting()
    server = await crash.start()
    t.same(await crash.compare(server), [], `after kill ${round}`)
  }
  crash.sentEvents.attempt(LAST_KEY)
  crash.sentEvents.acknowledge((await server.http.post('/api/events', entry(LAST_KEY))).json<Recorded>())
  const seen = await consumer
  const events = await readAll(server.http)
  t.same(
    seen,
    events.map(event => event.dedupe_key),
    'a consumer that polled through it all saw each event once, in order',
  )
  t.equal(crash.epochs.size, 1, 'it is the same ledger throughout')
  t.match(await server.stop(), { code: 0 })
  await crash.settleOwners()
  t.same(filesBeside(crash.database), [])
  const stored = readStoredFile(crash.database)
  t.same(stored.problems, [])
  t.same(
    stored.bodies.map(body => JSON.parse(body)),
    events,
    'each row holds the complete event',
  )
  t.same(overlaps(crash.spans), [], 'never two owners')
  t.comment(
    `${crash.sentEvents.acknowledged} events acknowledged, ${crash.spans.length} owners, slowest start ${crash.slowestStart} ms`,
  )
})

t.test('a ledger starts again after kill -9 of a stopping server', async t => {
  const crash = new CrashTest(t)
  for (let round = 1; round <= Math.ceil(ROUNDS / 3); round += 1) {
    const server = await crash.start()
    t.same(await crash.compare(server), [])
    const load = crash.load(server, `stop ${round}`)
    await sleep(wholeNumber(crash.random, 20, 200))
    server.signal('SIGTERM')
    await sleep(wholeNumber(crash.random, 0, 60))
    await server.kill()
    await load.ended
  }
  await crash.check('at the end')
  t.same(readStoredFile(crash.database).problems, [])
})
