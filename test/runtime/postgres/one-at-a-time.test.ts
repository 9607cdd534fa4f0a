import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import type { ReconcileStatus } from '../../../src/model/platforms/reconciliation.js'
import { shownAddress } from '../../../src/model/postgres-address.js'
import { toTimestamp } from '../../../src/model/timestamp.js'
import { pause } from '../../../src/runtime/pause.js'
import { reconcile } from '../../../src/runtime/reconcile/reconcile-command.js'
import { ReconcileSchedule, type ReconcileScheduleParts } from '../../../src/runtime/reconcile/reconcile-schedule.js'
import { Reconciliations } from '../../../src/runtime/reconcile/reconciliations.js'
import { StoredReports } from '../../../src/runtime/reconcile/stored-reports.js'
import { type RunningServer, serve } from '../../../src/runtime/serve/serve.js'
import { readLocalSettings } from '../../../src/settings/local-settings.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { memorySources } from '../../settings/memory-sources.js'
import { startGitHub } from '../../support/history-servers/github-server.js'
import { closing } from '../../support/history-servers/rest-server.js'
import { issue, REPOSITORY } from '../../support/history-servers/sample-repository.js'
import { listingPlatform } from '../../support/listing-platform/listing-platform.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { issueOpened } from '../reconcile/reconcile-rig.js'
import { ask, readAll } from './three-servers.js'

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  t.test('one of two servers polls a repository', async t => {
    const happened = { created_at: new Date().toISOString(), updated_at: new Date().toISOString() }
    const issues = [issue(1, happened), issue(2, happened)]
    const github = closing(t, await startGitHub({ repository: REPOSITORY, issues }, { token: 'ghp_s3cr3t' }))
    const env = { EVENT_HISTORY_URL_CODE_A: github.url, EVENT_HISTORY_TOKEN_CODE_A: 'ghp_s3cr3t' }
    const { start } = await sharedLedger(t)
    const first = await start({ env, capture: true })
    const second = await start({ env, capture: true })
    const watch = { id: 'engine', source: 'code_a', target: 'repo:ada/engine', capture_modes: ['poll'] }
    await ask(`${second.url}/api/subscriptions`, { method: 'POST', body: watch })
    while (!(await successOf(first.url))) await sleep(50)
    // Each of them has looked for due watches since then.
    await sleep(2_500)
    const events = await readAll(first.url)
    t.match(events, [
      { kind: 'issue.created', seen_count: 1, subscription_ids: ['engine'], provenance: { route: 'capture' } },
      { kind: 'issue.created', seen_count: 1 },
    ])
    t.equal(github.asked.filter(({ path }) => path.endsWith('/issues')).length, 1)
  })

  t.test('one of two servers compares deliveries, and the other one takes over when it stops', async t => {
    const address = await cluster.emptyLedger(t)
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const github = await listingPlatform(t, {
      source: 'code_a',
      onAsked: ({ index }) => (index === 0 ? held : undefined),
    })
    for (const number of [1, 2]) github.note(issueOpened(number))
    const clock = () => Date.now() * 1_000
    const looks: string[] = []
    /** By a server that has just asked whether it may compare. */
    const shownByOthers: ReconcileStatus[] = []
    const open = async (name: string) => {
      const store = await openPostgresStore({ address })
      t.teardown(() => store.close())
      const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub' })
      const { multiServer } = store
      const reports = new StoredReports(store.notes, multiServer)
      const reconciliations = new Reconciliations({
        ledger,
        now: Date.now,
        sleep: pause,
        receives: true,
        keep: (request, outcome) => reports.save(request, outcome, toTimestamp(clock())),
      })
      const leases: NonNullable<ReconcileScheduleParts['leases']> = {
        acquireLease: async (...asked) => {
          const lease = await multiServer.acquireLease(...asked)
          looks.push(`${name} ${lease === undefined ? 'waits' : 'works'}`)
          if (!lease) shownByOthers.push(await schedule.status())
          return lease
        },
        renewLease: (...asked) => multiServer.renewLease(...asked),
        releaseLease: (...asked) => multiServer.releaseLease(...asked),
      }
      const schedule = new ReconcileSchedule({
        reconciliations,
        reports,
        hooks: [github.hook],
        headAtOpen: null,
        now: clock,
        leases,
        pace: { everyMs: 3_600_000, retryMs: 20 },
        logger: { info: () => {}, warn: () => {}, error: () => {} } as unknown as ReconcileScheduleParts['logger'],
      })
      t.teardown(() => schedule.stop())
      return { schedule, ledger }
    }
    const first = await open('first')
    while (github.asked.length === 0) await sleep(10)
    const second = await open('second')
    while (looks.filter(look => look === 'second waits').length < 3) await sleep(10)
    t.same([...new Set(looks)], ['first works', 'second waits'])
    t.equal(github.asked.length, 1, 'only the first has asked the platform')
    const since = (await first.schedule.status()).running?.since
    for (const shown of [...shownByOthers, await second.schedule.status()]) {
      t.match(shown, { running: { since, dry_run: false }, last: null, reports: { length: 0 } })
    }
    await t.rejects(second.schedule.start({ dry_run: true }), { code: 'reconcile_running' })
    const stopped = first.schedule.stop()
    release()
    await stopped
    while ((await second.ledger.stats()).event_count < 2) await sleep(10)
    t.equal(looks.at(-1), 'second works')
    while ((await second.schedule.status()).running) await sleep(10)
    const { running, last, reports } = await first.schedule.status()
    t.match({ running, last }, { running: null, last: { dry_run: false, hooks: [{ fetched: 2, missing: 0 }] } })
    t.match(reports, [{ source: 'code_a', hooks: [{ fetched: 2 }] }], 'the first shows what the second has found')
  })

  t.test('a command waits until no server compares, and servers show its run and its findings', async t => {
    const address = await cluster.emptyLedger(t)
    const store = await openPostgresStore({ address })
    t.teardown(() => store.close())
    const reports = new StoredReports(store.notes, store.multiServer)
    const status = () => reports.status({ hooks: [], running: null })
    const untilShown = async () => {
      while (!(await status()).running) await sleep(10)
    }
    const github = await listingPlatform(t, { source: 'code_a', onAsked: untilShown })
    github.note(issueOpened(1))
    const lease = await store.multiServer.acquireLease('reconcile', 300)
    const local = readLocalSettings({}, memorySources({ env: { EVENT_DB: shownAddress(address) } }))
    const request = { hooks: [github.hook], since_seconds: 3_600, dry_run: false }
    let waits = 0
    const run = reconcile(local, request, { onProgress: () => {}, onWaiting: () => waits++ })
    while (waits === 0) await sleep(10)
    // It has tried again since then.
    await sleep(2_500)
    t.equal(github.asked.length, 0)
    t.equal(waits, 1, 'it reports once that it waits')
    if (lease) await store.multiServer.releaseLease(lease)
    t.match((await run).hooks, [{ fetched: 1 }])
    t.match(await status(), { running: null, last: { hooks: [{ fetched: 1 }] } })
    t.equal(await store.multiServer.isLeaseHeld('reconcile'), false)
  })

  async function successOf(url: string): Promise<unknown> {
    const { body } = await ask<{ capture?: { last_success_at: unknown } }>(`${url}/api/subscriptions/engine`)
    return body.capture?.last_success_at
  }

  /** Servers of this process on one ledger, of which each can be stopped alone. */
  async function sharedLedger(t: Test) {
    const address = shownAddress(await cluster.emptyLedger(t))
    const start = async ({ env, capture = false }: { env: Record<string, string>; capture?: boolean }) => {
      const sources = memorySources({
        env: { EVENT_LOG_LEVEL: 'silent', EVENT_DB: address, EVENT_DB_POOL: '4', ...env },
      })
      const server: RunningServer = await serve(
        readServeSettings({ only: 'ledger', port: '0', capture }, sources),
        sources,
      )
      let isClosed = false
      const close = async () => {
        if (isClosed) return
        isClosed = true
        await server.close()
      }
      t.teardown(close)
      return { url: server.ledger?.url ?? '', close }
    }
    return { start }
  }
}
