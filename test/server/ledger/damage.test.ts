import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import { readTimestamp } from '../../../src/model/timestamp.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../../support/test-folder.js'
import { message, serve } from '../serve.js'

/** More than a ledger reads when it opens. */
const EVENTS = 700
const DAY = 86_400_000_000
const NOW = readTimestamp('now', '2031-05-04T09:00:00Z').micros

/** A real ledger in a file, which is closed when the test ends. */
async function openLedger(t: Test, path: string, now = NOW) {
  const clock = () => now
  const store = await openSqliteStore({ path, clock, onFailure: error => t.error(error) })
  t.teardown(() => store.close().catch(() => undefined)) // damage may keep it from closing cleanly
  const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' })
  return { store, ledger, now: clock }
}

async function fill(t: Test, path: string, now = NOW): Promise<void> {
  const { store, ledger } = await openLedger(t, path, now)
  const { post } = await serve(t, { ledger })
  const events = Array.from({ length: EVENTS }, (_, n) => message(n, { payload: { text: `event ${n} `.repeat(50) } }))
  t.equal((await post('/api/events', events)).status, 200)
  await store.close()
}

/** Overwrites the pages that hold these texts with garbage. */
function damage(path: string, texts: readonly string[]): void {
  const bytes = readFileSync(path)
  const pageSize = bytes.readUInt16BE(16)
  for (const text of texts) {
    const page = Math.floor(bytes.indexOf(text) / pageSize)
    bytes.fill('garbage ', page * pageSize, (page + 1) * pageSize)
  }
  writeFileSync(path, bytes)
}

t.test('health reports a damaged database after the damage was found, while recording continues', async t => {
  const path = join(testFolder(t), 'events.db')
  await fill(t, path)
  damage(path, ['event 100 event 100'])
  const { store, ledger } = await openLedger(t, path)
  const { request, post } = await serve(t, { ledger })
  t.match(await request('/api/events?limit=500&since=1970-01-01T00:00:00Z'), {
    status: 503,
    body: { code: 'store_corrupt' },
  })

  const { status, headers, body } = await request('/api/health')
  t.equal(status, 503)
  t.equal(headers.get('retry-after'), '60')
  t.match(body, { status: 'unavailable', code: 'store_corrupt', database: path, head: /^2031-05-04T09/, epoch: String })
  t.match(body.detail, /Part of the ledger database is damaged.*`daybook ledger status --check`.*restore.*backup/)
  t.match(await store.damaged, { code: 'store_corrupt', message: body.detail })
  t.equal((await post('/api/events', message('one more'))).status, 201)
  const { text } = await request('/metrics')
  t.match(text, 'daybook_http_errors_total{code="store_corrupt"} 1')
  t.match(text, '\ndaybook_store_damaged 1\n')
  t.match(text, '\ndaybook_ready 1\n', 'it can commit')
  t.equal((await request('/readyz')).status, 200)
})

t.test(
  'a ledger that is more than a day ahead of the clock continues after its last event, and health warns',
  async t => {
    const path = join(testFolder(t), 'events.db')
    await fill(t, path, NOW + 3 * DAY)
    const { ledger, now } = await openLedger(t, path)
    t.equal(ledger.headAtOpen, NOW + 3 * DAY + EVENTS - 1)
    const { request, post } = await serve(t, { ledger, now })
    t.match(await request('/api/health'), {
      status: 200,
      body: {
        status: 'ok',
        warnings: [{ code: 'clock_behind', detail: /2031-05-07T09.*2031-05-04T09.*restore a backup/ }],
      },
    })
    const { body } = await post('/api/events', message('one more'))
    t.equal(body.captured_at, '2031-05-07T09:00:00.000700Z')
    const onlyLast = { status: 200, body: { count: 1, items: [{ captured_at: body.captured_at }] } }
    t.match(await request('/api/events?since=2031-05-07T09:00:00.000699Z'), onlyLast)
    t.match(await request('/api/events?days=1&order=desc&limit=1'), onlyLast)

    const { request: later } = await serve(t, { ledger, now: () => NOW + 2 * DAY + EVENTS })
    t.notOk('warnings' in (await later('/api/health')).body)
  },
)

t.test('health warns of a disk that is almost full, and still reports that the ledger works', async t => {
  const disk = { size: 1_000 * 1024 ** 3, free: 512 * 1024 ** 2 }
  const full = await serve(t, { storageSizes: async () => ({ database: 4_096, disk }) })
  t.match(await full.request('/api/health'), {
    status: 200,
    body: { status: 'ok', warnings: [{ code: 'disk_low', detail: /512 MiB.*Make room/ }] },
  })
  const roomy = await serve(t, {
    storageSizes: async () => ({ database: 4_096, disk: { ...disk, free: disk.size / 2 } }),
  })
  t.notOk('warnings' in (await roomy.request('/api/health')).body)
})
