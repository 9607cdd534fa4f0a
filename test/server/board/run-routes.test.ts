import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { RUN_LIMITS } from '../../../src/model/board/run.js'
import { Shutdown } from '../../../src/server/http/shutdown.js'
import { StreamLimits } from '../../../src/server/http/stream-limits.js'
import { ADA } from '../../board/actor.js'
import { CARD, shell } from '../../board/executor-rig.js'
import { until } from '../../support/until.js'
import { type Asked, FROM_EXECUTOR, serveRuns, TOKEN } from './serve-runs.js'

interface Message {
  id?: string
  event?: string
  data: Record<string, unknown>
}

/** The messages of a stream of server-sent events. */
function messagesIn(text: string): Message[] {
  const blocks = text.split('\n\n').filter(block => block.includes('data: '))
  return blocks.map(block => {
    const fields = new Map(block.split('\n').map(line => line.split(/: (.*)/s) as [string, string]))
    const [id, event] = [fields.get('id'), fields.get('event')]
    const named = { ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }) }
    return { ...named, data: JSON.parse(fields.get('data') ?? '') }
  })
}

const RUNS = `/api/cards/${CARD.id}/runs`
const REFUSED: { name: string; path?: string; asked: Asked; status: number; code: string; field?: string }[] = [
  { name: 'an unknown mode', asked: { body: { mode: 'fake' } }, status: 400, code: 'invalid_field' },
  { name: 'a mode in capitals', asked: { body: { mode: 'REAL' } }, status: 400, code: 'invalid_field' },
  { name: 'no mode', asked: { body: {} }, status: 400, code: 'invalid_field', field: '/mode' },
  { name: 'an unknown member', asked: { body: { mode: 'mock', x: 1 } }, status: 400, code: 'invalid_field' },
  { name: 'a list', asked: { body: [] }, status: 400, code: 'invalid_field' },
  { name: 'null', asked: { body: 'null' }, status: 400, code: 'invalid_field' },
  { name: 'a list of modes', asked: { body: { mode: ['real'] } }, status: 400, code: 'invalid_field' },
  { name: 'no JSON', asked: { body: '{' }, status: 400, code: 'invalid_json' },
  { name: 'no body', asked: {}, status: 415, code: 'unsupported_media_type' },
  {
    name: 'a form',
    asked: { body: 'mode=mock', headers: { 'content-type': 'text/plain' } },
    status: 415,
    code: 'unsupported_media_type',
  },
  { name: 'a large body', asked: { body: ' '.repeat(5000) }, status: 413, code: 'body_too_large' },
  {
    name: 'an unknown card',
    path: '/api/cards/x/runs',
    asked: { body: { mode: 'mock' } },
    status: 404,
    code: 'not_found',
  },
  { name: 'a real run without the token', asked: { body: { mode: 'real' } }, status: 403, code: 'executor_denied' },
  {
    name: 'a real run of no card without the token',
    path: '/api/cards/x/runs',
    asked: { body: { mode: 'real' } },
    status: 403,
    code: 'executor_denied',
  },
  {
    name: 'a real run with another token',
    asked: { body: { mode: 'real' }, headers: { 'x-board-executor-token': `${TOKEN}x` } },
    status: 403,
    code: 'executor_denied',
  },
]

t.test('a run that is not allowed is refused, and nothing is recorded', async t => {
  const { ask, executor } = await serveRuns(t, { settings: { command: ['true'] } })
  for (const { name, path = RUNS, asked, status, code, field } of REFUSED) {
    const answer = await ask('POST', path, asked)
    t.match(answer, { status, body: { code } }, name)
    if (field) t.match(answer.body.errors, [{ field }], name)
  }
  t.same((await executor.list({}, { limit: 9, after: null })).items, [])
})

t.test('without a command, a real run is refused after the check of the token', async t => {
  const { ask } = await serveRuns(t)
  t.match(await ask('POST', RUNS, { body: { mode: 'real' } }), { status: 403 })
  t.match(await ask('POST', RUNS, { body: { mode: 'real' }, headers: FROM_EXECUTOR }), {
    status: 409,
    body: { code: 'executor_not_configured' },
  })
})

