import { readdirSync } from 'node:fs'
import pino from 'pino'
import t from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import { eventsOf } from '../../../src/model/events/event-query.js'
import { RetentionSchedule } from '../../../src/runtime/retention/retention-schedule.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { keysOf, messageCreated } from '../../support/events.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { testFolder } from '../../support/test-folder.js'

const NOON = 1_800_000_000_000_000
const DAY = 86_400_000_000

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  t.test('one of two servers archives and removes old events, and both refuse checkpoints before them', async t => {
    const address = await cluster.emptyLedger(t)
    let now = NOON
    const open = async () => {
      const store = await openPostgresStore({ address, clock: () => now })
      return { store, ledger: await Ledger.open({ store, clock: () => now, newSubscriptionId: () => 'sub_1' }) }
    }
    const servers = [await open(), await open()] as const
    const [{ store, ledger }, other] = servers
    const old = Array.from({ length: 250 }, (_, at) => messageCreated(`old:${at}`))
    await store.events.record(old)
    now += 9 * DAY
    await store.events.record([messageCreated('new')])

    const archive = testFolder(t)
    const settings = { days: 5, archive }
    const logger = pino({ level: 'silent' })
    const schedules = servers.map(({ ledger, store }) => {
      return new RetentionSchedule({ settings, ledger, leases: store.multiServer, logger, now: () => now })
    })
    while ((await ledger.query({ order: 'asc', limit: 10 })).prunedThrough === null) await new Promise(setImmediate)
    await Promise.all(schedules.map(schedule => schedule.stop()))

    const page = await other.ledger.query({ order: 'asc', limit: 10 })
    t.match(eventsOf(page), [{ dedupe_key: 'new' }, { kind: 'ledger.erased', payload: { count: 250 } }])
    t.equal(page.count, 2, 'it is recorded once')
    t.equal(readdirSync(archive).length, 1)
    await t.rejects(other.ledger.query({ order: 'asc', limit: 10, since: NOON }), { code: 'pruned' })
    t.match(await other.ledger.histogram({ from: NOON, buckets: 2 }), { count: 2 })
    const rows = async () =>
      (await cluster.sql(`SELECT count(*)::int AS count FROM ${address.schema}.events`))[0]?.count
    while (Number(await rows()) > 2) await new Promise(setImmediate)
    t.match(await other.ledger.histogram({ from: NOON, buckets: 2 }), { count: 2 }, 'also after the rows are gone')
    t.match(await store.events.verify({ since: null, limit: 1_000 }), { events: 252, problems: { length: 0 } })
    t.match(await store.events.record([messageCreated('old:7')]), [{ created: false, seenCount: 2 }])
    await Promise.all(servers.map(({ store }) => store.close()))
  })

  t.test('all events of an actor are erased in steps, and no search finds them on any server', async t => {
    const address = await cluster.emptyLedger(t)
    const stores = [await openPostgresStore({ address }), await openPostgresStore({ address })] as const
    const [store, other] = stores
    const ledger = await Ledger.open({ store, clock: () => Date.now() * 1_000, newSubscriptionId: () => 'sub_1' })
    const actor = { id: '99', display: 'Zoe', metadata: {} }
    const events = Array.from({ length: 70 }, (_, at) =>
      messageCreated(`z:${at}`, { actor, payload: { note: 'zebra' } }),
    )
    await store.events.record([...events, messageCreated('a')])
    let [erased, steps] = [0, 0]
    for (let more = true; more; steps++) {
      const step = await ledger.erasures.erase({ actor: '99', reason: 'asked for' }, 'root')
      erased += step.erased
      more = step.has_more
    }
    t.same({ erased, steps }, { erased: 70, steps: 2 })
    for (const filter of [{ actors: ['99'] }, { actors: ['Zoe'] }, { search: ['zebra'] }]) {
      t.same(keysOf(await other.events.query({ order: 'asc', limit: 10, since: 0, ...filter })), [])
    }
    const left = await cluster.sql(`
      SELECT count(*)::int AS count FROM ${address.schema}.events
      WHERE body || said || facets::text || subject_id ~* 'zebra|zoe|actor=99'`)
    t.same(left, [{ count: 0 }])
    await Promise.all(stores.map(store => store.close()))
  })
}
