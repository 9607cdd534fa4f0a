import { gzipSync } from 'node:zlib'
import t from 'tap'
import { loginAfter } from '../../../src/platforms/feeds/feed-login.js'
import { readFeed } from '../../../src/platforms/feeds/read-feed.js'
import { rss, serveFeeds } from '../../support/feed-server.js'

t.test('an unchanged feed is not sent or not parsed again', async t => {
  const { answers, asked, url } = await serveFeeds(t)
  const headers = { etag: '"v1"', 'last-modified': 'Wed, 25 Nov 2026 12:00:00 GMT' }
  answers.set('/news', { headers, body: rss('1') })
  const { version, feed } = await readFeed(url('/news'))
  t.match(feed, { title: 'News', items: [{ key: '1' }] })
  answers.set('/news', { status: 304 })
  t.strictSame(await readFeed(url('/news'), { before: version }), { version })
  t.match(asked[1]?.headers, { 'if-none-match': '"v1"', 'if-modified-since': headers['last-modified'] })
  answers.set('/news', { body: rss('1') })
  const again = await readFeed(url('/news'), { before: version })
  t.equal(again.feed, undefined, 'a server that knows no conditions sends the same bytes')
  answers.set('/news', { body: rss('2', '1') })
  t.equal((await readFeed(url('/news'), { before: again.version })).feed?.items.length, 2)
})

t.test('redirects are followed, except to private addresses', async t => {
  const { answers, asked, url, port } = await serveFeeds(t)
  answers.set('/new', { body: rss('1') })
  answers.set('/old', { status: 301, headers: { location: '/new' } })
  t.equal((await readFeed(url('/old'))).feed?.items.length, 1)
  answers.set('/neuigkeiten-f%C3%BCr-alle', { body: rss('1', '2') })
  const raw = '/neuigkeiten-für-alle'
  for (const location of [Buffer.from(raw).toString('latin1'), raw]) {
    answers.set('/raw', { status: 301, headers: { location } })
    t.equal((await readFeed(url('/raw'))).feed?.items.length, 2, 'letters in UTF-8 or Latin-1 that are not encoded')
  }
  answers.set('/loop', { status: 302, headers: { location: '/loop' } })
  await t.rejects(readFeed(url('/loop')), { code: 'platform_answer_unreadable', message: /redirects/ })
  answers.set('/file', { status: 302, headers: { location: 'file:///etc/passwd' } })
  await t.rejects(readFeed(url('/file')), { code: 'platform_answer_unreadable' })
  const before = asked.length
  for (const host of [
    'localhost',
    '127.0.0.2',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[2002:7f00:1::]',
    '[64:ff9b::7f00:1]',
    '[::ffff:0:127.0.0.1]',
    '[fec0::1]',
    '0.0.0.0',
    '10.1.2.3',
    '169.254.169.254',
  ]) {
    answers.set('/away', { status: 302, headers: { location: `http://${host}:${port}/new` } })
    await t.rejects(readFeed(url('/away')), { code: 'platform_unreachable', message: /private address/ }, host)
  }
  t.ok(asked.slice(before).every(({ path }) => path === '/away'))
})

t.test(
  'a private address is allowed for the configured origin of a feed, and for no other origin of its host',
  async t => {
    const [named, other] = [await serveFeeds(t), await serveFeeds(t)]
    const at = (port: number) => `http://localhost:${port}/new`
    named.answers.set('/new', { body: rss('1') })
    other.answers.set('/new', { body: rss('2') })
    const redirected = (location: string) => {
      named.answers.set('/old', { status: 302, headers: { location } })
      return readFeed(at(named.port).replace('new', 'old'))
    }
    t.match((await redirected(at(named.port))).feed?.items, [{ key: '1' }])
    for (const url of [at(other.port), at(named.port).replace('http:', 'https:'), named.url('/new')]) {
      await t.rejects(redirected(url), { code: 'platform_unreachable', message: /private address/ }, url)
    }
    t.same(other.asked, [])
  },
)

t.test('a login is sent only to the origin of the feed, and not after a redirect has left it', async t => {
  const [named, other] = [await serveFeeds(t), await serveFeeds(t)]
  const login = { authorization: 'Bearer hidden' }
  named.answers.set('/new', { body: rss('1') })
  named.answers.set('/old', { status: 301, headers: { location: '/new' } })
  await readFeed(named.url('/old'), { login })
  t.same(
    named.asked.map(({ headers }) => headers.authorization),
    ['Bearer hidden', 'Bearer hidden'],
    'a redirect in the same origin keeps it',
  )
  // A test can serve private addresses only, to which no redirect may lead, so `loginAfter` decides alone below.
  for (const location of [other.url('/new'), `http://localhost:${named.port}/new`]) {
    named.answers.set('/away', { status: 302, headers: { location } })
    const error = await readFeed(named.url('/away'), { login }).catch((error: Error) => error)
    t.match(error, { code: 'platform_unreachable' })
    t.notMatch(String(Reflect.get(Object(error), 'stack')), 'hidden')
  }
  t.same(other.asked, [])
  const after = (...urls: string[]) =>
    loginAfter(
      urls.map(url => new URL(url)),
      login,
    )
  const feed = 'https://example.org/feed'
  t.same(after(feed, 'https://example.org/new'), login)
  for (const origin of ['http://example.org', 'https://example.org:8443', 'https://www.example.org']) {
    t.same(after(feed, `${origin}/feed`), {}, origin)
    t.same(after(feed, `${origin}/feed`, feed), {}, `back from ${origin}`)
  }
})

