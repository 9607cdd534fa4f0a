import { once } from 'node:events'
import { mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { serve } from '../../../src/runtime/serve/serve.js'
import { processSources } from '../../../src/settings/reading/setting-sources.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { type HttpBackend, httpBackend, rawBackend } from '../../proxy/proxy-rig.js'
import { readAnswer } from '../../server/closed-ledger.js'
import { memorySources } from '../../settings/memory-sources.js'
import { until } from '../../support/until.js'

const KEY = 'the-key-of-these-tests'
const OTHER_KEY = 'key-of-the-other-board-01'
const OURS = 'the-token-of-this-board'
const THEIRS = 'the-token-of-the-other-board'

const BY_KEY = `X-Board-Token: ${KEY}`
const SHOWS_OURS = `X-Board-Executor-Token: ${OURS}`
const SHOWS_THEIRS = `X-Board-Backend-Executor-Token: ${THEIRS}`
const JSON_TYPE = 'Content-Type: application/json'
const RUNS = '/api/cards/card_1/runs'
const DRY = '{"mode":"dry_run"}'
const REAL = '{"mode":"real"}'
/** More than a new run may take. */
const LARGE = ' '.repeat(4096) + REAL

interface Front {
  port: number
  /** Sends raw bytes, and reads until the server closes. */
  raw(text: string): Promise<string>
  /** One request to the backend, by our key; its body in chunks where a header line requires it. */
  post(path: string, body?: string, lines?: readonly string[]): Promise<ReturnType<typeof readAnswer>>
}

async function serveBoard(t: Test, env: Record<string, string>): Promise<{ url: string; port: number }> {
  const given = memorySources({ env: { BOARD_HOME: ownFolder(t), EVENT_LOG_LEVEL: 'silent', ...env } })
  const { readTextFile, kindOfPath } = processSources()
  const sources = { ...given, readTextFile, kindOfPath }
  const running = await serve(readServeSettings({ only: 'board', port: '0' }, sources), sources)
  t.teardown(() => running.close())
  const url = running.board?.url ?? ''
  return { url, port: Number(new URL(url).port) }
}

const EXECUTES = { BOARD_EXECUTOR_TOKEN: OURS, BOARD_LOGIN_THROTTLE: 'off' }

/** A board with a key and an executor's token in front of another one, which is `p` with it. */
async function serveFront(t: Test, backend: { url: string }, env: Record<string, string> = EXECUTES): Promise<Front> {
  const folder = join(ownFolder(t), 'board')
  mkdirSync(folder)
  writeFileSync(join(folder, 'key'), OTHER_KEY, { mode: 0o600 })
  const profiles = { p: { url: backend.url, api_key_file: 'key' } }
  writeFileSync(join(folder, 'backends.json'), JSON.stringify({ profiles }), { mode: 0o600 })
  const own = { BOARD_HOME: folder, BOARD_API_KEY: KEY }
  const { port } = await serveBoard(t, { ...own, ...env })
  const raw = async (text: string) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', chunk => chunks.push(chunk))
    socket.on('error', () => socket.destroy())
    socket.write(text)
    await once(socket, 'close')
    return Buffer.concat(chunks).toString()
  }
  const post: Front['post'] = async (path, body = '', lines = []) => {
    const isChunked = lines.includes(CHUNKED)
    const length = isChunked ? [] : [`Content-Length: ${body.length}`]
    const head = [...headOf(path), BY_KEY, ...lines, ...length, 'Connection: close']
    return readAnswer(await raw(`${head.join('\r\n')}\r\n\r\n${isChunked ? inChunks(body) : body}`))
  }
  return { port, raw, post }
}

function headOf(path: string): string[] {
  return [`POST /api/backends/p${path} HTTP/1.1`, 'Host: localhost', JSON_TYPE]
}

function inChunks(body: string): string {
  const pieces = body.match(/[\s\S]{1,7}/g) ?? []
  return [...pieces.map(piece => `${piece.length.toString(16)}\r\n${piece}\r\n`), '0\r\n\r\n'].join('')
}

const CHUNKED = 'Transfer-Encoding: chunked'

