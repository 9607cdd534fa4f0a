import { EventEmitter, once } from 'node:events'
import pino from 'pino'
import type { Test } from 'tap'
import t from 'tap'
import { type FeedReport, Feeds } from '../../../src/ledger/feeds.js'
import type { StoredEvent } from '../../../src/model/events/event.js'
import { feedAt } from '../../../src/platforms/defined/presets/feed.js'
import { readFeed } from '../../../src/platforms/feeds/read-feed.js'
import { FeedSchedule } from '../../../src/runtime/sources/feed-schedule.js'
import { rss, serveFeeds } from '../../support/feed-server.js'
import { until } from '../../support/until.js'
import { BY_ADMIN_TOKEN, serveClosed } from '../closed-ledger.js'
import { openLedger } from '../consumers/serve-consumers.js'

const JSON_BY_ADMIN = { 'Content-Type': 'application/json', ...BY_ADMIN_TOKEN }

async function serveFeedSources(t: Test) {
  const { ledger, store, time, now } = await openLedger(t)
  const [served, feeds] = [await serveClosed(t, { ledger, now }), await serveFeeds(t)]
  const put = (name: string, definition: object, secrets?: string[]) =>
    served.send(`/api/sources/${name}`, {
      method: 'PUT',
      headers: JSON_BY_ADMIN,
      body: { definition: { name, ...definition }, ...(secrets === undefined ? {} : { secrets }) },
    })
  const read = (name: string) => served.send(`/api/sources/${name}/read`, { method: 'POST', headers: BY_ADMIN_TOKEN })
  const show = (name: string) => served.send(`/api/sources/${name}`, { headers: BY_ADMIN_TOKEN })
  const readDue = async () => {
    const reports: FeedReport[] = []
    await ledger.feeds.readDue('quick', report => reports.push(report), new AbortController().signal)
    return reports.sort((a, b) => (a.source < b.source ? -1 : 1))
  }
  const events = async () => {
    const { body } = await served.request('/api/events?order=asc', { headers: BY_ADMIN_TOKEN })
    return body.items as StoredEvent[]
  }
  const pass = (seconds: number) => {
    time.now += seconds * 1_000_000
  }
  return { ...served, ledger, store, now, feeds, put, read, readDue, show, events, pass }
}

t.test('items of a feed become events once, oldest first', async t => {
  const { feeds, put, read, events } = await serveFeedSources(t)
  feeds.answers.set('/news', { body: rss('2', '1') })
  t.match(await put('news', feedAt(feeds.url('/news'))), { status: 201, body: { source: { accepts: true } } })
  t.match(await read('news'), { status: 200, body: { created: 2, known: 0, unchanged: false } })
  t.match(await read('news'), { body: { created: 0, known: 0, unchanged: true } })
  feeds.answers.set('/news', { body: rss('3', '2', '1') })
  t.match(await read('news'), { body: { created: 1, known: 2 } })
  const found = await events()
  t.match(
    found.map(({ dedupe_key, seen_count }) => [dedupe_key, seen_count]),
    [
      ['news:1', 1],
      ['news:2', 1],
      ['news:3', 1],
    ],
  )
  t.match(found[0], {
    kind: 'entry.published',
    target: { key: 'entry:1', display: 'Item 1', parent: { key: 'feed:news', display: 'News' } },
    conversation: { title: 'Item 1', url: 'https://example.org/1' },
    payload: { feed: { source: 'news', url: feeds.url('/news'), title: 'News' }, item: { key: '1' } },
    provenance: { route: 'capture', verified: 'none' },
  })
})

t.test('a feed that is cut off records no event, and is read completely the next time', async t => {
  const { feeds, put, read, show, events } = await serveFeedSources(t)
  const headers = { etag: '"v1"' }
  feeds.answers.set('/news', { headers, body: rss('2', '1').slice(0, -20) })
  await put('news', feedAt(feeds.url('/news')))
  t.match(await read('news'), { status: 503, body: { code: 'platform_answer_unreadable' } })
  t.match((await show('news')).body, { feed: { problem: /cut off.* It is read again later\. If it is still cut off/ } })
  t.same(await events(), [])
  feeds.answers.set('/news', { headers, body: rss('2', '1') })
  t.match(await read('news'), { body: { created: 2 } })
  t.notOk(feeds.asked.at(-1)?.headers['if-none-match'], 'what was cut off is not remembered')
})

