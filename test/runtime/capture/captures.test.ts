import t from 'tap'
import { readTimestamp, toTimestamp } from '../../../src/model/timestamp.js'
import { rateLimited, respondWith } from '../../support/chat-server/fault.js'
import { allEvents, captureRig, DEPLOYS, deliver, NOON, WATCH } from './capture-rig.js'

const SECOND = 1_000_000

t.test('captured messages are in the ledger, with the mark of their watch and their provenance', async t => {
  const rig = await captureRig(t)
  const [id] = rig.chat.book.say(DEPLOYS, 1, 'The deploy is **done**.')
  const capture = await rig.once()
  t.match(capture, { outcome: 'captured', messages: 1, created: 1, duplicates: 0, last_cursor: String(id) })
  const [event] = await allEvents(rig.ledger)
  t.match(event, {
    dedupe_key: `chat:${new URL(rig.chat.url).host}:message:${id}:created`,
    kind: 'message.created',
    actor: { id: '10', display: 'Grace', metadata: { email: 'GRACE@example.org' } },
    actor_role: 'administrator',
    conversation: { text: 'The deploy is **done**.', title: 'eng > deploys' },
    payload: {
      sender_id: 10,
      sender_email: 'GRACE@example.org',
      sender_full_name: 'Grace',
      sender_is_bot: false,
      base_url: rig.chat.url,
      content: 'The deploy is **done**.',
    },
    subscription_ids: ['deploys'],
    provenance: { route: 'capture', verified: 'login' },
  })
})

t.test('the watch keeps its position, and shows when it was last captured and when it is due', async t => {
  const rig = await captureRig(t)
  const ids = rig.chat.book.say(DEPLOYS, 3)
  t.match((await rig.ledger.getSubscription('deploys')).capture, {
    last_attempt_at: null,
    next_due_at: toTimestamp(NOON),
  })
  await rig.once()
  const watch = await rig.ledger.getSubscription('deploys')
  t.match(watch, { last_cursor: String(ids.at(-1)), last_event_at: toTimestamp(NOON + 2) })
  t.match(watch.capture, {
    read_to: String(ids.at(-1)),
    last_attempt_at: toTimestamp(NOON),
    last_success_at: toTimestamp(NOON),
    last_error: null,
    failures: 0,
    next_due_at: toTimestamp(NOON + 60 * SECOND),
  })
})

t.test('capture of a renamed topic moves the cursor of its watch, although the name no longer matches', async t => {
  const rig = await captureRig(t)
  rig.chat.book.say(DEPLOYS, 2)
  await rig.once()
  const ids = rig.chat.book.say(rig.chat.book.resolve(DEPLOYS), 2)
  t.match(await rig.once(), { created: 2, last_cursor: String(ids[1]) })
  t.same(
    (await allEvents(rig.ledger)).map(event => event.subscription_ids),
    Array(4).fill(['deploys']),
  )
})

t.test('a message that a webhook delivers first does not make capture skip earlier messages', async t => {
  const rig = await captureRig(t)
  const { book } = rig.chat
  const [first = 0] = book.say(DEPLOYS)
  await deliver(rig, first)
  t.match(await rig.ledger.getSubscription('deploys'), { last_cursor: String(first) })
  const earlier = book.say(DEPLOYS, 2)
  await rig.once()
  const [, , late = 0] = book.say(DEPLOYS, 3)
  await deliver(rig, late)
  t.match(await rig.once(), { messages: 3, created: 2, duplicates: 1, last_cursor: String(late) })
  const seen = (await allEvents(rig.ledger)).map(event => [Number(event.subject_id), event.seen_count])
  t.same(seen.sort(), [[first, 2], ...earlier.map(id => [id, 1]), [late - 2, 1], [late - 1, 1], [late, 2]].sort())
})