/** Requests for an execution on the other board, with headers in addition to our key. */
const EXECUTIONS: { name: string; path?: string; body?: string; lines?: readonly string[] }[] = [
  { name: 'a real run', body: REAL },
  { name: 'a run without a mode', body: '{}' },
  { name: 'a run without a body' },
  { name: 'a run of two modes', body: '{"mode":"mock","mode":"real"}' },
  { name: 'a run that is not JSON', body: '{"mode":"mock"' },
  { name: 'a run in chunks', body: REAL, lines: [CHUNKED] },
  { name: 'a run that is too large', body: LARGE },
  { name: 'a mock run that is too large', body: ' '.repeat(4096) + DRY },
  { name: 'a run that is too large, in chunks', body: LARGE, lines: [CHUNKED] },
  { name: 'an encoded run', body: 'abc', lines: ['Content-Encoding: gzip'] },
  { name: 'a run that is announced', body: REAL, lines: ['Expect: 100-continue'] },
  { name: 'a run with an escape in its path', path: '/api/cards/card_1/%72uns', body: REAL },
  { name: 'a run in capitals', path: '/api/CARDS/card_1/RUNS', body: REAL },
  { name: 'a run with a trailing slash', path: `${RUNS}/`, body: REAL },
  { name: 'a run with a query', path: `${RUNS}?mode=mock`, body: REAL },
  { name: 'cancelling', path: '/api/runs/run_1/cancel' },
  { name: 'cancelling with a body', path: '/api/runs/run_1/cancel', body: DRY },
  { name: 'pausing', path: '/api/executor/pause' },
  { name: 'resuming, escaped', path: '/api/execu%74or/resume/' },
  { name: "a dry run with the other board's token", body: DRY, lines: [SHOWS_THEIRS] },
  { name: "a new card with the other board's token", path: '/api/cards', body: '{}', lines: [SHOWS_THEIRS] },
  { name: 'an empty token of the other board', path: '/api/cards', lines: ['X-Board-Backend-Executor-Token:'] },
]

t.test('without our executor token, no request for an execution reaches the other board', async t => {
  let connections = 0
  const backend = await rawBackend(t, socket => {
    connections++
    socket.destroy()
  })
  const { post } = await serveFront(t, backend.profile)
  const wrong = [
    [],
    ['X-Board-Executor-Token: wrong'],
    ['X-Board-Executor-Token:'],
    [`X-Board-Executor-Token: ${THEIRS}`],
  ]
  const refusals = new Set<string>()
  for (const { name, path = RUNS, body, lines = [] } of EXECUTIONS) {
    for (const shown of wrong) {
      const isAnnounced = lines.includes('Expect: 100-continue')
      const answer = await post(path, body, [...lines, ...shown])
      const { status, body: said } = isAnnounced ? readAnswer(answer.text) : answer
      t.same([status, said.code], [403, 'executor_denied'], `${name}, ${shown.join() || 'no token'}`)
      refusals.add(String(said.detail))
    }
  }
  t.equal(refusals.size, 1)
  t.equal(connections, 0)
})

t.test('with our executor token the request is forwarded unchanged, and the token is removed', async t => {
  const backend = await httpBackend(t)
  const { post } = await serveFront(t, backend.profile)
  for (const { name, path = RUNS, body = '', lines = [] } of EXECUTIONS) {
    if (lines.includes('Content-Encoding: gzip')) continue
    const before = backend.seen.length
    const answer = await post(path, body, [...lines, SHOWS_OURS])
    t.match(answer.text, '{"ok":true}', name)
    t.equal(backend.seen.length, before + 1, name)
    t.match(backend.seen.at(-1), { method: 'POST', url: path, body }, name)
    t.notOk(backend.seen.at(-1)?.rawHeaders.includes(OURS), name)
  }
  const encoded = await post(RUNS, 'abc', ['Content-Encoding: gzip', SHOWS_OURS])
  t.same([encoded.status, encoded.body.code], [415, 'unsupported_media_type'])
})

t.test('requests without an execution are forwarded unchanged without our token', async t => {
  const backend = await httpBackend(t)
  const { post } = await serveFront(t, backend.profile)
  const mock = ' {"mode":\n"mock"} '
  for (const path of [RUNS, `${RUNS}/`, '/api/cards/card_1/%72uns?x=1']) {
    for (const body of [DRY, mock]) {
      t.match(await post(path, body), { status: 200 })
      t.match(await post(path, body, [CHUNKED]), { status: 200 })
      const asked = await post(path, body, ['Expect: 100-continue'])
      t.match([asked.status, readAnswer(asked.text).status], [100, 200])
      t.notMatch(asked.text, /100 Continue/, 'the backend does not send it a second time')
      for (const seen of backend.seen.splice(0)) {
        t.match(seen, { url: path, body })
        t.equal(lengthOf(seen.rawHeaders), String(body.length))
      }
    }
  }
  t.match(await post(RUNS, DRY, ['X-Board-Executor-Token: wrong']), { status: 200 }, 'it is not looked at then')
  for (const path of ['/api/cards', '/api/runs', '/api/cards/card_1', '/api/executor']) {
    t.match(await post(path, REAL), { status: 200 }, path)
  }
})