t.test('events do not contain the query of a feed address, and two queries are two feeds', async t => {
  const { feeds, put, read, events, show, request } = await serveFeedSources(t)
  for (const [name, token] of Object.entries({ ours: 'hidden-a', theirs: 'hidden-b' })) {
    feeds.answers.set(`/news?token=${token}`, { body: rss('1') })
    await put(name, feedAt(`${feeds.url('/news')}?token=${token}`))
    t.match(await read(name), { body: { created: 1 } })
    feeds.answers.set(`/news?token=${token}`, { status: 403 })
    t.notMatch(JSON.stringify((await read(name)).body), 'hidden')
    t.notMatch(JSON.stringify((await show(name)).body.feed), 'hidden')
  }
  const found = await events()
  t.notMatch(JSON.stringify(found), 'hidden')
  t.match(found, [
    { dedupe_key: 'ours:1', target: { parent: { key: 'feed:ours' } }, payload: { feed: { url: feeds.url('/news') } } },
    { dedupe_key: 'theirs:1', target: { parent: { key: 'feed:theirs' } } },
  ])
  t.match(await request('/api/sources'), { status: 401 })
  t.notMatch((await request('/api/platforms', { headers: BY_ADMIN_TOKEN })).text, 'hidden')
})

t.test('feeds are read when they are due, and later after a failure', async t => {
  const { feeds, put, readDue, show, pass } = await serveFeedSources(t)
  const every = (seconds: number, path: string) => ({
    ...feedAt(feeds.url(path)),
    proof: { type: 'feed', url: feeds.url(path), every_seconds: seconds },
  })
  feeds.answers.set('/a', { body: rss('1') })
  await put('a', every(60, '/a'))
  await put('b', every(60, '/b'))
  await put('off', { ...every(60, '/a'), enabled: false })
  await put('hook', { proof: { type: 'none' }, rules: [] })
  t.match(await readDue(), [
    { source: 'a', outcome: { created: 1 } },
    { source: 'b', error: { code: 'platform_place_unknown' } },
  ])
  t.same(await readDue(), [], 'none is due')
  t.match((await show('b')).body, { feed: { problem: /no such feed/, read_at: /Z$/, next_read_at: /Z$/ } })
  pass(60)
  t.match(await readDue(), [{ source: 'a', outcome: { unchanged: true } }])
  feeds.answers.set('/b', { status: 429, headers: { 'retry-after': '500' } })
  pass(60)
  t.match(await readDue(), [{ source: 'a' }, { source: 'b', error: { code: 'platform_rate_limited' } }])
  feeds.answers.set('/b', { body: rss('1') })
  pass(499)
  t.match(await readDue(), [{ source: 'a' }])
  pass(1)
  t.match(await readDue(), [{ source: 'b', outcome: { created: 1 } }])
  t.notOk('problem' in ((await show('b')).body.feed as object))
  await put('b', every(120, '/b'))
  t.match(await readDue(), [{ source: 'b' }], 'a definition that was replaced is read again')
})

t.test('a feed that is slow delays no other, and is not read twice at a time', async t => {
  const { ledger, feeds, put, read, events } = await serveFeedSources(t)
  const [gate, other] = [new EventEmitter(), await serveFeeds(t)]
  feeds.answers.set('/slow', { after: once(gate, 'open'), body: rss('1') })
  other.answers.set('/news', { body: rss('1') })
  await put('slow', feedAt(feeds.url('/slow')))
  const schedule = new FeedSchedule({ feeds: ledger.feeds, logger: pino({ level: 'silent' }), checkMs: 10 })
  t.teardown(() => schedule.stop())
  const recorded = async (count: number) => {
    await until(async () => (await events()).length >= count)
  }
  await until(() => feeds.asked.length > 0)
  await put('news', feedAt(other.url('/news')))
  await recorded(1)
  t.match(await events(), [{ source: 'news' }])
  let joined = 0
  const readOnRequest = ledger.feeds.read.bind(ledger.feeds)
  ledger.feeds.read = (...given) => {
    const outcome = readOnRequest(...given)
    joined++
    return outcome
  }
  const asked = read('slow')
  await until(() => joined > 0)
  gate.emit('open')
  t.match(await asked, { status: 200, body: { created: 1, unchanged: false } }, 'who asks joins the reading')
  await recorded(2)
  t.same([...feeds.asked, ...other.asked].map(({ path }) => path).sort(), ['/news', '/slow'])
})

