import t from 'tap'
import { serve } from '../serve.js'

const end = 'Connection: close\r\n\r\n'
/** Header lines that stand before `Host` and `Connection`. */
const lines = (count: number) => 'X-Line: x\r\n'.repeat(count - 2)

const cases = [
  { name: 'a request without Host', text: `GET /api/health HTTP/1.1\r\n${end}`, status: 400, code: 'bad_host' },
  { name: 'an empty Host', text: `GET /api/health HTTP/1.1\r\nHost:\r\n${end}`, status: 400, code: 'bad_host' },
  ...['a@b', 'localhost:port', 'localhost/x', 'a b', 'localhost:123456', '[::1', '::1', 'é', 'a,b', 'http://a'].map(
    host => ({
      name: `Host ${host}`,
      text: `GET /api/health HTTP/1.1\r\nHost: ${host}\r\n${end}`,
      status: 400,
      code: 'bad_host',
    }),
  ),
  {
    name: 'a malformed Host on an unknown route',
    text: `GET /nothing HTTP/1.1\r\nHost: a@b\r\n${end}`,
    status: 400,
    code: 'bad_host',
  },
  {
    name: 'two Hosts',
    text: `GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n${end}`,
    status: 400,
    code: 'duplicate_header',
  },
  ...['Origin', 'Authorization', 'X-CSRF-Token', 'X-Event-Admin-Token', 'Content-Type', 'X-Board-Token'].map(name => ({
    name: `two lines of ${name}`,
    text: `GET /api/health HTTP/1.1\r\nHost: localhost\r\n${name}: a\r\n${name.toLowerCase()}: a\r\n${end}`,
    status: 400,
    code: 'duplicate_header',
  })),
  {
    name: 'two lines of a header that may repeat',
    text: `GET /api/health HTTP/1.1\r\nHost: localhost\r\nAccept: a\r\nAccept: b\r\n${end}`,
    status: 200,
  },
  {
    name: 'a target with another host in it',
    text: `GET http://elsewhere.example/api/health HTTP/1.1\r\nHost: localhost\r\n${end}`,
    status: 400,
    code: 'bad_request',
  },
  { name: 'OPTIONS *', text: `OPTIONS * HTTP/1.1\r\nHost: localhost\r\n${end}`, status: 400, code: 'bad_request' },
  { name: 'HTTP/1.0 with Host', text: 'GET /api/health HTTP/1.0\r\nHost: localhost\r\n\r\n', status: 200 },
  {
    name: 'HTTP/1.0 without Host, which an open ledger cannot distinguish from a foreign one',
    text: 'GET /api/health HTTP/1.0\r\n\r\n',
    status: 403,
    code: 'host_not_allowed',
  },
  { name: 'a request that is not HTTP', text: 'HELLO\r\n\r\n', status: 400, code: 'bad_request' },
  {
    name: 'two lengths',
    text: 'POST /api/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    status: 400,
    code: 'bad_request',
  },
  {
    name: 'a length and chunks',
    text: 'POST /api/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    status: 400,
    code: 'bad_request',
  },
  {
    name: 'broken chunks',
    text: 'POST /api/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    status: 400,
    code: 'bad_request',
  },
  ...['gzip, chunked', 'identity, chunked', 'gzip\r\nTransfer-Encoding: chunked'].map(coding => ({
    name: `a body sent with Transfer-Encoding ${coding}`,
    text: `POST /api/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n${end}2\r\n[]\r\n0\r\n\r\n`,
    status: 400,
    code: 'bad_request',
  })),
  {
    name: 'chunks in upper case',
    text: `POST /api/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: CHUNKED\r\n${end}2\r\n[]\r\n0\r\n\r\n`,
    status: 200,
  },
  {
    name: 'headers over 16 KiB',
    text: `GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(17_000)}\r\n${end}`,
    status: 431,
    code: 'headers_too_large',
  },
  ...[100, 101, 102, 200, 1_000].map(count => ({
    name: `${count} header lines`,
    text: `GET /api/health HTTP/1.1\r\n${lines(count)}Host: localhost\r\n${end}`,
    ...(count <= 100 ? { status: 200 } : { status: 431, code: 'headers_too_large' }),
  })),
  {
    name: 'a Content-Type line after a hundred others',
    text: `POST /api/events HTTP/1.1\r\nHost: localhost\r\n${lines(100)}Content-Type: application/json\r\nContent-Length: 0\r\n${end}`,
    status: 431,
    code: 'headers_too_large',
  },
  ...['X-Line', 'Authorization', 'X-Gitlab-Event', 'Content-Type'].map(name => ({
    name: `a line of ${name} over 8 KiB`,
    text: `GET /api/health HTTP/1.1\r\nHost: localhost\r\n${name}: ${'x'.repeat(8 * 1024)}\r\n${end}`,
    status: 431,
    code: 'headers_too_large',
  })),
  {
    name: 'a line of 8 KiB',
    text: `GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Line: ${'x'.repeat(8 * 1024 - 6)}\r\n${end}`,
    status: 200,
  },
  {
    name: 'cookies of other programs over 8 KiB',
    text: `GET /api/health HTTP/1.1\r\nHost: localhost\r\nCookie: a=${'x'.repeat(12 * 1024)}\r\n${end}`,
    status: 200,
  },
  {
    name: 'a header with a name of Object.prototype',
    text: `GET /api/health HTTP/1.1\r\nHost: localhost\r\n__proto__: a\r\nconstructor: b\r\n${end}`,
    status: 200,
  },
]

