import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import type { EventToRecord } from '../../../src/store/event-store.js'
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/store.js'
import { keysOf, messageCreated } from '../../support/events.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  // Durable: what was acknowledged has to outlive a crash.
  const cluster = await TestCluster.start(t, programs, ['fsync=on'])
  const openTogether = async (count: number) => {
    const address = await cluster.emptyLedger(t)
    return Promise.all(Array.from({ length: count }, () => openPostgresStore({ address })))
  }

  /** Writes until `stop`, and repeats what failed, as senders do. @returns the keys that were acknowledged, in order */
  function keepWriting(stores: readonly PostgresStore[], name: string) {
    const acknowledged: string[] = []
    let isStopped = false
    const write = async () => {
      for (let at = 0; !isStopped; at++) {
        const key = `${name}/${at}`
        for (let isStored = false; !isStored && !isStopped; ) {
          const store = stores[at % stores.length] as PostgresStore
          isStored = await store.events.record([messageCreated(key)]).then(() => true, unavailable)
        }
        if (!isStopped) acknowledged.push(key)
      }
    }
    const written = write()
    return {
      acknowledged,
      stop: async () => {
        isStopped = true
        await written
      },
    }
  }

  async function unavailable(error: unknown): Promise<false> {
    if (!(error instanceof AppError) || error.category !== 'unavailable') throw error
    await sleep(20)
    return false
  }

  async function checkAll(t: Test, store: PostgresStore, acknowledged: readonly string[]) {
    const found = await store.events.verify({ since: null, limit: 100_000 })
    t.same(found.problems, [])
    const stored = new Set<string>()
    for (let since = 0, more = true; more; ) {
      const page = await store.events.query({ order: 'asc', limit: 500, since })
      const keys = keysOf(page)
      t.notOk(
        keys.some(key => stored.has(key)),
        'once',
      )
      for (const key of keys) stored.add(key)
      since = page.nextSince ?? since
      more = page.hasMore
    }
    t.same(
      acknowledged.filter(key => !stored.has(key)),
      [],
      'nothing acknowledged is lost',
    )
    t.equal((await store.events.stats()).event_count, stored.size)
  }

  t.test('ten servers start at the same time on an empty database', async t => {
    const stores = await openTogether(10)
    await Promise.all(stores.map((store, at) => store.events.record([messageCreated(String(at))])))
    t.match(await stores[0]?.events.stats(), { event_count: 10 })
    await Promise.all(stores.map(store => store.close()))
  })

  t.test(
    'connections are cut while two servers record: what fails is unavailable, and its repeat is stored',
    async t => {
      const stores = await openTogether(2)
      const writers = ['a', 'b', 'c', 'd'].map(name => keepWriting(stores, name))
      for (let cut = 0; cut < 8; cut++) {
        await sleep(40)
        await cluster.sql(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'daybook%'`)
      }
      await sleep(100)
      await Promise.all(writers.map(writer => writer.stop()))
      await checkAll(
        t,
        stores[0] as PostgresStore,
        writers.flatMap(({ acknowledged }) => acknowledged),
      )
      await Promise.all(stores.map(store => store.close()))
    },
  )

  t.test('PostgreSQL is killed and started again: servers go on, and nothing acknowledged is lost', async t => {
    const stores = await openTogether(2)
    const writers = ['a', 'b', 'c'].map(name => keepWriting(stores, name))
    for (let crash = 0; crash < 2; crash++) {
      await sleep(300)
      await cluster.stop('SIGKILL')
      await sleep(100)
      await cluster.launch()
    }
    await sleep(300)
    await Promise.all(writers.map(writer => writer.stop()))
    await checkAll(
      t,
      stores[1] as PostgresStore,
      writers.flatMap(({ acknowledged }) => acknowledged),
    )
    await Promise.all(stores.map(store => store.close()))
  })

  t.test('a lease has one holder; who lost it records nothing more under it', async t => {
    const [one, two] = (await openTogether(2)) as [PostgresStore, PostgresStore]
    const captured = (key: string, lease: EventToRecord['matches'][number]['lease']): EventToRecord => {
      return { ...messageCreated(key), matches: [{ id: 'watch', ...(lease ? { lease } : {}) }] }
    }
    const first = await one.shared.acquireLease('watch', 0.3)
    t.same(first, { name: 'watch', fence: 1 })
    t.equal(await two.shared.acquireLease('watch', 30), undefined)
    await one.events.record([captured('1', first)])
    await sleep(350)
    const second = await two.shared.acquireLease('watch', 30)
    t.same(second, { name: 'watch', fence: 2 })
    t.equal(await one.shared.renewLease(first as NonNullable<typeof first>, 30), false)
    await t.rejects(one.events.record([captured('2', first)]), { category: 'conflict', code: 'lease_lost' })
    await two.events.record([captured('3', second)])
    t.same(keysOf(await one.events.query({ order: 'asc', limit: 10, since: 0 })), ['1', '3'])
    await two.shared.releaseLease(second as NonNullable<typeof second>)
    t.match(await one.shared.acquireLease('watch', 30), { fence: 3 })
    await Promise.all([one.close(), two.close()])
  })

  t.test('a search whose caller has left is cancelled in the database', async t => {
    const [store] = (await openTogether(1)) as [PostgresStore]
    const texts = Array.from({ length: 400 }, (_, at) =>
      messageCreated(String(at), { payload: { text: 'x'.repeat(20_000) } }),
    )
    await store.events.record(texts)
    const gone = new AbortController()
    const answer = store.events.query({ order: 'asc', limit: 10, since: 0, search: ['zz'] }, gone.signal)
    setTimeout(() => gone.abort(new Error('gone')), 5)
    await t.rejects(answer, { message: 'gone' })
    t.equal((await store.events.query({ order: 'asc', limit: 10, since: 0 })).count, 10, 'and others go on')
    await store.close()
  })
}
