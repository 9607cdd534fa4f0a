import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { bodyOf, headersOf, httpBackend, KEY, proxyRig, rawBackend, type Seen, statusOf } from './proxy-rig.js'

/** The headers that a backend received, names in lower case. */
function headersSeen({ rawHeaders }: Seen): Record<string, string[]> {
  const headers: Record<string, string[]> = {}
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? ''
    headers[name] = [...(headers[name] ?? []), rawHeaders[i + 1] ?? '']
  }
  return headers
}

t.test('a request is forwarded to the backend with its key, and its answer is returned', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ other: { ...backend.profile, url: `${backend.profile.url}/their/root/` } })
  const answer = await rig.ask('/api/backends/other/api/cards?column=doing')
  t.equal(statusOf(answer), 200)
  t.match(bodyOf(answer), '{"ok":true}')
  const [seen] = backend.seen
  t.match(seen, { method: 'GET', url: '/their/root/api/cards?column=doing', body: '' })
  t.same(seen && headersSeen(seen), {
    'accept-encoding': ['identity'],
    authorization: [`Bearer ${KEY}`],
    connection: ['keep-alive'],
    host: [`127.0.0.1:${backend.port}`],
  })
  // A request is logged once its answer is over, which its reader may see first.
  while (rig.log.length === 0) await setTimeout(5)
  t.match(rig.log, [{ status: 200, backend: 'other' }])
  t.notMatch(JSON.stringify(rig.log), KEY)
})

t.test('every method is forwarded with its body, and GET and HEAD without one', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'GET', 'HEAD']) {
    const lines = ['Content-Type: application/json', 'Content-Length: 7']
    t.equal(statusOf(await rig.ask('/api/backends/p/api/x', lines, { method, body: '{"a":1}' })), 200, method)
    const seen = backend.seen.at(-1)
    const isRead = method === 'GET' || method === 'HEAD'
    t.match(seen, { method, body: isRead ? '' : '{"a":1}' }, method)
    t.same(seen && headersSeen(seen)['content-length'], isRead ? undefined : ['7'], method)
  }
  t.match(
    await rig.ask('/api/backends/p/api/x', [], { method: 'OPTIONS' }),
    /^HTTP\/1\.1 204 [\s\S]*\r\nAllow: GET, HEAD/,
  )
  t.equal(statusOf(await rig.ask('/api/backends/p/api/x', [], { method: 'TRACE' })), 405)
  t.equal(backend.seen.length, 6)
})

t.test('a chunked body is forwarded in chunks, and an empty one without a body', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const chunked = { method: 'POST', body: '3;x=y\r\nabc\r\n4\r\ndefg\r\n0\r\nX-Trailer: a\r\n\r\n' }
  await rig.ask('/api/backends/p/api/x', ['Transfer-Encoding: chunked', 'Trailer: X-Trailer', 'TE: trailers'], chunked)
  await rig.ask('/api/backends/p/api/x', [], { method: 'POST' })
  await rig.ask('/api/backends/p/api/x', ['Content-Length: 0'], { method: 'POST' })
  t.match(backend.seen, [{ body: 'abcdefg' }, { body: '' }, { body: '' }])
  t.match(headersSeen(backend.seen[0] as Seen), { 'transfer-encoding': ['chunked'], te: undefined, trailer: undefined })
  for (const seen of backend.seen.slice(1)) t.same(headersSeen(seen)['content-length'], ['0'])
})

