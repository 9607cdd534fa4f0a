import { join } from 'node:path'
import t, { type Test } from 'tap'
import { LedgerSocketClient } from '../../../src/client/ledger-socket-client.js'
import { AppError } from '../../../src/model/app-error.js'
import type { CaptureProgress, CaptureRequest, CaptureResult } from '../../../src/model/subscriptions/capture.js'
import type { ServedCaptures } from '../../../src/server/events/capture-route.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { until } from '../../support/until.js'
import { NO_CAPTURES, type ServeOptions, serve } from '../serve.js'

const REQUEST: CaptureRequest = {
  subscription_id: 'deploys',
  backfill: 100,
  chat: { site: 'https://chat.example.org', email: 'bot@example.org', api_key: 'hunter2' },
}
const RESULT: CaptureResult = { captures: [], left: 0 }
const step = (messages: number): CaptureProgress => ({ subscription_id: 'deploys', messages })

/** A server with captures of the test, and a client like that of a command on the same machine. */
async function start(t: Test, run: ServedCaptures['run'], options: ServeOptions = {}) {
  const socketPath = join(ownFolder(t), 'ledger.sock')
  const served = await serve(t, { captures: { run, totals: () => NO_CAPTURES }, socketPath, ...options })
  return { served, client: new LedgerSocketClient({ socketPath }) }
}

t.test('a command receives the progress of its capture, and the result', async t => {
  const asked: CaptureRequest[] = []
  const { client } = await start(t, async (request, { onProgress }) => {
    asked.push(request)
    for (const messages of [1_000, 2_000]) onProgress(step(messages))
    return RESULT
  })
  const reported: CaptureProgress[] = []
  t.same(await client.capture(REQUEST, progress => reported.push(progress)), RESULT)
  t.same(reported, [step(1_000), step(2_000)])
  t.same(asked, [REQUEST])
})

t.test('requests over the socket have no root path, for every root path of the server', async t => {
  const { client } = await start(t, async () => RESULT, { settings: { rootPath: '/books' } })
  t.same(await client.capture(REQUEST, () => undefined), RESULT)
  t.equal((await client.health()).status, 200)
})

t.test('other callers may not start a capture', async t => {
  const { served } = await start(t, async () => RESULT)
  t.match(await served.post('/api/captures', REQUEST), { status: 403, body: { code: 'local_only' } })
})

t.test('a malformed request for a capture is refused without its content', async t => {
  const { client } = await start(t, async () => RESULT)
  const wrong = { ...REQUEST, backfill: -1, chat: { ...REQUEST.chat, site: 7, api_key: 'hunter2' } }
  const error: unknown = await client.capture(wrong as unknown as CaptureRequest, () => undefined).catch(error => error)
  t.match(error, { code: 'invalid_field', errors: [{ field: '/backfill' }, { field: '/chat/site' }] })
  t.notMatch(JSON.stringify(error), /hunter2/)
})

t.test('a capture that cannot begin is refused with a problem answer', async t => {
  const { client } = await start(t, async () => {
    throw new AppError('unavailable', 'store_full', 'The disk is full.')
  })
  await t.rejects(
    client.capture(REQUEST, () => undefined),
    { category: 'unavailable', code: 'store_full' },
  )
})

t.test('heartbeats keep an idle connection open', async t => {
  const run = () => new Promise<CaptureResult>(resolve => setTimeout(resolve, 1_500, RESULT))
  const { client } = await start(t, run, { streamTimes: { heartbeatMs: 20, drainMs: 1_000 } })
  const impatient = new LedgerSocketClient(client.address, { idleSeconds: 1 })
  t.same(await impatient.capture(REQUEST, () => undefined), RESULT)
})

t.test('a command that ends aborts its capture', async t => {
  let ended: unknown
  const { client } = await start(t, (_, { signal, onProgress }) => {
    onProgress(step(1))
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        ended = signal.reason
        reject(signal.reason)
      })
    })
  })
  const gone = new AbortController()
  const captured = client.capture(REQUEST, () => gone.abort(new Error('killed')), { signal: gone.signal })
  await t.rejects(captured, { message: 'killed' })
  await until(() => ended !== undefined)
  t.match(ended, { name: 'AbortError' })
})

t.test('a stopping server reports its stop to the command, and finishes the page that is being recorded', async t => {
  let recorded = false
  const { served, client } = await start(t, async (_, { signal, onProgress }) => {
    onProgress(step(1))
    await new Promise(resolve => signal.addEventListener('abort', resolve))
    await new Promise(resolve => setTimeout(resolve, 50))
    recorded = true
    throw signal.reason
  })
  const captured = client.capture(REQUEST, () => void served.close())
  await t.rejects(captured, { category: 'unavailable', code: 'stopping' })
  t.ok(recorded)
})
