import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get as httpGet, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { AppError } from '../../src/model/app-error.js'
import { Shutdown } from '../../src/server/http/shutdown.js'
import { StreamLimits } from '../../src/server/http/stream-limits.js'
import { bodyOf, bytesBackend, headersOf, httpBackend, proxyRig, rawBackend, statusOf } from './proxy-rig.js'

const MIB = 1024 * 1024

/** A request is logged once its answer is over, which its reader may see first. */
async function firstLogged({ log }: Pick<Awaited<ReturnType<typeof proxyRig>>, 'log'>): Promise<unknown> {
  while (log.length === 0) await setTimeout(5)
  return log[0]
}

t.test('a missing or invalid answer of a backend is 502, and reveals no address', async t => {
  const cases: Record<string, string> = {
    'no HTTP': 'HELLO\r\n\r\n',
    'a broken status': 'HTTP/1.1 abc\r\n\r\n',
    'headers that are too large': `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(17_000)}\r\nContent-Length: 0\r\n\r\n`,
    'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'a length and chunks': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'another protocol': 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nabc',
    'another protocol without its name': 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
    'a status that is none': 'HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n',
    'an encoded answer': 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\na',
    'an answer encoded on the way': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    'half a head': 'HTTP/1.1 200 OK\r\nContent-Le',
    'a header with a line break': 'HTTP/1.1 200 OK\r\nX: a\n b\0\r\nContent-Length: 0\r\n\r\n',
  }
  for (const [name, bytes] of Object.entries(cases)) {
    const backend = await bytesBackend(t, bytes, socket => socket.end())
    const rig = await proxyRig(t)
    rig.configure({ p: backend.profile })
    const answer = await rig.ask('/api/backends/p/api/x')
    t.match(answer, /^HTTP\/1\.1 502 [\s\S]*"code":"bad_gateway"[\s\S]*"request_id"/, name)
    t.notMatch(bodyOf(answer), /127\.0\.0\.1|\d{4,5}/, name)
    t.match(await firstLogged(rig), { level: 50, status: 502, backend: 'p', reason: /./ }, name)
  }
})

t.test('a backend that does not listen, or disconnects, is 502', async t => {
  const resets = await rawBackend(t, socket => socket.once('data', () => socket.resetAndDestroy()))
  const closes = await rawBackend(t, socket => socket.once('data', () => socket.end()))
  const rig = await proxyRig(t)
  const profiles = { resets: resets.profile, closes: closes.profile, gone: { url: 'http://127.0.0.1:1' } }
  rig.configure({ ...profiles, unknown: { url: 'http://nowhere.invalid' } })
  for (const name of [...Object.keys(profiles), 'unknown']) {
    t.match(await rig.ask(`/api/backends/${name}/api/x`), /^HTTP\/1\.1 502 /, name)
    t.match(await rig.ask(`/api/backends/${name}/api/x`, [], { method: 'POST' }), /^HTTP\/1\.1 502 /, name)
  }
})

t.test('a backend without a final answer is 504, even after interim answers', async t => {
  const silent = await rawBackend(t, socket => socket.resume())
  const continues = await rawBackend(t, socket => {
    socket.resume()
    const talking = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20)
    socket.once('close', () => clearInterval(talking))
  })
  const rig = await proxyRig(t, { times: { firstByteMs: 150, connectMs: 150 } })
  const tls = { url: `https://127.0.0.1:${silent.port}` }
  rig.configure({ silent: silent.profile, continues: continues.profile, tls })
  for (const name of ['silent', 'continues', 'tls']) {
    t.match(await rig.ask(`/api/backends/${name}/api/x`), /^HTTP\/1\.1 504 [\s\S]*"code":"gateway_timeout"/, name)
    t.match(await rig.ask(`/api/backends/${name}/api/x`, [], { method: 'POST' }), /^HTTP\/1\.1 504 /, name)
  }
  while (silent.sockets.size > 0 || continues.sockets.size > 0) await setTimeout(5)
  t.pass('nothing is left open')
})