t.test('a malformed request is refused before any other check', async t => {
  const { raw, request } = await serve(t)
  for (const { name, text, status, code } of cases) {
    const answer = await raw(text)
    t.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), name)
    if (!code) continue
    t.match(answer, new RegExp(`"code":"${code}"`), name)
    t.match(answer, /\r\nX-Request-Id: request-\d+\r\n/i, name)
    t.match(answer, /\r\nX-Content-Type-Options: nosniff\r\n/i, name)
    t.match(answer, /\r\nContent-Type: application\/problem\+json\r\n/i, name)
  }
  t.match(await request('/api/health'), { status: 200 }, 'the server is well')
})

t.test('a request that offers another protocol is answered in HTTP/1.1, and its connection is closed', async t => {
  const { raw } = await serve(t)
  const offers = [
    'Upgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
  ]
  for (const offer of offers) {
    const lines = `HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n${offer}\r\n`
    const read = await raw(`GET /api/events ${lines}\r\n`)
    t.match(read, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nConnection: close\r\n[\s\S]*\{"items":\[/, offer)
    const event = JSON.stringify({ kind: 'a.b', subject_id: '1', subject_type: 'c' })
    const json = `Content-Type: application/json\r\nContent-Length: ${event.length}\r\n`
    const recorded = await raw(`POST /api/events ${lines}${json}\r\n${event}GET /api/events HTTP/1.1\r\n\r\n`)
    t.match(recorded, /^HTTP\/1\.1 20[01] [\s\S]*\r\nConnection: close\r\n/, offer)
    t.equal(recorded.split('HTTP/1.1 ').length, 2, 'bytes behind it are no request')
  }
})

t.test('a request for a tunnel is disconnected', async t => {
  const { raw, request } = await serve(t)
  t.equal(await raw('CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n'), '')
  t.match(await request('/api/health'), { status: 200 })
})

t.test('pipelined requests are answered in order', async t => {
  const { raw } = await serve(t)
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
  const answers = await raw(`${get('/api/health')}${get('/nothing')}${get('/api/stats', 'Connection: close\r\n')}`)
  t.same(
    [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['200', '404', '200'],
  )
})

t.test('unreadable requests are logged with the address of the sender and without their text', async t => {
  const { raw, log } = await serve(t)
  await raw('SECRET hunter2\r\n\r\n')
  t.match(log, [{ level: 30, msg: 'unreadable request', status: 400, address: '127.0.0.1' }])
  t.notMatch(JSON.stringify(log), /hunter2/)
})
