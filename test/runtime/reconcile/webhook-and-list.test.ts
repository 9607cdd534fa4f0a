import t from 'tap'
import type { ListingSource } from '../../../src/model/platforms/reconciliation.js'
import { adapterOf } from '../../../src/platforms/adapters.js'
import { adapterFixtures, type Fixture } from '../../platforms/adapter-fixtures.js'
import { listingPlatform } from '../../support/listing-platform/listing-platform.js'
import { reconcileRig } from './reconcile-rig.js'

const FOLDERS: Record<ListingSource, string> = { code_a: 'code-a', code_b: 'code-b', forum: 'forum' }

for (const [source, folder] of Object.entries(FOLDERS) as [ListingSource, string][]) {
  const fixtures = fixturesOf(source, folder)

  t.test(`${source}: a delivery that arrived by webhook is found in the list`, async t => {
    const rig = await reconcileRig(t)
    const platform = await listingPlatform(t, { source })
    for (const fixture of fixtures) {
      platform.note(fixture, { status: 200 })
      await rig.receive(source, fixture)
    }
    const count = (await rig.events()).length
    const report = await rig.reconcile(platform)
    t.match(report, { fetched: 0, missing: 0, gone: 0, known: 0, complete: true })
    t.ok(report.delivered > 30)
    t.equal((await rig.events()).length, count)
  })

  t.test(`${source}: a delivery that was fetched from the list is a repeat when it arrives by webhook`, async t => {
    const rig = await reconcileRig(t)
    const platform = await listingPlatform(t, { source })
    for (const fixture of fixtures) platform.note(fixture)
    const report = await rig.reconcile(platform)
    t.match(report, { gone: 0, delivered: 0, complete: true })
    const left = new Set(report.lost.map(({ id }) => Number(id)))
    // What only its bytes identify waits for a redelivery: the list of GitLab has other bytes.
    t.ok(source === 'code_b' || left.size === 0)
    for (const [index, fixture] of fixtures.entries()) {
      const isNew = await rig.receive(source, fixture)
      t.equal(isNew && !left.has(index + 1), false, fixture.name)
    }
    t.equal((await rig.events()).length, report.fetched + left.size)
  })
}

/** Those that the platform itself sends, by the ids of their own. */
function fixturesOf(source: ListingSource, folder: string): Fixture[] {
  const isListed = ({ headers, body }: Fixture) =>
    typeof body !== 'string' && (source !== 'code_a' || 'x-github-event' in headers) && !('x-gitea-event' in headers)
  return adapterFixtures(adapterOf(source), folder)
    .readFixtures()
    .filter(isListed)
    .map((fixture, index) => withOwnId(source, fixture, index))
}

/** Several fixtures share an id, which no two deliveries do. */
function withOwnId(source: ListingSource, fixture: Fixture, index: number): Fixture {
  const name = { code_a: 'x-github-delivery', code_b: 'idempotency-key', forum: 'x-discourse-event-id' }[source]
  const hasId = source !== 'code_b' || name in fixture.headers
  return hasId ? { ...fixture, headers: { ...fixture.headers, [name]: String(900 + index) } } : fixture
}