function lengthOf(rawHeaders: HttpBackend['seen'][number]['rawHeaders']): string | undefined {
  return rawHeaders[rawHeaders.findIndex(name => name.toLowerCase() === 'content-length') + 1]
}

t.test(
  'an ambiguous path is refused with any credentials, and a caller without credentials is refused for that first',
  async t => {
    const backend = await httpBackend(t)
    const { raw, post } = await serveFront(t, backend.profile)
    for (const path of [
      '/api/cards//runs',
      '/api/cards/card_1//runs',
      '/api/cards/card_1%2fruns',
      '/api/./executor/pause',
    ]) {
      t.match(await post(path, REAL, [SHOWS_OURS]), { status: 400, body: { code: 'invalid_path' } }, path)
    }
    const head = [...headOf(RUNS), SHOWS_OURS, SHOWS_THEIRS, 'Content-Length: 0', 'Connection: close']
    t.match(readAnswer(await raw(`${head.join('\r\n')}\r\n\r\n`)), { status: 401 })
    t.same(backend.seen, [])
  },
)

t.test('without a configured executor token, no execution is forwarded or started', async t => {
  const backend = await httpBackend(t)
  const { post } = await serveFront(t, backend.profile, {})
  for (const lines of [[], [SHOWS_OURS], [SHOWS_THEIRS], ['X-Board-Executor-Token:']]) {
    t.match(await post(RUNS, REAL, lines), { status: 403, body: { code: 'executor_disabled' } }, lines.join())
  }
  t.same(backend.seen, [])
  t.match(await post(RUNS, DRY), { status: 200 })
})

t.test(
  'guessed executor tokens count together with those for local runs, and do not lock out the right one',
  async t => {
    const backend = await httpBackend(t)
    const { post, raw } = await serveFront(t, backend.profile, { BOARD_EXECUTOR_TOKEN: OURS })
    for (let n = 0; n < 20; n++) t.match(await post(RUNS, REAL), { status: 403 }, 'a missing one is not a guess')
    for (let n = 0; n < 10; n++) {
      t.match(await post('/api/executor/pause', '', ['X-Board-Executor-Token: wrong']), { status: 403 })
    }
    const wrong = 'X-Board-Executor-Token: wrong'
    t.match(await post(RUNS, REAL, [wrong]), { status: 429, body: { code: 'too_many_attempts' } })
    const pause = async (token: string) => {
      const own = ['POST /api/executor/pause HTTP/1.1', 'Host: localhost', BY_KEY, token, 'Connection: close']
      return readAnswer(await raw(`${own.join('\r\n')}\r\n\r\n`)).status
    }
    t.equal(await pause(wrong), 429)
    t.same(backend.seen, [])
    t.equal(await pause(SHOWS_OURS), 200)
    t.match(await post(RUNS, REAL, [SHOWS_OURS]), { status: 200 })
    t.match(await post(RUNS, DRY), { status: 200 })
  },
)

