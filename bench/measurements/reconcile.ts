/**
 * Measures the comparison of 10,000 listed deliveries with a ledger. Run by hand:
 * `node dist/bench/measurements/reconcile.js`. The platform is simulated on the same machine, so its own limits are not
 * part of it. Other events are recorded at the same time, one every five milliseconds.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ledger } from '../../src/ledger/ledger.js'
import { pause } from '../../src/runtime/pause.js'
import { Reconciliations } from '../../src/runtime/reconcile/reconciliations.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { issueOpened } from '../../test/runtime/reconcile/reconcile-rig.js'
import { messageCreated } from '../../test/support/events.js'
import { startListingPlatform } from '../../test/support/listing-platform/listing-platform.js'
import { Times } from '../statistics.js'

const DELIVERIES = 10_000
const OTHERS_EVERY_MS = 5

const folder = mkdtempSync(join(tmpdir(), 'daybook-reconcile-'))
const clock = () => Date.now() * 1_000
const onFailure = (error: unknown) => console.error(error)
const store = await openSqliteStore({ path: join(folder, 'events.db'), clock, onFailure })
const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' })
const reconciliations = new Reconciliations({ ledger, now: Date.now, sleep: pause, receives: false })
const github = await startListingPlatform({ source: 'code_a' })
for (let number = 1; number <= DELIVERIES; number++) github.note(issueOpened(number))
const others = new Times()
let recorded = 0
const recordOther = async () => {
  const begun = performance.now()
  const { event, provenance } = messageCreated(`other ${++recorded}`)
  await ledger.record([{ event, provenance }])
  others.add(performance.now() - begun)
}
const timer = setInterval(() => void recordOther(), OTHERS_EVERY_MS)
for (const state of ['all missing', 'all known']) {
  const begun = performance.now()
  const request = { hooks: [github.hook], since_seconds: 86_400, dry_run: false }
  const { hooks } = await reconciliations.run(request)
  const [{ listed, fetched, known } = { listed: 0, fetched: 0, known: 0 }] = hooks
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
  console.log(
    `${state}: ${listed} listed, ${fetched} fetched, ${known} known in ${seconds} s, ${github.asked.length} requests`,
  )
}
clearInterval(timer)
const { p50, p99, max } = others.summary()
console.log(
  `${others.count} other events: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, slowest ${max.toFixed(0)} ms`,
)
await github.close()
await store.close()
rmSync(folder, { recursive: true })
