import pino from 'pino'
import t from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import { feedAt } from '../../../src/platforms/defined/presets/feed.js'
import { FeedSchedule } from '../../../src/runtime/sources/feed-schedule.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { rss, serveFeeds } from '../../support/feed-server.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  t.test('one of two servers reads the feeds, and the other one takes over when it stops', async t => {
    const address = await cluster.emptyLedger(t)
    const { answers, asked, url } = await serveFeeds(t)
    answers.set('/news', { body: rss('1') })
    const open = async () => {
      const store = await openPostgresStore({ address })
      const clock = () => Date.now() * 1_000
      return { store, ledger: await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' }) }
    }
    const servers = [await open(), await open()] as const
    const [{ ledger }] = servers
    await ledger.sources.save('news', { definition: { name: 'news', ...feedAt(url('/news')) } })
    const turns = [0, 0]
    const schedules = servers.map(({ ledger, store }, at) => {
      const feeds: typeof ledger.feeds.readDue = async (...asked) => {
        await ledger.feeds.readDue(...asked)
        turns[at] = (turns[at] ?? 0) + 1
      }
      const logger = pino({ level: 'silent' })
      return new FeedSchedule({ feeds: { readDue: feeds }, leases: store.multiServer, logger, checkMs: 10 })
    })
    const recorded = async () => (await ledger.query({ order: 'asc', limit: 10 })).count
    while ((await recorded()) === 0) await new Promise(setImmediate)
    while (Math.max(...turns) < 12) await new Promise(setImmediate)
    t.equal(asked.length, 1, 'what was read is remembered between the turns')
    t.equal(Math.min(...turns), 0)
    const reading = turns.findIndex(count => count > 0)
    const other = 1 - reading
    const show = () => Promise.all(servers.map(({ ledger }) => ledger.sources.get('news')))
    let shown = await show()
    // It is noted after its events are recorded; turns of the other lane do not wait for that.
    while (shown.some(source => source?.feed === undefined)) shown = await show()
    t.match(shown[0], { feed: { read_at: /Z$/ } })
    t.same(shown[0], shown[1], 'all servers show when it was read')
    await schedules[reading]?.stop()
    while ((turns[other] ?? 0) < 2) await new Promise(setImmediate)
    await schedules[other]?.stop()
    t.equal(asked.length, 1, 'and the next one reads it when it is due')
    t.equal(await recorded(), 1)
    await Promise.all(servers.map(({ store }) => store.close()))
  })
}
