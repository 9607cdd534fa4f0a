import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { deflateSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { ADAPTERS } from '../../../src/platforms/adapters.js'
import { until } from '../../support/until.js'
import { message, serve } from '../serve.js'

const MIB = 1024 * 1024
/** Maximum memory of twenty bodies that expand too much. */
const TOGETHER = 64 * MIB
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const GZIP = { 'content-encoding': 'gzip' }
const served = await serve(t, { adapters: ADAPTERS })
const { post, ledger } = served
/** Different events, which compress as real ones do. */
const events = (count: number) =>
  Array.from({ length: count }, (_, at) => message(at, { payload: { word: (at * 2654435761).toString(36).repeat(8) } }))

t.test('events and batches are accepted with gzip, and stored as sent', async t => {
  t.equal((await post('/api/events', gzipSync(JSON.stringify(message('one'))), GZIP)).status, 201)
  t.equal(
    (await post('/api/events', gzipSync(JSON.stringify(message('two'))), { 'content-encoding': 'X-Gzip' })).status,
    201,
  )
  const batch = gzipSync(JSON.stringify(events(4_000)))
  t.match(await post('/api/events', batch, GZIP), { status: 200, body: { created: 4_000 } })
  const lines = events(10)
    .map(event => JSON.stringify({ ...event, source: 'lines' }))
    .join('\n')
  const type = { ...GZIP, 'content-type': 'application/x-ndjson' }
  t.match(await post('/api/events', gzipSync(lines), type), { status: 200, body: { created: 10 } })
  const members = Buffer.concat([gzipSync('[{"kind":"a.b","subject_type":"a",'), gzipSync('"subject_id":"parts"}]')])
  t.match(
    await post('/api/events', members, GZIP),
    { status: 200, body: { created: 1 } },
    'members of gzip, one after the other',
  )
  t.equal(ledger.events.length, 4_013)
  t.same(ledger.events[5]?.payload, events(4)[3]?.payload)
})

t.test('a body that expands too much is refused before its end', async t => {
  const bomb = gzipSync(Buffer.alloc(24 * MIB, ' '))
  const large = await post('/api/events', bomb, GZIP)
  t.match(large, { status: 413, body: { code: 'body_too_large', detail: /100 times/ } })
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  const used = () => process.memoryUsage().arrayBuffers - before
  let most = 0
  let isOver = false
  const together = Promise.all(Array.from({ length: 20 }, () => post('/api/events', bomb, GZIP)))
  together.finally(() => {
    isOver = true
  })
  while (!isOver) {
    // Only what is in use counts, whenever the collector would have run. It is never more than what is allocated.
    if (used() > TOGETHER) collectGarbage()
    most = Math.max(most, used())
    await setImmediate()
  }
  await together
  t.ok(most < TOGETHER, `each of twenty holds a few MiB of its 24: ${most} bytes together`)
  collectGarbage()
  t.ok(process.memoryUsage().arrayBuffers - before < 40 * MIB, 'and nothing is left of them')
  const random = Buffer.from(JSON.stringify(events(500))).subarray(0, 90_000)
  t.match(await post('/api/subscriptions', gzipSync(random), GZIP), { status: 413, body: { detail: /64 KiB/ } })
  const nothing = Buffer.concat(Array.from({ length: 5_000 }, () => gzipSync('')))
  t.match(await post('/api/subscriptions', nothing, GZIP), { status: 413 }, 'no content at all, in many bytes')
})

t.test('a body that is not gzip, or ends early, is 400, and another encoding is 415', async t => {
  const whole = gzipSync(JSON.stringify(message('cut')))
  for (const body of [
    Buffer.from(JSON.stringify(message('plain'))),
    whole.subarray(0, -9),
    Buffer.from([0x1f, 0x8b]),
  ]) {
    t.match(await post('/api/events', body, GZIP), { status: 400, body: { code: 'bad_request', detail: /gzip/ } })
  }
  t.match(await post('/api/events', Buffer.alloc(0), GZIP), { status: 400 })
  for (const encoding of ['deflate', 'br', 'gzip, gzip', 'identity, gzip', 'zstd', '']) {
    const answer = await post('/api/events', deflateSync('{}'), { 'content-encoding': encoding })
    t.match(answer, { status: 415, body: { code: 'unsupported_media_type', detail: /gzip/ } }, encoding)
  }
  t.equal((await post('/api/events', message('still'))).status, 201, 'the next request is read')
})

t.test('a delivery to a webhook is refused with any encoding: its signature covers the bytes as sent', async t => {
  for (const encoding of ['gzip', 'deflate']) {
    t.match(await post('/webhooks/code_a', gzipSync('{}'), { 'content-encoding': encoding }), { status: 415 })
  }
})

t.test('a sender that leaves within a compressed body does not affect other requests', async t => {
  const body = gzipSync(JSON.stringify(events(1_000)))
  const head = `POST /api/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n`
  const cut = Buffer.concat([
    Buffer.from(`${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`),
    body.subarray(0, 500),
  ])
  const left = new Promise<void>(resolve => {
    const socket = connect(served.port, '127.0.0.1', () => socket.write(cut, () => socket.destroy()))
    socket.once('close', () => resolve())
  })
  await left
  await until(() => served.log.some(({ status }) => status === 499 || status === 400))
  t.equal((await post('/api/events', message('after'))).status, 201)
})
