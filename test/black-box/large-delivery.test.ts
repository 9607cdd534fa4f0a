import { createHmac } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { StoredEvent } from '../../src/model/events/event.js'
import { ownFolder } from './own-folder.js'
import { type RunningServer, startServer } from './running-server.js'

const SECRET = 'test-secret'

t.setTimeout(600_000)

/** A push with enough commits for a delivery of nearly the maximum size. */
function largePush(after: string): { text: string; headers: Record<string, string> } {
  const commit = (index: number) => ({
    id: String(index).padStart(40, '0'),
    message: `Card ${index}: carry the ten — größer`,
    distinct: true,
    timestamp: '2031-05-04T09:00:00+02:00',
    url: `https://github.com/ada/engine/commit/${index}`,
    author: { name: 'Ada', email: 'ada@example.org' },
    added: [`cards/${index}`],
    removed: [],
    modified: [],
  })
  const text = JSON.stringify({
    ref: 'refs/heads/main',
    before: 'a'.repeat(40),
    after,
    forced: false,
    repository: { id: 70010, full_name: 'ada/engine', html_url: 'https://github.com/ada/engine' },
    sender: { id: 17, login: 'ada', type: 'User' },
    commits: Array.from({ length: 74_000 }, (_, index) => commit(index)),
  })
  const signature = createHmac('sha256', SECRET).update(text).digest('hex')
  const headers = { 'x-github-event': 'push', 'x-github-delivery': 'd-1', 'x-hub-signature-256': `sha256=${signature}` }
  return { text, headers }
}

/** Sends a delivery. `sent` resolves when the last byte has left, `answered` with the answer. */
function send(server: RunningServer, { text, headers }: ReturnType<typeof largePush>) {
  const outgoing = request(`${server.url}/webhooks/code_a`, { method: 'POST', headers, agent: false })
  const sent = new Promise(resolve => outgoing.once('finish', resolve))
  const answered = new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', async response => {
      let body = ''
      for await (const chunk of response.setEncoding('utf8')) body += chunk
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(body) })
    })
  })
  outgoing.end(text)
  return { sent, answered }
}

t.test('a delivery of nearly 25 MiB', async t => {
  const server = await startServer(t, { home: ownFolder(t), env: { EVENT_WEBHOOK_SECRET_CODE_A: SECRET } })
  const { http } = server
  const push = largePush('b'.repeat(40))
  t.ok(push.text.length > 20 * 1024 * 1024)

  let others = 0
  const ask = async () => {
    const event = { kind: 'note.created', subject_type: 'note', subject_id: String(others) }
    const answers = [await http.post('/api/events', event), await http.get('/api/events?source=api&limit=1')]
    t.same(
      answers.map(answer => answer.status),
      [201, 200],
    )
    others++
  }

  t.test('a large delivery delays no other request', async t => {
    await ask()
    const { sent, answered } = send(server, push)
    await sent
    let isAnswered = false
    const answer = answered.finally(() => {
      isAnswered = true
    })
    const before = others
    // Not all the time: the server has to accept the delivery too.
    while (!isAnswered) await ask().then(() => sleep(10))
    t.same(await answer, { status: 200, body: { created: 1, duplicates: 0, ignored: 0 } })
    t.ok(others - before > 3, 'others were asked and answered between its last byte and its answer')
  })

  const find = async () => (await http.get('/api/events?source=code_a&limit=5')).json<{ items: StoredEvent[] }>().items

  t.test('a large delivery is stored completely, and a search finds every part of it', async t => {
    const [event] = await find()
    t.match(event, {
      kind: 'push.created',
      actor: { display: 'ada' },
      seen_count: 1,
      provenance: { route: 'webhook', verified: 'signature', delivery_id: 'd-1' },
    })
    t.equal(JSON.stringify(event?.payload), push.text)
    const key = encodeURIComponent(event?.dedupe_key ?? '')
    t.same((await http.get(`/api/events/${key}`)).json<StoredEvent>(), event)
    const count = async (query: string) =>
      (await http.get(`/api/events?limit=1&${query}`)).json<{ count: number }>().count
    t.equal(await count(`q=${encodeURIComponent('"card 73999: carry" GRÖßER')}`), 1)
    t.equal(await count('q=nowhere&source=code_a'), 0)
    t.equal(await count('actor=ada&verified=signature'), 1)
  })

  t.test('a repeat of a large delivery is counted, and a forged one is refused', async t => {
    const again = await send(server, push).answered
    t.same(again, { status: 200, body: { created: 0, duplicates: 1, ignored: 0 } })
    t.match(await find(), [{ seen_count: 2 }])
    const forged = { text: push.text.replace('b'.repeat(40), 'c'.repeat(40)), headers: push.headers }
    t.match(await send(server, forged).answered, { status: 401, body: { code: 'signature_invalid' } })
    t.equal((await find()).length, 1)
  })

  t.test('a stopping server finishes a large delivery', async t => {
    const next = largePush('d'.repeat(40))
    const { sent, answered } = send(server, next)
    await sent
    const stopped = server.stop()
    t.match(await answered, { status: 200, body: { created: 1 } })
    t.match(await stopped, { code: 0 })
  })
})
