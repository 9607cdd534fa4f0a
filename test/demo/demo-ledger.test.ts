import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Company } from '../../src/demo/company.js'
import type { Step } from '../../src/demo/stories/story.js'
import { Ledger } from '../../src/ledger/ledger.js'
import type { StoredEvent } from '../../src/model/events/event.js'
import { toTimestamp } from '../../src/model/timestamp.js'
import { fillDemoLedger } from '../../src/runtime/demo/fill-demo.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { testFolder } from '../support/test-folder.js'

const NOON = Date.UTC(2026, 10, 20, 12) * 1000

const history: readonly Step[] = [...new Company({ seed: 3, ends: NOON }).history()]

/** The content of a ledger that was filled with these steps. */
async function filled(t: Test, steps: readonly Step[]) {
  const path = join(testFolder(t), 'events.db')
  await fillDemoLedger(path, steps)
  const clock = () => NOON
  const store = await openSqliteStore({ path, clock, onFailure: error => t.fail(String(error)) })
  t.teardown(() => store.close())
  const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => 'none' })
  const events: StoredEvent[] = []
  for (let since: number | undefined = 0; since !== undefined; ) {
    const page = await ledger.query({ order: 'asc', limit: 500, since })
    const text = Buffer.from(page.items).toString('utf8')
    events.push(...(JSON.parse(text.startsWith('[') ? text : `[${text}]`) as StoredEvent[]))
    since = page.hasMore ? (page.nextSince ?? undefined) : undefined
  }
  return { events, subscriptions: await ledger.listSubscriptions() }
}

t.test('the same history makes the same ledger', async t => {
  const beginning = history.slice(0, history.length / 40)
  t.equal(JSON.stringify(await filled(t, beginning)), JSON.stringify(await filled(t, beginning)))
})

t.test('the ledger of a whole history', async t => {
  const one = await filled(t, history)

  t.test('each event is captured when it is recorded, and some are repeated', async t => {
    // In hundredths of a second.
    const recorded = history.filter(({ does }) => does === 'record' || does === 'capture')
    const recordedAt = new Set(recorded.map(({ at }) => toTimestamp(at).slice(0, 22)))
    const strange = one.events.filter(({ captured_at }) => !recordedAt.has(captured_at.slice(0, 22)))
    t.same(
      strange.map(({ captured_at, dedupe_key }) => ({ captured_at, dedupe_key })),
      [],
    )
    t.ok(one.events.some(({ seen_count }) => seen_count > 2))
    t.ok(one.events.some(({ provenance }) => provenance.route === 'capture'))
  })

  t.test('the ledger has subscriptions in every state', async t => {
    const byId = Object.fromEntries(one.subscriptions.map(subscription => [subscription.id, subscription]))
    t.match(byId['demo-merged-everywhere'], { enabled: true, last_event_at: String })
    t.match(byId['demo-forum-likes'], { enabled: false, last_event_at: String })
    t.match(byId['demo-incidents'], {
      last_cursor: /^\d+$/,
      capture: { failures: 0, last_error: null, read_to: /^\d+$/ },
    })
    t.match(byId['demo-lost-property'], {
      last_cursor: null,
      capture: { failures: Number, last_error: /has no such/ },
    })
    t.ok((byId['demo-lost-property']?.capture?.failures ?? 0) > 1)
    t.ok(Date.parse(String(byId['demo-release-4.2']?.metadata.expires_at)) * 1000 > NOON)
    t.ok(Date.parse(String(byId['demo-storm-refunds']?.metadata.expires_at)) * 1000 < NOON)
    const storm = one.events.filter(({ subscription_ids }) => subscription_ids.includes('demo-storm-refunds'))
    t.ok(storm.length > 0)
    t.ok(storm.every(event => event.captured_at < String(byId['demo-storm-refunds']?.metadata.expires_at)))
  })
})