t.test('feeds that take too long move to the slow lane, and no longer delay quick feeds', async t => {
  const { ledger, store, put, pass, now } = await serveFeedSources(t)
  const seconds = { quick: 0.7, slow: 0.8 }
  let mayBeSlow = Promise.resolve()
  /** Readings of the slow lane begin only once the result is called. */
  const holdSlow = () => {
    let release = () => {}
    mayBeSlow = new Promise(resolve => {
      release = resolve
    })
    return release
  }
  const feeds = new Feeds({
    clock: now,
    read: async (url, asked) => {
      if (asked?.seconds === seconds.slow) await mayBeSlow
      return readFeed(url, asked)
    },
    seconds,
    notes: store.notes,
    list: () => ledger.sources.list(),
    find: name => ledger.sources.find(name),
    record: deliveries => ledger.recordMissing(deliveries),
  })
  const slow = await Promise.all(Array.from({ length: 8 }, () => serveFeeds(t)))
  for (const [at, { answers, url }] of slow.entries()) {
    answers.set('/feed', { after: new Promise(() => {}) })
    await put(`slow-${at}`, feedAt(url('/feed')))
  }
  const news = await serveFeeds(t)
  news.answers.set('/feed', { body: rss('1') })
  await put('z-news', feedAt(news.url('/feed')))
  const failed = new Set<string>()
  const readDue: Feeds['readDue'] = (lane, report, signal) =>
    feeds.readDue(
      lane,
      done => {
        if (done.error) failed.add(done.source)
        report(done)
      },
      signal,
    )
  let release = holdSlow()
  const schedule = new FeedSchedule({ feeds: { readDue }, logger: pino({ level: 'silent' }), checkMs: 50 })
  t.teardown(() => schedule.stop())
  await until(() => news.asked.length === 1)
  t.same([...failed], [], 'behind eight new slow feeds it waits two turns of the quick lane')
  release()
  await until(() => failed.size === slow.length)
  t.notOk(failed.has('z-news'))
  failed.clear()
  release = holdSlow()
  pass(10_000)
  await until(() => news.asked.length === 2)
  t.same([...failed], [], 'behind eight known slow feeds it does not wait')
  release()
})

t.test('users can read the feeds of a host five times a minute, and not during its Retry-After', async t => {
  const { feeds, put, read, pass } = await serveFeedSources(t)
  feeds.answers.set('/news', { body: rss('1') })
  await put('news', feedAt(feeds.url('/news')))
  await put('other', feedAt(feeds.url('/news')))
  for (let times = 0; times < 5; times++) t.match(await read(times % 2 === 0 ? 'news' : 'other'), { status: 200 })
  pass(20)
  const refused = await read('news')
  t.match(refused, { status: 429, body: { code: 'read_too_often', detail: /in 40 seconds/ } })
  t.strictSame(Object.fromEntries(refused.headers)['retry-after'], '40')
  t.equal(feeds.asked.length, 5)
  pass(40)
  feeds.answers.set('/news', { status: 429, headers: { 'retry-after': '300' } })
  t.match(await read('news'), { status: 503, body: { code: 'platform_rate_limited' } })
  pass(100)
  t.match(await read('other'), { status: 429, body: { code: 'read_too_often', detail: /in 200 seconds/ } })
  pass(200)
  feeds.answers.set('/news', { body: rss('2', '1') })
  t.match(await read('news'), { status: 200, body: { created: 1 } })
})

t.test('a feed with a login is read with its secret, which no answer shows', async t => {
  const { feeds, put, read, show, events, request, log, pass } = await serveFeedSources(t)
  const [user, token] = ['a-password-of-the-feed', 'a-token-of-the-feed']
  feeds.answers.set('/news', { body: rss('1') })
  const url = feeds.url('/news')
  await put('basic', feedAt(url, { type: 'basic', username: 'ada' }))
  t.match((await show('basic')).body, { accepts: false })
  t.match(await read('basic'), { status: 403, body: { code: 'source_closed' } })
  t.same(feeds.asked, [], 'without a secret nothing is asked')
  await put('basic', feedAt(url, { type: 'basic', username: 'ada' }), [user])
  t.match(await read('basic'), { status: 200, body: { created: 1 } })
  await put('bearer', feedAt(url, { type: 'token', header: 'Authorization', prefix: 'Bearer ' }), [token])
  t.match(await read('bearer'), { status: 200, body: { created: 1 } })
  t.same(
    feeds.asked.map(({ headers }) => headers.authorization),
    [`Basic ${Buffer.from(`ada:${user}`).toString('base64')}`, `Bearer ${token}`],
  )
  feeds.answers.set('/news', { status: 401 })
  t.match(await read('basic'), { status: 403, body: { code: 'platform_not_permitted', detail: /login/ } })
  t.match((await show('basic')).body, { feed: { problem: /requires a login/ } })
  feeds.answers.set('/news', { body: rss('1') })
  pass(1)
  await put('basic', feedAt(url, { type: 'basic', username: 'ada' }), ['another'])
  t.notOk((await show('basic')).body.feed, 'after a change of the secret it is due')
  const all = [await events(), (await request('/api/sources', { headers: BY_ADMIN_TOKEN })).body]
  for (const name of ['basic', 'bearer']) all.push((await show(name)).body)
  const text = JSON.stringify([all, log])
  for (const secret of [user, token, Buffer.from(`ada:${user}`).toString('base64')]) t.notMatch(text, secret)
  await put('bearer', feedAt(url, { type: 'token', header: 'X-Token' }), ['not\u0000\u00fcsable'])
  const unusable = await read('bearer')
  t.match(unusable, { status: 403, body: { code: 'source_closed', detail: /header/ } })
  t.notMatch(unusable.text, 'sable.')
  for (const header of ['Host', 'If-None-Match', 'Content-Length', 'Accept']) {
    t.match(await put('bad', feedAt(url, { type: 'token', header })), {
      status: 400,
      body: { errors: [{ field: '/proof/login/header' }] },
    })
  }
  const { body: refused } = await put('bad', feedAt(url, { type: 'basic', user: 'ada' } as never))
  const problems = (refused.errors as { field: string }[]).map(({ field }) => field)
  t.same(problems, ['/proof/login/username', '/proof/login/user'], 'only those of the type that was sent')
})