t.test('headers that are not on the list are not forwarded, in any spelling', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const left = [
    ...['Cookie: board_session=v2.a.b', 'X-CSRF-Token: a', 'Origin: http://localhost', 'Referer: http://localhost/'],
    ...['Authorization: Bearer ours', 'X-Board-Token: ours', 'X-Board-Executor-Token: ours', 'X-Event-Admin-Token: a'],
    ...['Forwarded: for=1.2.3.4', 'X-Forwarded-For: 1.2.3.4', 'X-Forwarded-Host: evil.example', 'X-Real-IP: 1.2.3.4'],
    ...['X_Board_Token: a', 'X_BOARD_EXECUTOR_TOKEN: a', 'X_Forwarded_For: a', 'x.board.token: a', 'Content_Type: a'],
    ...['Proxy-Authorization: Basic YTpi', 'Proxy-Connection: keep-alive', 'Keep-Alive: timeout=9', 'Via: 1.1 a'],
    ...['Connection: authorization, host, content-type', 'TE: trailers', 'Accept-Encoding: gzip', 'User-Agent: a'],
    ...[
      'X-Original-URL: /admin',
      'X-Rewrite-URL: /admin',
      'X-HTTP-Method-Override: DELETE',
      'Sec-Fetch-Site: same-origin',
    ],
    ...['__proto__: a', 'constructor: a', 'Max-Forwards: 1', 'Date: a', 'X-Api-Key: a', 'Upgrade-Insecure-Requests: 1'],
  ]
  const passed = [
    ...['Accept: application/json', 'Accept-Language: de', 'Content-Type: text/plain', 'If-Match: "3"'],
    ...['If-None-Match: "a", "b"', 'If-Modified-Since: Sat, 01 Jan 2031 00:00:00 GMT', 'Range: bytes=0-1'],
    ...['If-Range: "a"', 'If-Unmodified-Since: Sat, 01 Jan 2031 00:00:00 GMT'],
    ...['Last-Event-ID: 7', 'X-Request-Id: abc'],
  ]
  const answer = await rig.raw(
    `POST /api/backends/p/api/x HTTP/1.1\r\nHost: localhost\r\n${[...left, ...passed].join('\r\n')}\r\nConnection: close\r\nContent-Length: 1\r\n\r\na`,
  )
  t.equal(statusOf(answer), 200)
  t.same(headersSeen(backend.seen[0] as Seen), {
    accept: ['application/json'],
    'accept-encoding': ['identity'],
    'accept-language': ['de'],
    authorization: [`Bearer ${KEY}`],
    connection: ['keep-alive'],
    'content-length': ['1'],
    'content-type': ['text/plain'],
    host: [`127.0.0.1:${backend.port}`],
    'if-match': ['"3"'],
    'if-modified-since': ['Sat, 01 Jan 2031 00:00:00 GMT'],
    'if-none-match': ['"a", "b"'],
    'if-range': ['"a"'],
    'if-unmodified-since': ['Sat, 01 Jan 2031 00:00:00 GMT'],
    'last-event-id': ['7'],
    range: ['bytes=0-1'],
    'x-request-id': ['abc'],
  })
})

t.test('the executor token of the backend is forwarded under its own name, and ours is not', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const lines = ['X-Board-Executor-Token: ours', 'X-Board-Backend-Executor-Token: theirs']
  await rig.ask('/api/backends/p/api/cards/1/runs', lines, { method: 'POST' })
  const seen = headersSeen(backend.seen[0] as Seen)
  t.same(seen['x-board-executor-token'], ['theirs'])
  t.equal(seen['x-board-backend-executor-token'], undefined)
  t.match(await rig.ask('/api/backends/p/api/x', [lines[1] ?? '', lines[1] ?? '']), /duplicate_header/)
})