t.test('runs are started, shown and listed', async t => {
  const { ask, start, over } = await serveRuns(t, { settings: { command: shell('echo said') } })
  const dry = await ask('POST', RUNS, { body: { mode: 'dry_run' } })
  t.match(dry, { status: 201, body: { state: 'done', mode: 'dry_run', plan: { folder: /./ } } })
  const real = await start('real')
  t.match(real, { state: 'queued', card_id: CARD.id, mode: 'real' })
  const done = await over(real)
  t.same((await ask('GET', `/api/runs/${real.id}`)).body, done)
  const list = (await ask('GET', '/api/runs')).body
  t.same(list, { items: [done, dry.body], count: 2, next: null })
  const page = (await ask('GET', '/api/runs?limit=1')).body
  t.same(page.items, [done])
  t.same((await ask('GET', `/api/runs?limit=1&after=${page.next}`)).body.items, [dry.body])
  t.equal((await ask('GET', `/api/runs?card_id=${CARD.id}&state=done`)).body.count, 2)
  t.equal((await ask('GET', '/api/runs?card_id=card_2')).body.count, 0)
  t.notMatch(JSON.stringify(list), /marker-of/, 'the marker that identifies its processes stays secret')
})

t.test('program and arguments are shown only with the executor token', async t => {
  const command = shell('echo secret-argument')
  const { ask, start, executor, url } = await serveRuns(t, { settings: { command } })
  const dry = (await ask('POST', `/api/cards/${CARD.id}/runs`, { body: { mode: 'dry_run' } })).body
  t.match(dry, { state: 'done', plan: { folder: /./, environment: ['PATH'], timeout_seconds: 60 } })
  const full = await start('dry_run')
  t.same(full.plan?.command, command)
  const log = (headers: Record<string, string>) => fetch(`${url}/api/runs/${full.id}/log`, { headers })
  for (const path of ['/api/executor', '/api/runs', `/api/runs/${full.id}`]) {
    for (const headers of [{}, { 'x-board-executor-token': 'wrong' }]) {
      const { status, text } = await ask('GET', path, { headers })
      t.same([status, text.includes('secret-argument'), text.includes('"command"')], [200, false, false], path)
    }
    t.match((await ask('GET', path, { headers: FROM_EXECUTOR })).text, /secret-argument/, path)
  }
  t.notMatch(await (await log({})).text(), /secret-argument|"command"/)
  t.match(await (await log(FROM_EXECUTOR)).text(), /event: end\n.*secret-argument/)
  t.same((await executor.get(full.id)).plan?.command, command, 'it is kept whole')
})

for (const query of [
  'state=gone',
  'limit=0',
  'limit=501',
  'after=-1',
  'after=x',
  'card_id=',
  'colour=red',
  'state=done&state=done',
]) {
  t.test(`a list of runs is refused for ${query}`, async t => {
    const { ask } = await serveRuns(t)
    t.match(await ask('GET', `/api/runs?${query}`), { status: 400, body: { code: 'invalid_field' } })
  })
}

t.test('unknown cards and runs are 404', async t => {
  const { ask } = await serveRuns(t)
  for (const path of ['/api/runs/run_9', '/api/runs/run_9/log', '/api/runs/%00', '/api/runs/run_1%00/log']) {
    t.match(await ask('GET', path), { status: 404, body: { code: 'not_found' } }, path)
  }
  t.match(await ask('POST', '/api/runs/run_9/cancel', { headers: FROM_EXECUTOR }), { status: 404 })
  t.match(await ask('GET', '/api/runs/%ff'), { status: 400, body: { code: 'invalid_path' } })
})

t.test('the log records who starts a real run', async t => {
  const { executor, start, logged } = await serveRuns(t, { settings: { command: shell('exit 0') } })
  for (const mode of ['dry_run', 'mock', 'real']) await start(mode)
  await until(async () => (await executor.status()).running === null)
  t.match(logged, [{ level: 30, mode: 'real', run: 'run_3', status: 201 }])
  t.equal(logged.length, 1)
  t.notMatch(JSON.stringify(logged), TOKEN)
})