t.test('capture continues at the cursor of an older ledger', async t => {
  const rig = await captureRig(t)
  const ids = rig.chat.book.say(DEPLOYS, 10)
  await rig.ledger.noteCapture('deploys', { read_to: String(ids[6]) })
  t.match(await rig.once('deploys', { backfill: 1 }), { messages: 3 })
})

t.test('an expired watch is not changed', async t => {
  const rig = await captureRig(t)
  await rig.ledger.saveSubscription({ id: 'deploys', enabled: false })
  t.match(await rig.once(), { outcome: 'disabled', messages: 0, last_cursor: null })
  await rig.ledger.saveSubscription({ id: 'deploys', enabled: true, metadata: { expires_at: toTimestamp(NOON) } })
  t.match(await rig.once(), { outcome: 'expired' })
  t.same(rig.chat.asked, [], 'and no request is sent')
})

t.test('a subscription that cannot be captured is refused', async t => {
  const rig = await captureRig(t)
  await rig.ledger.saveSubscription({ id: 'own', source: 'builds', target: '' })
  await rig.ledger.saveSubscription({ id: 'all', source: 'chat' })
  const error = { category: 'invalid', code: 'watch_not_captured' }
  t.match(await rig.once('own'), {
    outcome: 'failed',
    error: { ...error, message: /watches "builds"\. Only a chat topic/ },
  })
  t.match(await rig.once('all'), {
    outcome: 'failed',
    error: { ...error, message: /watches all of the chat platform/ },
  })
  t.notOk('capture' in (await rig.ledger.getSubscription('all')), 'and it is not noted in them')
  t.match(await rig.once('nobody'), { outcome: 'failed', error: { category: 'not_found', code: 'not_found' } })
})

t.test('a failure in the middle keeps the recorded events, and reports them', async t => {
  let broken = true
  const rig = await captureRig(t, {
    fault: ({ query }) => (broken && query.get('anchor') === '200' ? respondWith(502, {}) : undefined),
    pageMessages: 100,
  })
  rig.chat.book.say(DEPLOYS, 250)
  await rig.ledger.noteCapture('deploys', { read_to: '0' })
  const failed = await rig.once()
  t.match(failed, { outcome: 'failed', messages: 200, last_cursor: '200' })
  t.match(failed.error, { code: 'chat_unavailable', message: /200 messages are recorded; run it again/ })
  t.match((await rig.ledger.getSubscription('deploys')).capture, {
    read_to: '200',
    last_error: /status 502/,
    failures: 1,
    last_success_at: null,
  })
  broken = false
  t.match(await rig.once(), { outcome: 'captured', messages: 50, created: 50, duplicates: 0 })
  t.match((await rig.ledger.getSubscription('deploys')).capture, { failures: 0, last_error: null })
})

t.test('capture waits as the server asks, and reports the wait', async t => {
  const waits: unknown[] = []
  const rig = await captureRig(t, {
    fault: ({ path, index }) => (path.endsWith('/messages') && index === 0 ? rateLimited(0.123_456) : undefined),
  })
  rig.chat.book.say(DEPLOYS, 2)
  const request = rig.request({ subscription_id: 'deploys' })
  const started = performance.now()
  t.match(await rig.captures.run(request, { onProgress: step => waits.push(step) }), { captures: [{ created: 2 }] })
  t.ok(performance.now() - started >= 123)
  t.match(waits, [
    { subscription_id: 'deploys', messages: 0, waiting_seconds: 0.123_456 },
    { subscription_id: 'deploys', messages: 2 },
  ])
})

t.test('capture reads a backlog within the rate limit of the server', async t => {
  // For the platform time passes only while it is waited for.
  let now = 0
  const rig = await captureRig(t, { rateLimit: { requests: 4, seconds: 0.1 }, pageMessages: 50, now: () => now })
  const ids = rig.chat.book.say(DEPLOYS, 750)
  await rig.ledger.noteCapture('deploys', { read_to: '0' })
  let waits = 0
  const onProgress = ({ waiting_seconds: seconds }: { waiting_seconds?: number }) => {
    if (seconds === undefined) return
    waits += 1
    now += seconds * 1_000
  }
  const request = rig.request({ subscription_id: 'deploys' })
  t.match(await rig.captures.run(request, { onProgress }), {
    captures: [{ outcome: 'captured', created: 750, duplicates: 0, last_cursor: String(ids.at(-1)) }],
  })
  t.ok(waits >= 2, `it waited ${waits} times`)
})