t.test('an untrusted certificate is 502', async t => {
  const pem = (name: string) => readFileSync(new URL(`./fixtures/localhost-${name}.pem`, import.meta.url))
  const server = createTlsServer({ key: pem('key'), cert: pem('cert') }, (_req, res) => res.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const rig = await proxyRig(t)
  rig.configure({ p: { url: `https://localhost:${(server.address() as AddressInfo).port}` } })
  t.match(await rig.ask('/api/backends/p/api/x'), /^HTTP\/1\.1 502 /)
  t.match(await firstLogged(rig), { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
})

t.test('interim answers are not forwarded', async t => {
  const backend = await bytesBackend(
    t,
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  )
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const answer = await rig.ask('/api/backends/p/api/x')
  t.match(answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok$/)
  t.notMatch(answer, /Link|100|103/)
})

t.test('an answer that breaks off closes the connection, and never ends as if it were complete', async t => {
  const cases: Record<string, string> = {
    'less than its length': 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhalf',
    'no last chunk': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
    'half a chunk': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf',
    'a broken chunk': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n',
  }
  for (const [name, bytes] of Object.entries(cases)) {
    for (const end of ['end', 'resetAndDestroy'] as const) {
      const sockets: Socket[] = []
      const backend = await bytesBackend(t, bytes, socket => sockets.push(socket))
      const rig = await proxyRig(t)
      rig.configure({ p: backend.profile })
      // Breaks off after the reader received the earlier bytes, because a reset may discard unread ones.
      const answer = await rig.ask('/api/backends/p/api/x', [], {
        onText: text => {
          const socket = text.includes('half') ? sockets.pop() : undefined
          // Node.js does not close a socket that is reset while it ends, which happens if the board has left.
          if (socket && !socket.writableEnded) socket[end]()
        },
      })
      t.match(answer, /^HTTP\/1\.1 200 /, name)
      t.match(answer, /half/, name)
      t.notMatch(answer, /\r\n0\r\n/, name)
      t.match(await firstLogged(rig), { level: 50, status: 200, code: 'bad_gateway' }, name)
    }
  }
})

t.test('an answer that stalls is aborted', async t => {
  const backend = await bytesBackend(t, 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhalf')
  const rig = await proxyRig(t, { times: { idleMs: 100 } })
  rig.configure({ p: backend.profile })
  t.match(await rig.ask('/api/backends/p/api/x'), /\r\n\r\nhalf$/)
  t.match(await firstLogged(rig), { reason: 'silent within its answer' })
})

t.test('a short answer that arrives byte by byte, and does not end in time, is 504', async t => {
  const backend = await bytesBackend(t, 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n', socket => {
    const talking = setInterval(() => socket.write('x'), 10)
    socket.once('close', () => clearInterval(talking))
  })
  const rig = await proxyRig(t, { times: { idleMs: 150 } })
  rig.configure({ p: backend.profile })
  t.match(await rig.ask('/api/backends/p/api/x'), /^HTTP\/1\.1 504 [\s\S]*"code":"gateway_timeout"/)
  t.match(await firstLogged(rig), { reason: 'no complete answer' })
})

t.test('an answer without a length ends with its connection', async t => {
  const backend = await bytesBackend(t, 'HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nall of it', s => s.end())
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  t.match(await rig.ask('/api/backends/p/api/x'), /\r\n\r\n9\r\nall of it\r\n0\r\n\r\n$/)
})

t.test(
  'an event stream beyond the limit of streams is 503 and disconnects the backend, and other answers are forwarded',
  async t => {
    const streams: ServerResponse[] = []
    const backend = await httpBackend(t, (req, res) => {
      if (req.url !== '/api/log') return void res.end('plain')
      streams.push(res)
      res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    })
    const limits = { held: 1, heldByCaller: 1, heldByAddress: 1 }
    const places = new StreamLimits({ limits, addressOf: () => '192.0.2.1', refused: () => {} })
    const rig = await proxyRig(t, { shutdown: new Shutdown(places) })
    rig.configure({ p: backend.profile })
    const request = httpGet({ port: rig.port, path: '/api/backends/p/api/log', agent: false })
    request.on('error', () => request.destroy())
    await once(request, 'response')
    t.match(await rig.ask('/api/backends/p/api/log'), /^HTTP\/1\.1 503 [\s\S]*"code":"busy"/)
    t.match(await rig.ask('/api/backends/p/api/other'), /^HTTP\/1\.1 200 /)
    while (!streams[1]?.closed) await setTimeout(5)
    const left = once(streams[0] as ServerResponse, 'close')
    request.destroy()
    await left
  },
)

t.test('server-sent events are forwarded one by one, until the server stops or the reader leaves', async t => {
  const streams: ServerResponse[] = []
  const backend = await httpBackend(t, (_req, res) => {
    streams.push(res)
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.flushHeaders()
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const open = async () => {
    const request = httpGet({ port: rig.port, path: '/api/backends/p/api/runs/1/log', agent: false })
    request.on('error', () => request.destroy())
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    return { request, answer, stream: streams.at(-1) as ServerResponse }
  }
  const { request, answer, stream } = await open()
  t.equal(answer.headers['content-type'], 'text/event-stream')
  for (const id of [1, 2, 3]) {
    stream.write(`id: ${id}\n\n`)
    const [chunk] = await once(answer, 'data')
    t.equal(String(chunk), `id: ${id}\n\n`)
  }
  const left = once(stream, 'close')
  request.destroy()
  await left

  const other = await open()
  const [stopped, cut] = [once(other.stream, 'close'), once(other.answer.resume(), 'error')]
  await rig.close()
  await Promise.all([stopped, cut])
})

t.test('an answer ends after the login of its reader: at the next chunk, or soon if none arrives', async t => {
  const streams: ServerResponse[] = []
  const backend = await httpBackend(t, (req, res) => {
    streams.push(res)
    res.writeHead(200, { 'content-type': req.url === '/api/log' ? 'text/event-stream' : 'application/json' })
    res.write('id: 1\n\n')
  })
  let refusal: AppError | undefined
  const checkMayRead = async () => {
    if (refusal) throw refusal
  }
  for (const path of ['/api/log', '/api/large']) {
    refusal = undefined
    const rig = await proxyRig(t, { checkMayRead })
    rig.configure({ p: backend.profile })
    const request = httpGet({ port: rig.port, path: `/api/backends/p${path}`, agent: false })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    const stream = streams.at(-1) as ServerResponse
    t.equal(String((await once(answer, 'data'))[0]), 'id: 1\n\n')
    const [cut, left] = [once(answer, 'error'), once(stream, 'close')]
    let read = ''
    answer.on('data', chunk => {
      read += chunk
    })
    refusal = new AppError('unauthenticated', 'unauthenticated', 'Logged out.')
    stream.write('id: 2\n\n')
    await Promise.all([cut, left])
    t.equal(read, '', `${path}: nothing of what came after the logout`)
    while (rig.log.length === 0) await setTimeout(5)
    t.match(rig.log, [{ level: 20, status: 200 }], 'a logout is not a failure')
  }

  for (const category of ['unauthenticated', 'forbidden', 'throttled'] as const) {
    refusal = undefined
    const rig = await proxyRig(t, { checkMayRead, times: { recheckMs: 20 } })
    rig.configure({ p: backend.profile })
    const request = httpGet({ port: rig.port, path: '/api/backends/p/api/log', agent: false })
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    const [cut, left] = [once(answer.resume(), 'error'), once(streams.at(-1) as ServerResponse, 'close')]
    refusal = new AppError(category, 'x', 'Refused.')
    await Promise.all([cut, left])
    t.pass(`a silent stream, ${category}`)
  }
})

t.test('a login that ends before the backend answers is 401, and a failing store is not a logout', async t => {
  const answers: ServerResponse[] = []
  const backend = await httpBackend(t, (_req, res) => answers.push(res))
  let failure: AppError | undefined
  const checkMayRead = async () => {
    if (failure) throw failure
  }
  const rig = await proxyRig(t, { checkMayRead, times: { recheckMs: 5 } })
  rig.configure({ p: backend.profile })
  const asked = rig.ask('/api/backends/p/api/x')
  while (answers.length < 1) await setTimeout(5)
  failure = new AppError('unauthenticated', 'unauthenticated', 'Logged out.')
  answers[0]?.end('a secret')
  const answer = await asked
  t.match(answer, /^HTTP\/1\.1 401 [\s\S]*"code":"unauthenticated"/)
  t.notMatch(answer, /a secret/)

  failure = undefined
  const request = httpGet({ port: rig.port, path: '/api/backends/p/api/log', agent: false })
  while (answers.length < 2) await setTimeout(5)
  answers[1]?.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  const [stream] = (await once(request, 'response')) as [IncomingMessage]
  let checks = 0
  failure = new AppError('unavailable', 'store_unavailable', 'Not now.')
  Object.defineProperty(failure, 'category', {
    get: () => {
      checks++
      return 'unavailable'
    },
  })
  while (checks < 3) await setTimeout(5)
  failure = undefined
  answers[1]?.end('id: 1\n\n')
  t.equal(String((await once(stream, 'data'))[0]), 'id: 1\n\n')
})

t.test('an answer right after its request was admitted costs no second check of the login', async t => {
  const backend = await httpBackend(t, (_req, res) => res.end('short'))
  let checks = 0
  const checkMayRead = async () => {
    checks++
  }
  for (const [trustMs, expected] of [
    [600_000, 0],
    [0, 2],
  ] as const) {
    checks = 0
    const rig = await proxyRig(t, { checkMayRead, times: { trustMs } })
    rig.configure({ p: backend.profile })
    t.match(await rig.ask('/api/backends/p/api/x'), /short$/)
    t.equal(checks, expected)
  }
})

t.test('a short answer that breaks off is 502, and no part of it is sent', async t => {
  const backend = await httpBackend(t, (_req, res) => {
    res.writeHead(200, { 'content-length': 10 })
    res.write('half', () => res.destroy())
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const answer = await rig.ask('/api/backends/p/api/x')
  t.match(answer, /^HTTP\/1\.1 502 [\s\S]*"code":"bad_gateway"/)
  t.notMatch(answer, /half/)
})

t.test('a large answer is forwarded completely, and no faster than it is read', async t => {
  const size = 64 * MIB
  const piece = Buffer.alloc(256 * 1024, 'x')
  let written = 0
  let blocked = false
  const backend = await httpBackend(t, (_req, res) => {
    res.setHeader('content-length', size)
    const pump = () => {
      blocked = false
      while (written < size) {
        written += piece.length
        if (!res.write(piece)) {
          blocked = true
          res.once('drain', pump)
          return
        }
      }
      res.end()
    }
    pump()
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const request = httpGet({ port: rig.port, path: '/api/backends/p/api/large', agent: false })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.pause()
  await standsStill(() => written)
  t.ok(blocked, 'the backend waits for the reader')
  t.ok(written < size / 2, `${written} bytes on the way`)
  let read = 0
  answer.on('data', chunk => {
    read += chunk.length
  })
  answer.resume()
  await once(answer, 'end')
  t.equal(read, size)
})

t.test('a body is forwarded as it arrives, and no faster than the backend reads it', async t => {
  let incoming: IncomingMessage | undefined
  const backend = await httpBackend(t, (req, res) => {
    incoming = req
    req.removeAllListeners('data')
    req.pause()
    req.on('end', () => res.end('done'))
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const size = 10 * MIB
  const request = httpRequest({ port: rig.port, path: '/api/backends/p/api/x', method: 'PUT', agent: false })
  request.setHeader('content-length', size)
  const piece = Buffer.alloc(64 * 1024, 'x')
  request.write(piece)
  while (!incoming) await setTimeout(5)
  t.pass('the backend has it before its end')
  for (let sent = piece.length; sent < size; sent += piece.length) request.write(piece)
  request.end()
  let read = 0
  incoming.on('data', chunk => {
    read += chunk.length
  })
  incoming.resume()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  t.equal(answer.statusCode, 200)
  t.equal(read, size)
  answer.resume()
  await once(answer, 'end')
})

t.test('more than 10 MiB in chunks is refused while it arrives, and the backend is disconnected', async t => {
  let broke = false
  const backend = await httpBackend(t, req => {
    req.resume()
    req.on('error', () => {
      broke = true
    })
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const chunk = `100000\r\n${'x'.repeat(MIB)}\r\n`
  const answer = await rig.ask('/api/backends/p/api/x', ['Transfer-Encoding: chunked'], {
    method: 'POST',
    body: `${chunk.repeat(11)}0\r\n\r\n`,
  })
  t.match(answer, /^HTTP\/1\.1 413 [\s\S]*"code":"body_too_large"/)
  while (!broke) await setTimeout(5)
})

t.test('an answer that arrives before the end of the request body is forwarded', async t => {
  const backend = await rawBackend(t, socket => {
    socket.once('data', () => socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig'))
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const request = httpRequest({ port: rig.port, path: '/api/backends/p/api/x', method: 'POST', agent: false })
  request.setHeader('connection', 'keep-alive')
  request.end('x'.repeat(5 * MIB))
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  t.equal(answer.statusCode, 413)
  const [text] = await once(answer, 'data')
  t.equal(String(text), 'big')
  request.destroy()
})
t.test('the request to the backend is aborted when its sender disconnects', async t => {
  const sockets: Socket[] = []
  const backend = await rawBackend(t, socket => sockets.push(socket))
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const heads = [
    'GET /api/backends/p/api/x HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'POST /api/backends/p/api/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab',
  ]
  for (const head of heads) {
    const socket = connect(rig.port, '127.0.0.1')
    socket.write(head)
    const asked = sockets.length
    while (sockets.length === asked) await setTimeout(5)
    const gone = once(sockets.at(-1) as Socket, 'close')
    sockets.at(-1)?.resume()
    socket.destroy()
    await gone
  }
  while (rig.log.length < 2) await setTimeout(5)
  t.match(rig.log, [{ status: 499 }, { status: 499 }])
})

t.test('a closed keep-alive connection does not fail a read, and no write is sent twice', async t => {
  let connections = 0
  const asked: string[] = []
  const backend = await rawBackend(t, socket => {
    connections++
    let requests = 0
    socket.on('data', data => {
      requests++
      asked.push(String(data).slice(0, 4))
      if (requests > 1) socket.resetAndDestroy()
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const ask = (method: string) => rig.ask('/api/backends/p/api/x', [], { method })
  t.equal(statusOf(await ask('GET')), 200)
  t.equal(statusOf(await ask('GET')), 200)
  t.equal(connections, 2)
  t.equal(statusOf(await ask('POST')), 502)
  t.same(asked, ['GET ', 'GET ', 'GET ', 'POST'])
})

t.test('answers to pipelined requests are sent in order', async t => {
  const backend = await httpBackend(t, async (req, res) => {
    await setTimeout(req.url === '/api/slow' ? 50 : 0)
    res.end(req.url)
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const get = (path: string, more = '') => `GET /api/backends/p${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
  const answers = await rig.raw(`${get('/api/slow')}${get('/api/fast')}${get('/api/last', 'Connection: close\r\n')}`)
  t.same(answers.match(/\/api\/(?:slow|fast|last)/g), ['/api/slow', '/api/fast', '/api/last'])
})

t.test('an endless answer ends when its reader leaves', async t => {
  let over = false
  const backend = await httpBackend(t, (_req, res) => {
    const pump = () => {
      while (!res.destroyed && res.write('x'.repeat(64 * 1024)));
    }
    res.on('drain', pump)
    res.once('close', () => {
      over = true
    })
    pump()
  })
  const rig = await proxyRig(t)
  rig.configure({ p: backend.profile })
  const request = httpGet({ port: rig.port, path: '/api/backends/p/api/x', agent: false })
  request.on('error', () => request.destroy())
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  for (let read = 0; read < 5 * MIB; ) {
    const [chunk] = await once(answer, 'data')
    read += chunk.length
  }
  request.destroy()
  while (!over) await setTimeout(5)
  t.equal(headersOf(await rig.ask('/api/backends')).get('content-type'), 'application/json')
})

/** Resolves once a count has not changed for a while. */
async function standsStill(count: () => number): Promise<void> {
  for (let before = -1; before !== count(); ) {
    before = count()
    await setTimeout(200)
  }
}