t.test('a caller with the token can cancel a run once', async t => {
  const { ask, start, executor } = await serveRuns(t, { settings: { command: shell('sleep 60') } })
  const run = await start('real')
  await until(async () => (await executor.get(run.id)).state === 'running')
  t.match(await ask('POST', `/api/runs/${run.id}/cancel`), { status: 403 })
  t.equal((await executor.get(run.id)).state, 'running')
  t.match(await ask('POST', `/api/runs/${run.id}/cancel`, { headers: FROM_EXECUTOR }), {
    status: 200,
    body: { state: 'cancelled', signal: 'SIGTERM' },
  })
  t.match(await ask('POST', `/api/runs/${run.id}/cancel`, { headers: FROM_EXECUTOR }), {
    status: 409,
    body: { code: 'run_finished' },
  })
})

t.test('a caller with the token pauses and resumes the executor', async t => {
  const { ask, executor } = await serveRuns(t)
  t.match(await ask('POST', '/api/executor/pause'), { status: 403 })
  t.notOk((await executor.status()).paused)
  t.match(await ask('POST', '/api/executor/pause', { headers: FROM_EXECUTOR }), { status: 200, body: { paused: true } })
  t.match(await ask('POST', '/api/executor/resume'), { status: 403 })
  t.match((await ask('GET', '/api/executor')).body, { paused: true, real: false, running: null, queued: 0 })
  t.match((await ask('POST', '/api/executor/resume', { headers: FROM_EXECUTOR })).body, { paused: false })
})

t.test('too many queued runs are refused, with the time to retry', async t => {
  const { ask, executor } = await serveRuns(t)
  await executor.pause()
  for (let n = 0; n < RUN_LIMITS.queued; n++) await executor.start(CARD.id, 'mock', ADA)
  const answer = await ask('POST', RUNS, { body: { mode: 'mock' } })
  t.match(answer, { status: 503, body: { code: 'busy' } })
  t.equal(answer.headers.get('retry-after'), '5')
})

t.test('a log is streamed while it is written, and ends with the run', async t => {
  const { url, start, executor, folder, ask } = await serveRuns(t, {
    settings: { command: shell('echo one; while [ ! -e go ]; do sleep 0.02; done; printf "two\\nthree"') },
  })
  const run = await start('real')
  const response = await fetch(`${url}/api/runs/${run.id}/log`)
  t.match(response, { status: 200 })
  t.equal(response.headers.get('content-type'), 'text/event-stream')
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes('one') && !existsSync(join(folder, 'go'))) {
      t.equal((await executor.get(run.id)).state, 'running')
      writeFileSync(join(folder, 'go'), '')
    }
  }
  const messages = messagesIn(text)
  t.same(
    messages.slice(0, -1).map(({ id, data }) => [id, data]),
    (await executor.log(run.id)).map(piece => [String(piece.seq), piece]),
  )
  t.same(messages.at(-1), { event: 'end', data: await executor.get(run.id) })
  t.match(
    (await ask('GET', `/api/runs/${run.id}/log?format=text`)).text,
    /^Started .*\none\ntwo\nthree\nThe program ended with/,
  )
})

t.test('a log beyond the limit of streams is 503', async t => {
  const limits = { held: 1, heldByCaller: 1, heldByAddress: 1 }
  const places = new StreamLimits({ limits, addressOf: () => '192.0.2.1', refused: () => {} })
  const { url, start, ask } = await serveRuns(t, {
    settings: { command: shell('sleep 60') },
    shutdown: new Shutdown(places),
  })
  const run = await start('real')
  const reading = new AbortController()
  await fetch(`${url}/api/runs/${run.id}/log`, { signal: reading.signal })
  const refused = await ask('GET', `/api/runs/${run.id}/log`)
  t.match(refused, { status: 503, body: { code: 'busy' } })
  t.match([refused.headers.get('retry-after'), refused.headers.get('connection')], ['5', 'close'])
  t.match(await ask('GET', `/api/runs/${run.id}/log?format=text`), { status: 200 })
  reading.abort()
  t.match(await ask('POST', `/api/runs/${run.id}/cancel`, { headers: FROM_EXECUTOR }), { status: 200 })
})