t.test('capture stops if the server asks for a wait of more than a minute, and keeps its progress', async t => {
  const rig = await captureRig(t, {
    fault: ({ query }) => (query.get('anchor') === '100' ? rateLimited(61) : undefined),
    pageMessages: 100,
  })
  rig.chat.book.say(DEPLOYS, 150)
  await rig.ledger.noteCapture('deploys', { read_to: '0' })
  t.match(await rig.once(), {
    outcome: 'failed',
    messages: 100,
    last_cursor: '100',
    error: {
      category: 'unavailable',
      code: 'chat_rate_limited',
      retryAfterSeconds: 61,
      message: new RegExp(`no request before ${toTimestamp(NOON + 61 * SECOND)}`),
    },
  })
})

t.test('the wait that a server asks for applies to every watch that is captured automatically', async t => {
  let limited = true
  const rig = await captureRig(t, { fault: () => (limited ? rateLimited(300.5) : undefined) })
  rig.chat.book.say(DEPLOYS)
  await rig.ledger.saveSubscription({ ...WATCH, id: 'other', metadata: { interval_seconds: 1 } })
  t.match(await rig.captures.run(rig.request()), { captures: [{ error: { retryAfterSeconds: 300.5 } }], left: 1 })
  const asked = rig.chat.asked.length
  limited = false
  for (const id of ['deploys', 'other']) {
    const wait = toTimestamp(NOON + 300.5 * SECOND)
    t.match((await rig.ledger.getSubscription(id)).capture, { wait_until: wait, next_due_at: wait })
  }
  rig.clock.now = NOON + 300 * SECOND
  t.same(await rig.captures.run(rig.request()), { captures: [], left: 0 })
  t.equal(rig.chat.asked.length, asked, 'no request is sent')
  rig.clock.now = NOON + 301 * SECOND
  t.match(rig.captures.totals(), { outcomes: { captured: 0, failed: 1 }, created: 0 })
  const { captures } = await rig.captures.run(rig.request())
  t.match(rig.captures.totals(), { outcomes: { captured: 2, failed: 1 }, created: 1 })
  t.same(
    captures.map(({ outcome }) => outcome),
    ['captured', 'captured'],
  )
  const { capture } = await rig.ledger.getSubscription('other')
  t.match(capture, { wait_until: null, next_due_at: toTimestamp(NOON + 302 * SECOND) })
})

t.test('a watch is due after its interval, and less often once it has cooled', async t => {
  const rig = await captureRig(t)
  rig.chat.book.say(DEPLOYS)
  const polled = { ...WATCH, metadata: { interval_seconds: 60, hot_until: toTimestamp(NOON + 90 * SECOND) } }
  await rig.ledger.saveSubscription({ ...polled, id: 'cooling' })
  await rig.ledger.saveSubscription({ ...WATCH, id: 'webhook-only', capture_modes: ['webhook'] })
  await rig.ledger.saveSubscription({ ...WATCH, id: 'off', enabled: false })
  await rig.ledger.saveSubscription({ ...WATCH, id: 'whole-source', target: null })
  await rig.ledger.saveSubscription({ ...WATCH, id: 'forum', source: 'forum', target: 'topic:7' })
  const due = async () => {
    const { captures, left } = await rig.captures.run(rig.request())
    t.equal(left, 0)
    return captures.map(({ subscription_id }) => subscription_id).sort()
  }
  t.same(await due(), ['cooling', 'deploys'])
  t.same(await due(), [])
  rig.clock.now = NOON + 60 * SECOND
  t.same(await due(), ['cooling', 'deploys'])
  rig.clock.now = NOON + 120 * SECOND
  t.same(await due(), ['deploys'], 'hot until 90 s')
  rig.clock.now = NOON + 659 * SECOND
  t.same(await due(), ['deploys'])
  rig.clock.now = NOON + 660 * SECOND
  t.same(await due(), ['cooling'], 'ten times the interval after the last')
})