t.test('a stream of another board ends with the login, the signing key or the API key of its reader', async t => {
  const backend = await httpBackend(t, (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    const talking = setInterval(() => res.write(': more\n\n'), 10)
    res.once('close', () => clearInterval(talking))
  })
  const file = join(ownFolder(t), 'secret')
  const secrets = { authSecret: file, apiKey: `${file}-key` }
  const change = (path: string, secret: string) => {
    writeFileSync(`${path}.new`, secret, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
  change(secrets.authSecret, 'signing-key-of-these-tests')
  change(secrets.apiKey, KEY)
  const { port } = await serveFront(t, backend.profile, {
    BOARD_PASSWORD: 'correct horse battery',
    BOARD_AUTH_SECRET_FILE: secrets.authSecret,
    BOARD_API_KEY: '',
    BOARD_API_KEY_FILE: secrets.apiKey,
  })
  const url = `http://127.0.0.1:${port}`
  const logIn = async () => {
    const body = JSON.stringify({ password: 'correct horse battery' })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/login`, { method: 'POST', headers, body })
    const { csrf_token } = (await answer.json()) as { csrf_token: string }
    const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
    return { cookie, origin: url, 'x-csrf-token': csrf_token }
  }
  const cases: [
    name: string,
    shown: () => Promise<Record<string, string>>,
    end: (shown: Record<string, string>) => unknown,
  ][] = [
    ['a logout', logIn, headers => fetch(`${url}/api/logout`, { method: 'POST', headers })],
    ['another signing key', logIn, () => change(secrets.authSecret, 'another-key-of-these-tests')],
    ['another API key', async () => ({ 'x-board-token': KEY }), () => change(secrets.apiKey, 'another-key-of-tests')],
    ['no API key', async () => ({ 'x-board-token': 'another-key-of-tests' }), () => unlinkSync(secrets.apiKey)],
  ]
  for (const [name, show, end] of cases) {
    const shown = await show()
    const request = httpGet(`${url}/api/backends/p/api/log`, { agent: false, headers: shown })
    const [stream] = (await once(request, 'response')) as [IncomingMessage]
    t.equal(stream.statusCode, 200, name)
    await once(stream, 'data')
    const cut = once(stream.resume(), 'error')
    await end(shown)
    await cut
    t.equal((await fetch(`${url}/api/cards`, { headers: shown })).status, 401, name)
  }
})

t.test('the next request after a refused large body is answered', async t => {
  const backend = await httpBackend(t)
  const { raw } = await serveFront(t, backend.profile)
  const refused = [...headOf(RUNS), BY_KEY, CHUNKED].join('\r\n')
  const next = ['GET /api/backends HTTP/1.1', 'Host: localhost', BY_KEY, 'Connection: close'].join('\r\n')
  const answers = await raw(`${refused}\r\n\r\n${inChunks(LARGE.repeat(20))}${next}\r\n\r\n`)
  t.match(answers, /^HTTP\/1\.1 403 [\s\S]*HTTP\/1\.1 200 [\s\S]*"count":1/)
  t.same(backend.seen, [])
})

t.test('a request whose body never arrives does not reach the backend', async t => {
  let connections = 0
  const backend = await rawBackend(t, () => connections++)
  const { port, post } = await serveFront(t, backend.profile)
  for (const lines of [['Content-Length: 18'], [CHUNKED], ['Content-Length: 18', SHOWS_OURS]]) {
    for (const begun of ['', lines[0] === CHUNKED ? '5\r\n{"mod' : '{"mod']) {
      const socket = connect(port, '127.0.0.1')
      socket.write(`${[...headOf(RUNS), BY_KEY, ...lines].join('\r\n')}\r\n\r\n${begun}`)
      // Answered after what was sent before it has been taken in.
      t.match(await post('/api/executor/pause'), { status: 403 })
      socket.destroy()
      await once(socket, 'close')
    }
  }
  t.match(await post('/api/executor/pause'), { status: 403 })
  t.equal(connections, 0)
})

t.test('a real run on another board needs the executor tokens of both boards', async t => {
  const other = await serveBoard(t, {
    BOARD_API_KEY: OTHER_KEY,
    BOARD_EXECUTOR_TOKEN: THEIRS,
    BOARD_EXECUTOR_COMMAND: JSON.stringify(['/bin/echo', 'hello']),
  })
  const { post } = await serveFront(t, other)
  const { id } = (await post('/api/cards', '{"title":"Card"}')).body
  const runs = `/api/cards/${id}/runs`
  const refused = [[], [SHOWS_OURS], [SHOWS_THEIRS], [`X-Board-Executor-Token: ${THEIRS}`]]
  for (const lines of [...refused, [SHOWS_OURS, `X-Board-Backend-Executor-Token: ${OURS}`]]) {
    t.match(await post(runs, REAL, lines), { status: 403, body: { code: 'executor_denied' } }, lines.join())
  }
  t.match(await post(runs, DRY), { status: 201, body: { state: 'done', mode: 'dry_run' } })
  const { status, body: run } = await post(runs, REAL, [SHOWS_OURS, SHOWS_THEIRS])
  t.equal(status, 201)
  const stateOf = async () => {
    const answer = await fetch(`${other.url}/api/runs/${run.id}`, { headers: { 'x-board-token': OTHER_KEY } })
    return ((await answer.json()) as { state: string }).state
  }
  await until(async () => (await stateOf()) === 'done')
  t.match(await post(`/api/runs/${run.id}/cancel`, '', [SHOWS_OURS, SHOWS_THEIRS]), {
    status: 409,
    body: { code: 'run_finished' },
  })
  t.match(await post('/api/executor/pause', '', [SHOWS_OURS, SHOWS_THEIRS]), { status: 200, body: { paused: true } })
})
