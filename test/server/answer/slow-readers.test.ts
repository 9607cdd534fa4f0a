import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import { ANSWER_LIMITS, type AnswerLimits } from '../../../src/server/answer/answer-budget.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../../support/test-folder.js'
import { until } from '../../support/until.js'
import { message, record, type Served, serve } from '../serve.js'

const NOON = 1_800_000_000_000_000
const KIB = 1024

/** Serves a real ledger with `count` events of `bytes` bytes. */
async function serveEvents(t: Test, events: { count: number; bytes: number }, limits: Partial<AnswerLimits> = {}) {
  let now = NOON
  const clock = () => now++
  const path = join(testFolder(t), 'events.db')
  const store = await openSqliteStore({ path, clock, onFailure: error => t.fail(String(error)) })
  const ledger = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' })
  const served = await serve(t, { ledger, now: () => now, answerLimits: { ...ANSWER_LIMITS, ...limits } })
  t.teardown(() => store.close())
  const payload = { text: 'x'.repeat(events.bytes) }
  const all = Array.from({ length: events.count }, (_, i) => message(i, { dedupe_key: `event:${i}`, payload }))
  await record(ledger, all)
  return served
}

/** Sends a request, and reads nothing of the answer. */
function askOnly(t: Test, { port }: Served, ...paths: string[]): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.pause()
  for (const path of paths) socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  t.teardown(() => socket.destroy())
  return socket
}

/** Waits for the beginning of the answer, and reads no more of it. */
function takeBeginning(reader: Socket): Promise<string> {
  return new Promise(resolve => {
    reader.once('data', chunk => {
      reader.pause()
      resolve(chunk.toString('latin1'))
    })
    reader.resume()
  })
}

const cutOffs = async (served: Served, reason: string) =>
  Number(
    new RegExp(`daybook_answers_cut_off_total\\{reason="${reason}"\\} (\\d+)`).exec(
      (await served.request('/metrics')).text,
    )?.[1] ?? 0,
  )

t.test('a page that is larger than a chunk has the same content, in either order', async t => {
  const served = await serveEvents(t, { count: 8, bytes: 150 * KIB })
  await served.post('/api/events', message('large', { payload: { text: 'y'.repeat(900 * KIB) } }))
  for (const [order, encoding] of [
    ['asc', null],
    ['desc', null],
    ['asc', 'gzip'],
    ['asc', 'br'],
  ] as const) {
    const path = `/api/events?order=${order}&limit=9&since=1970-01-01T00:00:00Z`
    const { headers, body } = await served.request(path, { headers: { 'Accept-Encoding': encoding ?? 'identity' } })
    t.equal(headers.get('content-encoding'), encoding)
    const items = body.items as { subject_id: string; captured_at: string }[]
    const ids = [...Array(8).keys()].map(String).concat('large')
    t.same(
      items.map(item => item.subject_id),
      order === 'asc' ? ids : ids.toReversed(),
    )
    const newest = items.at(order === 'asc' ? -1 : 0)?.captured_at
    t.match(body, { count: 9, latest_captured_at: newest, next_since: newest, head: newest, has_more: false })
    t.equal(headers.get('content-length'), null)
  }
  const head = await served.request('/api/events?limit=9', { method: 'HEAD' })
  t.match(head, { status: 200, text: '' })
})

t.test('events that arrive while a page is read are not on it, and its checkpoint is before them', async t => {
  const served = await serveEvents(t, { count: 30, bytes: 400 * KIB })
  const reader = askOnly(t, served, '/api/events?order=asc&limit=500&since=1970-01-01T00:00:00Z')
  let text = await takeBeginning(reader)
  const late = await served.post('/api/events', message('late'))
  t.equal(late.status, 201)
  reader.on('data', chunk => {
    text += chunk.toString('latin1')
  })
  reader.resume()
  await until(() => text.endsWith('\r\n0\r\n\r\n'))
  t.match(text, '"count":30,')
  t.notOk(text.includes('"subject_id":"late"'))
  const checkpoint = /"next_since":"([^"]+)"/.exec(text)?.[1]
  const { body } = await served.request(`/api/events?since=${checkpoint}`)
  t.match(body, { count: 1, items: [{ subject_id: 'late' }] })
})