t.test('the failure of one due watch does not affect the others', async t => {
  const rig = await captureRig(t, {
    fault: ({ query }) => (query.get('narrow')?.includes('sick') ? respondWith(502, {}) : undefined),
  })
  rig.chat.book.say(DEPLOYS, 1)
  await rig.ledger.saveSubscription({ ...WATCH, id: 'a-unknown', target: 'stream:nowhere/topic:x' })
  await rig.ledger.saveSubscription({ ...WATCH, id: 'a-sick', target: 'stream:sick/topic:x' })
  await rig.ledger.saveSubscription({ ...WATCH, id: 'b-known' })
  t.match(await rig.captures.run(rig.request()), {
    captures: [
      { subscription_id: 'deploys', outcome: 'captured' },
      { subscription_id: 'a-unknown', outcome: 'failed', error: { code: 'chat_narrow_refused' } },
      { subscription_id: 'a-sick', outcome: 'failed', error: { code: 'chat_unavailable' } },
      { subscription_id: 'b-known', outcome: 'captured' },
    ],
    left: 0,
  })
  t.match((await rig.ledger.getSubscription('a-sick')).capture, { failures: 1, last_error: /status 502/ })
})

t.test('a watch that keeps failing is tried at growing intervals', async t => {
  const rig = await captureRig(t, { fault: () => respondWith(502, {}) })
  const waits: number[] = []
  for (let round = 0; round < 7; round++) {
    await rig.captures.run(rig.request())
    const { capture } = await rig.ledger.getSubscription('deploys')
    const due = readTimestamp('next_due_at', capture?.next_due_at ?? '').micros
    waits.push((due - rig.clock.now) / SECOND)
    rig.clock.now = due
  }
  t.same(waits, [60, 120, 240, 480, 900, 900, 900])
})