t.test('the time of a reading includes its redirects', async t => {
  const { answers, url } = await serveFeeds(t)
  const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
  answers.set('/a', { after: wait(1_500), status: 302, headers: { location: '/b' } })
  answers.set('/b', { after: new Promise(() => {}) })
  const began = performance.now()
  await t.rejects(readFeed(url('/a'), { seconds: 2 }), { code: 'platform_timeout' })
  t.ok(performance.now() - began < 3_300)
})

t.test('links are relative to the address of the feed without its query', async t => {
  const { answers, url } = await serveFeeds(t)
  const links = ['', '#top', '?page=2'].map(href => `<entry><id>x${href}</id><link href="${href}"/></entry>`)
  answers.set('/feed?token=hidden', { body: `<feed>${links.join('')}</feed>` })
  const { feed } = await readFeed(url('/feed?token=hidden'))
  t.same(
    feed?.items.map(({ link }) => link),
    [url('/feed'), url('/feed#top'), url('/feed?page=2')],
  )
})

t.test('a refusal of the server is an error with its Retry-After', async t => {
  const { answers, url } = await serveFeeds(t)
  const cases = [
    [
      { status: 429, headers: { 'retry-after': '120' } },
      { code: 'platform_rate_limited', retryAfterSeconds: 120 },
    ],
    [
      { status: 503, headers: { 'retry-after': '7' } },
      { code: 'platform_rate_limited', retryAfterSeconds: 7 },
    ],
    [{ status: 500 }, { code: 'platform_unavailable' }],
    [{ status: 401 }, { code: 'platform_not_permitted', message: /Give its proof a "login"/ }],
    [{ status: 403 }, { code: 'platform_not_permitted' }],
    [{ status: 410 }, { code: 'platform_place_unknown' }],
    [{ body: '<html></html>' }, { code: 'platform_answer_unreadable', message: /neither RSS nor Atom/ }],
    [
      { body: rss('2', '1').slice(0, -20) },
      { code: 'platform_answer_unreadable', message: /cut off.*read again later/ },
    ],
    [{ body: 'x'.repeat(5_000_000) }, { code: 'platform_answer_unreadable', message: /4 MiB/ }],
    [
      { body: gzipSync('x'.repeat(50_000_000)), headers: { 'content-encoding': 'gzip' } },
      { code: 'platform_answer_unreadable' },
    ],
    [{ body: 'x', headers: { 'content-encoding': 'br' } }, { code: 'platform_answer_unreadable' }],
  ] as const
  for (const [answer, error] of cases) {
    answers.set('/feed', answer)
    await t.rejects(readFeed(url('/feed')), error)
  }
  answers.set('/feed', { status: 401 })
  const login = { authorization: 'Bearer hidden' }
  await t.rejects(readFeed(url('/feed'), { login }), { message: /requires a login.*Compare the user or the header/ })
  await t.rejects(readFeed('http://127.0.0.1:1/feed'), { code: 'platform_unreachable' })
})

t.test('a feed is read in its encoding', async t => {
  const { answers, url } = await serveFeeds(t)
  const titleOf = async (body: Uint8Array, type: string) => {
    answers.set('/feed', { body, headers: { 'content-type': type } })
    return (await readFeed(url('/feed'))).feed?.items[0]?.title
  }
  const text = rss('1').replace('Item 1', 'Zoë')
  t.equal(await titleOf(Buffer.from(text), 'text/xml'), 'Zoë')
  t.equal(await titleOf(Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${text}`, 'latin1'), 'text/xml'), 'Zoë')
  const spaced = `\n<?xml version='1.0' encoding = 'ISO-8859-1' ?>${text}`
  t.equal(await titleOf(Buffer.from(spaced, 'latin1'), 'text/xml'), 'Zoë')
  t.equal(await titleOf(Buffer.from(text, 'latin1'), 'application/rss+xml; charset=windows-1252'), 'Zoë')
  t.equal(await titleOf(Buffer.from(`\ufeff${text}`, 'utf16le'), 'text/xml'), 'Zoë')
  t.equal(await titleOf(Buffer.from(`\ufeff${text}`), 'text/xml; charset=ISO-8859-1'), 'Zoë', 'the mark counts')
  t.equal(await titleOf(Buffer.from(text), 'text/xml; charset=nonsense'), 'Zoë')
  const encodings = [
    ...['gzip', 'x-gzip', 'GZIP'].map(name => [name, gzipSync(text)]),
    ['Identity', text],
    ['', text],
  ] as const
  for (const [name, body] of encodings) {
    answers.set('/feed', { body: body as string, headers: { 'content-encoding': name as string } })
    t.equal((await readFeed(url('/feed'))).feed?.items[0]?.title, 'Zoë', `Content-Encoding: ${name}`)
  }
})
