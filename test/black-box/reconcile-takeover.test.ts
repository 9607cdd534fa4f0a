import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Ledger } from '../../src/ledger/ledger.js'
import { eventsOf } from '../../src/model/events/event-query.js'
import type { ReconcileStatus } from '../../src/model/platforms/reconciliation.js'
import { type PostgresAddress, shownAddress } from '../../src/model/postgres-address.js'
import { pause } from '../../src/runtime/pause.js'
import { ReconcileSchedule, type ReconcileScheduleParts } from '../../src/runtime/reconcile/reconcile-schedule.js'
import { Reconciliations } from '../../src/runtime/reconcile/reconciliations.js'
import { StoredReports } from '../../src/runtime/reconcile/stored-reports.js'
import { openPostgresStore } from '../../src/store/postgres/store.js'
import { ask, type Page } from '../runtime/postgres/three-servers.js'
import { issueOpened } from '../runtime/reconcile/reconcile-rig.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { freePort } from '../support/free-port.js'
import { listingPlatform } from '../support/listing-platform/listing-platform.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { ownFolder } from './own-folder.js'
import { startServer } from './running-server.js'

const FLAGS = ['--log-level', 'silent']
const ADMIN_TOKEN = 'an-admin-token-of-the-test'
const BY_ADMIN = { 'x-event-admin-token': ADMIN_TOKEN }

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  t.test(
    'when the comparing server is killed, another one compares after the lease, and repeats no request for a delivery',
    async t => {
      const { address, env, github, port, release } = await heldPlatform(t)
      const database = shownAddress(address)
      const one = await startServer(t, { database, env, flags: FLAGS })
      while (github.asked.length === 0) await sleep(10)
      const two = await serveHere(t, {
        home: ownFolder(t),
        env: { ...env, EVENT_DB: database },
        only: 'ledger',
        port: String(port),
      })
      const status = async ({ url }: { url: string } = two) => {
        const { body } = await ask<ReconcileStatus>(`${url}/api/reconciliations`, { headers: BY_ADMIN })
        return body
      }
      const run = () =>
        ask(`${two.url}/api/reconciliations/run`, { method: 'POST', body: { dry_run: false }, headers: BY_ADMIN })
      // Until it has found the lease taken, it shows a run of its own.
      while (!(await status(one)).running) await sleep(10)
      const { running } = await status(one)
      while ((await status()).running?.since !== running?.since) await sleep(10)
      t.match(await status(), { running: { dry_run: false }, last: null }, 'it shows the run of the other server')
      t.match(await run(), { status: 409, body: { code: 'reconcile_running' } })
      await one.kill()
      t.match(await run(), { status: 409 }, 'the killed server still has the right')
      t.match(await status(), { running: { dry_run: false } })
      t.equal(github.asked.length, 1)
      release()
      await endLease(address)
      t.match(await status(), { running: null, last: null })
      t.match(await run(), { status: 202, body: { running: { dry_run: false } } })
      while ((await status()).running) await sleep(10)
      t.match((await status()).last, { hooks: [{ listed: 3, fetched: 2, redelivered: 1, missing: 0 }] })
      const { body } = await ask<Page>(`${two.url}/api/events?order=asc`, { headers: BY_ADMIN })
      t.same(
        body.items.map(({ seen_count }) => seen_count),
        [1, 1, 1],
      )
      t.equal(github.asked.filter(({ method }) => method === 'POST').length, 1, 'one redelivery')
      await two.close()
    },
  )

  t.test('the schedule of another server continues when the lease of a killed one expires, and no earlier', async t => {
    const { address, env, github, release } = await heldPlatform(t)
    const one = await startServer(t, { database: shownAddress(address), env, flags: FLAGS })
    while (github.asked.length === 0) await sleep(10)
    await one.kill()

    const store = await openPostgresStore({ address })
    t.teardown(() => store.close())
    const clock = () => Date.now() * 1_000
    const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub' })
    const { multiServer } = store
    let looks = 0
    const leases: NonNullable<ReconcileScheduleParts['leases']> = {
      acquireLease: (...asked) => {
        looks++
        return multiServer.acquireLease(...asked)
      },
      renewLease: (...asked) => multiServer.renewLease(...asked),
      releaseLease: (...asked) => multiServer.releaseLease(...asked),
    }
    const schedule = new ReconcileSchedule({
      reconciliations: new Reconciliations({ ledger, now: Date.now, sleep: pause, receives: false }),
      reports: new StoredReports(store.notes, multiServer),
      hooks: [github.hook],
      headAtOpen: null,
      now: clock,
      leases,
      pace: { everyMs: 3_600_000, retryMs: 10 },
      logger: { info: () => {}, warn: () => {}, error: () => {} } as unknown as ReconcileScheduleParts['logger'],
    })
    t.teardown(() => schedule.stop())
    while (looks < 5) await sleep(10)
    t.equal(github.asked.length, 1, 'while the lease of the killed server lasts, the platform is not asked')
    release()
    await endLease(address)
    while ((await ledger.stats()).event_count < 2) await sleep(10)
    t.ok((await readEvents(ledger)).every(({ seen_count }) => seen_count === 1))
  })

  /** A platform that lists three missed deliveries, one without its payload, and does not answer its first request. */
  async function heldPlatform(t: Test) {
    const address = await cluster.emptyLedger(t)
    const port = await freePort()
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    const github = await listingPlatform(t, {
      source: 'code_a',
      receiver: `http://127.0.0.1:${port}/webhooks/code_a`,
      onAsked: ({ index }) => (index === 0 ? released : undefined),
    })
    t.teardown(() => release())
    for (const number of [1, 2]) github.note(issueOpened(number))
    github.note(issueOpened(3), { isBodiless: true })
    const env = {
      EVENT_RECONCILE: 'on',
      EVENT_RECONCILE_HOOKS_CODE_A: github.hook.url,
      EVENT_ADMIN_TOKEN: ADMIN_TOKEN,
      EVENT_RECONCILE_TOKEN_CODE_A: github.hook.token,
    }
    return { address, env, github, port, release }
  }

  /** Simulates the end of the lease, which lasts half a minute. */
  async function endLease({ schema }: PostgresAddress): Promise<void> {
    await cluster.sql(`UPDATE ${schema}.leases SET ends_at = clock_timestamp() WHERE name = 'reconcile'`)
  }

  async function readEvents(ledger: Ledger): Promise<{ seen_count: number }[]> {
    return eventsOf(await ledger.query({ order: 'asc', limit: 10 }))
  }
}