t.test('an outage of the server ends the round, and later rounds reach every watch', async t => {
  const rig = await captureRig(t, { fault: () => respondWith(503, {}) })
  const ids = ['deploys', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6']
  for (const id of ids.slice(1)) await rig.ledger.saveSubscription({ ...WATCH, id })
  const tried: string[] = []
  for (let round = 0; round < 3; round++) {
    const { captures, left } = await rig.captures.run(rig.request())
    tried.push(...captures.map(({ subscription_id }) => subscription_id))
    if (round === 0) t.same([captures.length, left], [3, 4])
    rig.clock.now += 20 * SECOND
  }
  t.same(tried, ids)
})

t.test('a failure that affects every watch ends the round, and the next round begins with another watch', async t => {
  const rig = await captureRig(t)
  await rig.ledger.saveSubscription({ ...WATCH, id: 'other' })
  const refused = { chat: { site: rig.chat.url, email: 'nobody@example.org', api_key: 'wrong' } }
  const first = await rig.captures.run(rig.request(refused))
  t.match(first, { captures: [{ subscription_id: 'deploys', error: { code: 'chat_credentials_refused' } }], left: 1 })
  rig.clock.now += 60 * SECOND
  const second = await rig.captures.run(rig.request(refused))
  t.match(second, { captures: [{ subscription_id: 'other', error: { code: 'chat_credentials_refused' } }], left: 1 })
})

t.test('a message that becomes visible after a later one is captured, and no message is counted twice', async t => {
  const rig = await captureRig(t)
  const { book } = rig.chat
  book.say(DEPLOYS, 5)
  const [late = 0] = book.say(DEPLOYS)
  const hidden = book.hide(late)
  book.say(DEPLOYS)
  await rig.once()
  rig.clock.now += 60 * SECOND
  book.show(hidden)
  t.match(await rig.once(), { messages: 1, created: 1, duplicates: 0 })
  for (let minute = 0; minute < 12; minute++) {
    rig.clock.now += 60 * SECOND
    t.match(await rig.once(), { messages: 0 })
  }
  t.match(await rig.ledger.stats(), { event_count: 7, duplicate_count: 0 })
  rig.chat.asked.splice(0)
  await rig.once()
  const anchors = rig.chat.asked.flatMap(({ query }) => query.get('anchor') ?? [])
  t.same(anchors, ['7'], 'after ten minutes nothing is read again')
})

t.test('a busy stream is read again by one page at most', async t => {
  const rig = await captureRig(t, { pageMessages: 100 })
  rig.chat.book.say(DEPLOYS, 250)
  await rig.ledger.noteCapture('deploys', { read_to: '0' })
  await rig.once()
  rig.chat.book.say(DEPLOYS, 3)
  rig.chat.asked.splice(0)
  t.match(await rig.once(), { messages: 3, created: 3, duplicates: 0 })
  const anchors = rig.chat.asked.flatMap(({ query }) => query.get('anchor') ?? [])
  t.same(anchors, ['200'])
})

t.test('a message that a webhook delivered before a large capture is not counted again by later captures', async t => {
  const rig = await captureRig(t)
  const newest = rig.chat.book.say(DEPLOYS, 1_050).at(-1) ?? 0
  await deliver(rig, newest)
  await rig.once('deploys', { backfill: 2_000 })
  t.match(await rig.once(), { messages: 0 })
  const event = (await allEvents(rig.ledger)).find(({ subject_id }) => subject_id === String(newest))
  t.equal(event?.seen_count, 2, 'once by the webhook, once by the capture')
})

t.test('the report of a capture names a renamed topic', async t => {
  for (const featureLevel of [270, 400]) {
    const rig = await captureRig(t, { featureLevel })
    rig.chat.book.say(DEPLOYS, 2)
    t.notOk((await rig.once()).renamed_to)
    rig.chat.book.resolve(DEPLOYS)
    t.match(await rig.once(), { outcome: 'captured', renamed_to: 'eng > ✔ deploys' })
    t.notOk((await rig.once()).renamed_to, 'once')
  }
})

t.test('two captures of one watch run one after the other, and no message is read twice', async t => {
  let inProgress = 0
  let most = 0
  const rig = await captureRig(t, {
    fault: () => {
      inProgress += 1
      most = Math.max(most, inProgress)
      const until = new Promise(resolve => setTimeout(resolve, 10)).then(() => {
        inProgress -= 1
      })
      return { kind: 'slow', until }
    },
  })
  rig.chat.book.say(DEPLOYS, 30)
  const runs = await Promise.all(Array.from({ length: 4 }, () => rig.once()))
  t.equal(most, 1)
  t.same(runs.map(({ messages }) => messages).sort(), [0, 0, 0, 30])
  t.match(await rig.ledger.stats(), { event_count: 30, duplicate_count: 0 })
})

t.test('after a capture is aborted, the next one begins', async t => {
  const stop = new AbortController()
  let silent = true
  const rig = await captureRig(t, {
    fault: () => (silent ? { kind: 'slow', until: new Promise(() => undefined) } : undefined),
  })
  rig.chat.book.say(DEPLOYS, 3)
  const request = rig.request({ subscription_id: 'deploys' })
  const first = rig.captures.run(request, { signal: stop.signal })
  setTimeout(() => stop.abort(new Error('called off')), 20)
  await t.rejects(first, { message: 'called off' })
  silent = false
  t.match(await rig.once(), { created: 3 })
  t.match((await rig.ledger.getSubscription('deploys')).capture, { failures: 0 })
})