t.test('a reader resumes after the last piece that it received', async t => {
  const { ask, start, over } = await serveRuns(t)
  const run = await start('mock')
  const done = await over(run)
  const idsOf = (text: string) => messagesIn(text).map(({ id, event }) => id ?? event)
  const path = `/api/runs/${run.id}/log`
  const all = idsOf((await ask('GET', path)).text)
  t.ok(all.length > 1)
  const [first = '', ...others] = all
  t.same(idsOf((await ask('GET', `${path}?after=${first}`)).text), others)
  t.same(idsOf((await ask('GET', `${path}?after=0`, { headers: { 'last-event-id': first } })).text), others)
  t.same(idsOf((await ask('GET', path, { headers: { 'last-event-id': '' } })).text), all)
  t.same(messagesIn((await ask('GET', `${path}?after=999`)).text), [{ event: 'end', data: done }])
  t.equal((await ask('GET', `${path}?format=text&after=999`)).text, '')
  for (const asked of ['?after=-1', '?after=1e3', '?format=html', '?since=1']) {
    t.match(await ask('GET', path + asked), { status: 400 }, asked)
  }
  t.match(await ask('GET', path, { headers: { 'last-event-id': 'x' } }), { status: 400 })
  t.match(await ask('HEAD', path), { status: 200, text: '' })
})

t.test('without events, a reader receives heartbeats', async t => {
  const { url, start, executor } = await serveRuns(t, { streamTimes: { heartbeatMs: 10 } })
  await executor.pause()
  const run = await start('mock')
  const gone = new AbortController()
  const response = await fetch(`${url}/api/runs/${run.id}/log`, { signal: gone.signal })
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.split(': heartbeat\n\n').length > 2) break
  }
  gone.abort()
  t.match(text, /: heartbeat/)
})

t.test('a stream ends when the server stops, and soon after its reader loses access', async t => {
  let isAllowed = true
  const checkMayRead = async () => {
    if (!isAllowed) throw new AppError('unauthenticated', 'unauthenticated', 'No.')
  }
  const { url, start, executor, close } = await serveRuns(t, { checkMayRead, streamTimes: { heartbeatMs: 10 } })
  await executor.pause()
  const run = await start('mock')
  const one = await fetch(`${url}/api/runs/${run.id}/log`)
  isAllowed = false
  t.notMatch(await one.text(), /event: end/)
  isAllowed = true
  const two = await fetch(`${url}/api/runs/${run.id}/log`)
  const closing = close()
  t.notMatch(await two.text(), /event: end/)
  await closing
})

t.test('a reader that reads nothing delays neither the run nor the server, and is disconnected', async t => {
  const { port, start, executor, ask, logged } = await serveRuns(t, {
    settings: { command: shell('yes 0123456789') },
    streamTimes: { drainMs: 200 },
  })
  const run = await start('real')
  const reader = connect(port, '127.0.0.1')
  t.teardown(() => reader.destroy())
  await once(reader, 'connect')
  reader.pause()
  reader.write(`GET /api/runs/${run.id}/log HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`)
  await until(async () => (await executor.get(run.id)).log_dropped_bytes > 4 * RUN_LIMITS.logBytes)
  await until(() => logged.some(line => line.cut_off === 'slow'))
  t.match(await ask('POST', `/api/runs/${run.id}/cancel`, { headers: FROM_EXECUTOR }), { status: 200 })
  let text = ''
  reader.on('data', chunk => {
    text += chunk
  })
  reader.on('error', () => reader.destroy()) // it may be cut off before it has taken its farewell
  reader.resume()
  await once(reader, 'close')
  t.notMatch(text, /event: end/)
})