t.test('request smuggling is refused, or stays one request', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const inner = 'GET /api/secret HTTP/1.1\r\nHost: x\r\n\r\n'
  const length = `Content-Length: ${inner.length}`
  const refused = [
    [['Content-Length: 1', 'Content-Length: 2'], inner],
    [['Content-Length: 5', 'Transfer-Encoding: chunked'], `0\r\n\r\n${inner}`],
    [['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${inner}`],
    [['Transfer-Encoding: identity'], inner],
    [['Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'],
    [['Transfer-Encoding : chunked'], `0\r\n\r\n${inner}`],
    [['Content-Length: +5'], inner],
    [['Content-Length: 0x5'], inner],
    [['X: a\nTransfer-Encoding: chunked'], `0\r\n\r\n${inner}`],
  ] as const
  for (const [lines, body] of refused) {
    const answer = await rig.ask('/api/backends/p/api/x', lines, { method: 'POST', body })
    t.match(answer, /^HTTP\/1\.1 400 /, lines.join())
  }
  await rig.ask('/api/backends/p/api/x', [length], { method: 'GET', body: inner })
  await rig.ask('/api/backends/p/api/x', [length], { method: 'POST', body: inner })
  t.notOk(backend.seen.some(({ url }) => url === '/api/secret'))
})

t.test('hostile paths reach no backend, under every root path', async t => {
  const backend = await httpBackend(t)
  const fixture = new URL('./fixtures/hostile-proxy-paths.txt', import.meta.url)
  const paths = readFileSync(fixture, 'utf8')
    .split('\n')
    .filter(line => line !== '')
  for (const rootPath of ['', '/boards']) {
    const rig = await proxyRig(t, { rootPath })
    rig.configure({ p: backend.profile })
    for (const path of paths) {
      const head = `GET ${rootPath}/api/backends/p${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
      const answer = await rig.raw(Buffer.from(head))
      t.match(answer, /^HTTP\/1\.1 40[04] [\s\S]*"code":"(?:invalid_path|not_found|bad_request)"/, path)
    }
    t.equal(statusOf(await rig.ask(`${rootPath}/API/backends/p/api/cards`)), 404)
    t.equal(statusOf(await rig.ask(`${rootPath}/api/backends/P/api/cards`)), 404)
    t.equal(statusOf(await rig.ask(`${rootPath}/api/backends/..%2fp/api/cards`)), 404)
    t.equal(statusOf(await rig.ask(`${rootPath}/api/backends/__proto__/api/cards`)), 404)
  }
  t.equal(backend.seen.length, 0)
})

t.test('a request for a service worker script is refused', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  t.match(
    await rig.ask('/api/backends/p/api/x', ['Service-Worker: script']),
    /^HTTP\/1\.1 403 [\s\S]*"code":"forbidden"/,
  )
  t.equal(backend.seen.length, 0)
})

t.test('encoded bodies and bodies that are too large are refused before the backend is contacted', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const post = (lines: string[]) => rig.ask('/api/backends/p/api/x', lines, { method: 'POST', body: 'abc' })
  t.match(await post(['Content-Encoding: gzip', 'Content-Length: 3']), /^HTTP\/1\.1 415 /)
  t.match(await post([`Content-Length: ${10 * 1024 * 1024 + 1}`]), /^HTTP\/1\.1 413 [\s\S]*10 MiB/)
  t.equal(backend.seen.length, 0)
})

t.test('a sender that expects 100 Continue receives it when the backend is connected', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile, gone: { url: 'http://127.0.0.1:1' } })
  const lines = ['Expect: 100-continue', 'Content-Length: 3']
  const answer = await rig.ask('/api/backends/p/api/x', lines, { method: 'POST', body: 'abc' })
  t.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /)
  t.match(backend.seen, [{ body: 'abc' }])
  t.equal(headersSeen(backend.seen[0] as Seen).expect, undefined)
  const refused = await rig.ask('/api/backends/gone/api/x', lines, { method: 'POST' })
  t.match(refused, /^HTTP\/1\.1 502 /)
})

t.test('a profile that leads to this server is refused under every name, before the request is sent', async t => {
  const rig = await proxyRig(t)
  let bytes = 0
  const ledger = await rawBackend(t, socket => {
    socket.on('data', data => {
      bytes += data.length
    })
  })
  const everywhere = await proxyRig(t, { host: '0.0.0.0' })
  const withLedger = await proxyRig(t, { listeners: [{ address: '127.0.0.1', port: ledger.port }] })
  const aliases = ['127.0.0.1', 'localhost', '0.0.0.0', '0x7f.1', '2130706433', '127.1', '[::ffff:127.0.0.1]']
  for (const [at, alias] of aliases.entries()) {
    rig.configure({ self: { url: `http://${alias}:${rig.port}` } })
    t.match(await rig.ask('/api/backends/self/api/backends'), /^HTTP\/1\.1 502 /, alias)
    while (rig.log.length <= at) await setTimeout(5)
    t.match(rig.log.at(-1), { reason: 'leads back to this server', backend: 'self' }, alias)
    withLedger.configure({ self: { url: `http://${alias}:${ledger.port}` } })
    t.match(await withLedger.ask('/api/backends/self/api/events'), /^HTTP\/1\.1 502 /, alias)
    const post = { method: 'POST', body: 'abc' }
    t.match(await withLedger.ask('/api/backends/self/api/events', ['Content-Length: 3'], post), /^HTTP\/1\.1 502 /)
  }
  for (const [at, alias] of [...aliases, '127.9.9.9'].entries()) {
    everywhere.configure({ self: { url: `http://${alias}:${everywhere.port}` } })
    t.match(await everywhere.ask('/api/backends/self/api/backends'), /^HTTP\/1\.1 502 /, alias)
    while (everywhere.log.length <= at) await setTimeout(5)
    t.match(everywhere.log.at(-1), { reason: 'leads back to this server' }, alias)
  }
  rig.configure({ self: { url: `https://localhost:${rig.port}` } })
  t.match(await rig.ask('/api/backends/self/api/backends'), /^HTTP\/1\.1 502 /)
  // A request is logged once its answer is over, which its reader may see first.
  while (rig.log.length <= aliases.length) await setTimeout(5)
  t.match(rig.log.at(-1), { reason: 'leads back to this server' })
  t.equal(rig.log.length, aliases.length + 1, 'it never sent a request to its own address')
  t.equal(bytes, 0)
})

t.test('a rotated key is used from the next request', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  for (const key of [KEY, 'key-of-the-other-bo4rd', 'a']) {
    writeFileSync(join(rig.folder, 'key'), key)
    await rig.ask('/api/backends/p/api/x')
    t.same(headersSeen(backend.seen.at(-1) as Seen).authorization, [`Bearer ${key}`])
  }
  rmSync(join(rig.folder, 'key'))
  t.match(await rig.ask('/api/backends/p/api/x'), /^HTTP\/1\.1 503 [\s\S]*"code":"backends_invalid"/)
  t.equal(backend.seen.length, 3)
})

t.test('profiles follow changes of their file, and are listed without their keys', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  const list = async () => JSON.parse(bodyOf(await rig.ask('/api/backends')))
  t.same(await list(), { items: [], count: 0 })
  t.match(await rig.ask('/api/backends/p/api/x'), /^HTTP\/1\.1 404 /)
  rig.configure({ p: backend.profile, q: { url: 'https://board.example.org/x/' } })
  t.same(await list(), {
    items: [
      { name: 'p', url: backend.profile.url },
      { name: 'q', url: 'https://board.example.org/x' },
    ],
    count: 2,
  })
  t.match(await rig.ask('/api/backends/p/api/x'), /^HTTP\/1\.1 200 /)
  rig.configure({ q: backend.profile })
  t.match(await rig.ask('/api/backends/p/api/x'), /^HTTP\/1\.1 404 /)
  t.match(await rig.ask('/api/backends/q/api/x'), /^HTTP\/1\.1 200 /)
})

t.test('a broken file makes all profiles unusable and is reported once, without its content', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  t.match(await rig.ask('/api/backends/p/api/x'), /^HTTP\/1\.1 200 /)
  writeFileSync(join(rig.folder, 'backends.json'), '{"profiles":{"p":{"url":"http://user:hunter2@x"')
  for (const path of ['/api/backends/p/api/x', '/api/backends/unknown/api/x', '/api/backends']) {
    const answer = await rig.ask(path)
    t.match(answer, /^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 60[\s\S]*"code":"backends_invalid"/, path)
    t.notMatch(answer, /hunter2/)
  }
  t.same(rig.warnings, ['The backend profiles cannot be used. backends.json is not valid: It is not JSON.'])
  t.notMatch(JSON.stringify(rig.log), /hunter2/)
  rig.configure({ p: backend.profile })
  t.match(await rig.ask('/api/backends/p/api/x'), /^HTTP\/1\.1 200 /)
})