t.test('a stored secret is sent only to the server that it was defined for', async t => {
  const { feeds, put, read, show } = await serveFeedSources(t)
  const other = await serveFeeds(t)
  const login = { type: 'basic', username: 'ada' } as const
  const hook = { proof: { type: 'token', header: 'X-Token' }, rules: [] }
  const refused = { status: 400, body: { errors: [{ field: '/secrets' }] } }
  await put('hook', hook, ['of-the-hook'])
  t.match(await put('hook', feedAt(other.url('/news'), login)), refused, 'a secret of deliveries')
  await put('news', feedAt(feeds.url('/news'), login), ['of-the-feed'])
  t.match(await put('news', feedAt(other.url('/news'), login)), refused, 'a secret of another server')
  await put('news', feedAt(feeds.url('/news')))
  t.match(await put('news', feedAt(feeds.url('/other'), login)), refused, 'one that was not sent before')
  t.match((await show('hook')).body, { definition: { proof: { type: 'token' } }, secret_count: 1 })
  t.match(await put('news', feedAt(feeds.url('/news'), login), ['of-the-feed']), { status: 200 })
  const token = { type: 'token', header: 'X-Token' } as const
  t.match(await put('news', feedAt(feeds.url('/other'), token)), { status: 200 }, 'the same server keeps it')
  t.match(await put('news', feedAt(other.url('/news'), login), ['of-the-other']), { status: 200 })
  other.answers.set('/news', { body: rss('1') })
  await read('news')
  const shown = Buffer.from('ada:of-the-other').toString('base64')
  t.same(
    other.asked.map(({ headers }) => headers.authorization),
    [`Basic ${shown}`],
  )
})

t.test('a rule maps an item of a feed, and deliveries to a feed are refused', async t => {
  const { feeds, put, read, events, post, send } = await serveFeedSources(t)
  feeds.answers.set('/news', { body: rss('1', 'x'.repeat(400), '\u{1f4a1}') })
  const rules = [{ when: [{ at: '/item/title', is: 'Item 1' }], kind: 'news.seen', subject_id: '{/item/key}' }]
  await put('news', { ...feedAt(feeds.url('/news')), rules })
  t.match(await read('news'), { body: { created: 3 } })
  t.match(
    (await events()).map(({ kind }) => kind),
    ['delivery.unmapped', 'delivery.unmapped', 'news.seen'],
  )
  await put('news', feedAt(feeds.url('/news')))
  t.match(await send('/api/sources/news/remap', { method: 'POST', headers: BY_ADMIN_TOKEN }), { body: { created: 2 } })
  t.match(await post('/webhooks/in/news', {}), { status: 403, body: { code: 'source_closed' } })
  await put('hook', { proof: { type: 'none' }, rules: [] })
  t.match(await read('hook'), { status: 409, body: { code: 'not_a_feed' } })
  t.match(await read('none'), { status: 404 })
  for (const url of ['file:///etc/passwd', 'ftp://a/b', 'http://', 'http://user:secret@example.org/', 'https://u@x/']) {
    const { status, text } = await put('bad', feedAt(url))
    t.equal(status, 400, url)
    t.notMatch(text, 'secret@')
  }
})