t.test('readers that read nothing of large pages block neither writers nor other readers', async t => {
  const served = await serveEvents(t, { count: 30, bytes: 400 * KIB }, { bytes: 2048 * KIB, patienceMs: 40 })
  for (let i = 0; i < 5; i++) askOnly(t, served, i % 2 === 0 ? '/api/events?limit=500' : '/api/export')
  await until(() => served.log.some(line => line.cut_off === 'memory'))
  t.match(await served.post('/api/events', message('honest')), { status: 201 })
  t.match(await served.request('/api/events?limit=500'), { status: 200, body: { count: 31 } })
  t.ok((await cutOffs(served, 'memory')) > 0)
})

t.test('a reader that reads nothing is disconnected in time, which is logged and counted once', async t => {
  for (const path of ['/api/events', '/api/export']) {
    const served = await serveEvents(t, { count: 30, bytes: 400 * KIB }, { takenMs: 40 })
    const reader = askOnly(t, served, path)
    await until(() => served.log.some(line => line.cut_off === 'slow'))
    t.match(
      served.log.filter(line => line.cut_off !== undefined),
      [{ msg: 'request', path, cut_off: 'slow' }],
    )
    t.equal(await cutOffs(served, 'slow'), 1)
    reader.resume()
    await until(() => reader.destroyed)
  }
})

t.test('without memory for large answers, these are refused, and small answers and refusals are sent', async t => {
  const served = await serveEvents(t, { count: 1, bytes: 20 * KIB }, { bytes: 0, waitMs: 1 })
  const key = encodeURIComponent('event:0')
  for (const path of ['/api/events', `/api/events/${key}`, '/api/events?wait=1&since=1970-01-01T00:00:00Z']) {
    const { status, body, headers } = await served.request(path)
    t.match({ status, body }, { status: 503, body: { code: 'busy' } }, path)
    t.equal(headers.get('retry-after'), '1')
  }
  t.match(await served.post('/api/events', message('small', { payload: { text: 'x'.repeat(20 * KIB) } })), {
    status: 201,
  })
  const unknown = Array.from({ length: 190 }, (_, i) => `unknown${i}=1`)
  const refused = await served.request(`/api/events?${unknown.join('&')}`)
  t.match(refused, { status: 400, body: { code: 'invalid_field' } })
  t.ok(refused.text.length > 16 * KIB, 'a large refusal')
  t.match(await served.request('/api/health'), { status: 200 })
  t.match(await served.request(`/api/events/${encodeURIComponent('event:no')}`), { status: 404 })
})

t.test('pipelined answers hold no memory after their connection is closed', async t => {
  const served = await serveEvents(t, { count: 30, bytes: 400 * KIB }, { bytes: 1024 * KIB, patienceMs: 1_000_000 })
  const reader = askOnly(t, served, '/api/events?limit=500', '/api/events?limit=500')
  await takeBeginning(reader)
  reader.destroy()
  t.match(await served.request('/api/events?limit=500'), { status: 200, body: { count: 30 } })
})

t.test('long polls that wake together each receive a complete large page', async t => {
  const served = await serveEvents(t, { count: 1, bytes: 1 })
  const since = String((await served.request('/api/events')).body.next_since)
  const polls = Array.from({ length: 8 }, () => served.request(`/api/events?limit=500&wait=55&since=${since}`))
  const areHeld = async () => /daybook_connections\{use="held"\} 8/.test((await served.request('/metrics')).text)
  await until(areHeld)
  const payload = { text: 'x'.repeat(150 * KIB) }
  await served.post(
    '/api/events',
    Array.from({ length: 30 }, (_, i) => message(`late ${i}`, { payload })),
  )
  for (const { body } of await Promise.all(polls)) {
    t.match(body, { count: 30, has_more: false })
    t.equal((body.items as unknown[]).length, 30)
  }
})