t.test('the answer has only the allowed headers and our own', async t => {
  const backend = await httpBackend(t, (_req, res) => {
    res.setHeader('Set-Cookie', ['board_session=evil; Path=/', 'a=b'])
    res.setHeader('ETag', '"3"')
    res.setHeader('Last-Modified', 'Sat, 01 Jan 2031 00:00:00 GMT')
    res.setHeader('Cache-Control', 'private, max-age=5')
    res.setHeader('Retry-After', '7')
    res.setHeader('Content-Type', 'application/json; charset=utf-8')
    for (const name of ['Access-Control-Allow-Origin', 'Clear-Site-Data', 'Refresh', 'Link', 'Server', 'X-Evil']) {
      res.setHeader(name, '*')
    }
    res.setHeader('Content-Security-Policy', 'default-src *')
    res.setHeader('X-Frame-Options', 'ALLOWALL')
    res.setHeader('Content-Disposition', 'inline')
    res.setHeader('Trailer', 'Set-Cookie')
    res.setHeader('Service-Worker-Allowed', '/')
    res.setHeader('X-Request-Id', 'theirs')
    res.end('{}')
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const headers = headersOf(await rig.ask('/api/backends/p/api/x'))
  headers.delete('date')
  t.same(Object.fromEntries(headers), {
    'cache-control': 'private, max-age=5',
    connection: 'close',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': 'application/json; charset=utf-8',
    'cross-origin-resource-policy': 'same-origin',
    etag: '"3"',
    'last-modified': 'Sat, 01 Jan 2031 00:00:00 GMT',
    'referrer-policy': 'same-origin',
    'retry-after': '7',
    'transfer-encoding': 'chunked',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-request-id': 'request-1',
  })
})

t.test('an answer that a browser would show as a page is sent as a download', async t => {
  const shown = [
    'application/json',
    'Application/JSON;charset=utf-8',
    'text/plain',
    'text/plain ; x=y',
    'text/event-stream',
  ]
  const saved = [
    'text/html',
    'image/svg+xml',
    'text/xml',
    'application/javascript',
    '',
    'application/json, text/html',
    'x',
  ]
  let type = ''
  const backend = await httpBackend(t, (_req, res) => {
    if (type) res.setHeader('Content-Type', type)
    res.end('<script>alert(1)</script>')
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  for (type of [...shown, ...saved]) {
    const headers = headersOf(await rig.ask('/api/backends/p/api/x'))
    t.equal(headers.get('content-disposition'), saved.includes(type) ? 'attachment' : undefined, type)
    t.equal(headers.get('content-security-policy'), "sandbox; default-src 'none'")
    t.equal(headers.get('cache-control'), 'no-store')
  }
})

t.test('redirects are forwarded, not followed, and only below the same backend', async t => {
  let location = ''
  let status = 302
  const backend = await httpBackend(t, (_req, res) => {
    res.writeHead(status, { location })
    res.end()
  })
  const rig = await proxyRig(t, { rootPath: '/boards' })
  const origin = `http://127.0.0.1:${backend.port}`
  rig.configure({ p: { ...backend.profile, url: `${origin}/root` } })
  const ask = () => rig.ask('/boards/api/backends/p/api/cards/1')
  const inside = [
    ['/root/api/cards/2', '/api/cards/2'],
    ['2?x=1', '/api/cards/2?x=1'],
    ['../runs', '/api/runs'],
    ['?x', '/api/cards/1?x'],
    [`${origin}/root/api/cards`, '/api/cards'],
    [`//127.0.0.1:${backend.port}/root/api/cards#x`, '/api/cards'],
  ] as const
  for (status of [201, 301, 302, 303, 307, 308]) {
    for (const [given, expected] of inside) {
      location = given
      const answer = await ask()
      t.equal(statusOf(answer), status, given)
      t.equal(headersOf(answer).get('location'), `/boards/api/backends/p${expected}`, given)
    }
  }
  const outside = [
    ...['http://evil.example/', '//evil.example/root/api/x', '/\\evil.example/root/api/x', 'javascript:alert(1)', '/'],
    ...['/api/cards', '/root/apix', '/root/api', '/root/../api/cards', '/root/api/../../admin', '/root/api/..%2fadmin'],
    ...['/root/api//evil.example', `https://127.0.0.1:${backend.port}/root/api/x`, `http://127.0.0.1:1/root/api/x`],
    ...[
      'http://',
      'data:text/html,x',
      '/root/api/%2e%2e/%2e%2e/admin',
      '/ROOT/api/x',
      '',
      '/root/api/a%00',
      '/root/api/[x]',
    ],
  ]
  for (location of outside.filter(text => text !== '')) {
    t.match(await ask(), /^HTTP\/1\.1 502 [\s\S]*"code":"bad_gateway"/, location)
    t.notMatch(await ask(), /evil|\r\nLocation/i, location)
  }
})

t.test('answers without a body are forwarded without one', async t => {
  const backend = await httpBackend(t, ({ url = '', method }, res) => {
    const status = Number(url.slice(-3))
    res.writeHead(status, { etag: '"1"', ...(status === 200 ? { 'content-type': 'application/json' } : {}) })
    res.end(method === 'HEAD' ? undefined : '{}')
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const notModified = await rig.ask('/api/backends/p/api/304', ['If-None-Match: "1"'])
  t.match(notModified, /^HTTP\/1\.1 304 [\s\S]*\r\nETag: "1"[\s\S]*\r\n\r\n$/)
  t.notMatch(notModified, /content-disposition/i, 'which would turn the stored answer into a download')
  t.match(await rig.ask('/api/backends/p/api/204', [], { method: 'DELETE' }), /^HTTP\/1\.1 204 [\s\S]*\r\n\r\n$/)
  t.match(await rig.ask('/api/backends/p/api/200', [], { method: 'HEAD' }), /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/)
  t.same(
    backend.seen.map(({ method }) => method),
    ['GET', 'DELETE', 'HEAD'],
  )
})

t.test('the length of an answer is kept, also for HEAD', async t => {
  const backend = await httpBackend(t, (_req, res) => {
    res.setHeader('content-length', 5)
    res.end('hello')
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  for (const method of ['GET', 'HEAD']) {
    const answer = await rig.ask('/api/backends/p/api/x', [], { method })
    t.equal(headersOf(answer).get('content-length'), '5')
    t.equal(bodyOf(answer), method === 'GET' ? 'hello' : '')
  }
})

t.test('a key file that other users can read is used and reported', async t => {
  const backend = await httpBackend(t)
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  chmodSync(join(rig.folder, 'key'), 0o644)
  for (let times = 0; times < 2; times++) t.equal(statusOf(await rig.ask('/api/backends/p/api/x')), 200)
  t.equal(rig.warnings.length, 1)
  t.match(rig.warnings, [/"p" can be read by other users/])
})
