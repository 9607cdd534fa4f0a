import { createHmac } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { StoredEvent } from '../../src/model/events/event.js'
import { ownFolder } from './own-folder.js'
import { type RunningServer, startServer } from './running-server.js'

const SECRET = 'test-secret'

t.setTimeout(600_000)

interface Delivery {
  text: string
  headers: Record<string, string>
}

/** Of a delivery of nearly the maximum size. */
const COMMITS = 29_000
const TEXT = 'The store gives the mill its numbers, and takes what it has made. '.repeat(7)

function pushOf(commits: number, after: string): Delivery {
  const commit = (index: number) => ({
    id: String(index).padStart(40, '0'),
    message: `Card ${index}: carry the ten — größer. ${TEXT}`,
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
    commits: Array.from({ length: commits }, (_, index) => commit(index)),
  })
  return signed(text)
}

function signed(text: string): Delivery {
  const signature = createHmac('sha256', SECRET).update(text).digest('hex')
  const headers = { 'x-github-event': 'push', 'x-github-delivery': 'd-1', 'x-hub-signature-256': `sha256=${signature}` }
  return { text, headers }
}

/** Sends a delivery. `sent` resolves when the last byte has left, `answered` with the answer. */
function send(server: RunningServer, { text, headers }: Delivery) {
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
  const push = pushOf(COMMITS, 'b'.repeat(40))
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
    while (!isAnswered) await ask().then(() => sleep(30))
    t.same(await answer, { status: 200, body: { created: 1, duplicates: 0, ignored: 0 } })
    t.ok(others - before > 3, 'others were asked and answered between its last byte and its answer')
  })

  /** Without `payload`, which would be read from the answer in vain. */
  const find = async (fields: string) => {
    const { items } = (await http.get(`/api/events?source=code_a&limit=5&fields=${fields}`)).json<{
      items: StoredEvent[]
    }>()
    return items
  }

  t.test('a large delivery is stored completely, and a search finds every part of it', async t => {
    const [event] = await find('dedupe_key,kind,actor,seen_count,provenance')
    t.match(event, {
      kind: 'push.created',
      actor: { display: 'ada' },
      seen_count: 1,
      provenance: { route: 'webhook', verified: 'signature', delivery_id: 'd-1' },
    })
    const { text } = await http.get(`/api/events/${encodeURIComponent(event?.dedupe_key ?? '')}`)
    t.ok(text.includes(`"payload":${push.text}`), 'what was sent')
    t.ok((await http.get('/api/events?source=code_a&limit=5')).text.includes(text), 'a page has the complete event')
    const count = async (query: string) =>
      (await http.get(`/api/events?limit=1&fields=kind&${query}`)).json<{ count: number }>().count
    t.equal(await count(`q=${encodeURIComponent(`"card ${COMMITS - 1}: carry" GRÖßER`)}`), 1)
    t.equal(await count('q=nowhere&source=code_a'), 0)
    t.equal(await count('actor=ada&verified=signature'), 1)
  })

  t.test('a repeat of a large delivery is counted, and a forged one is refused', async t => {
    const again = await send(server, push).answered
    t.same(again, { status: 200, body: { created: 0, duplicates: 1, ignored: 0 } })
    t.match(await find('seen_count'), [{ seen_count: 2 }])
    const forged = { text: pushOf(COMMITS / 4, 'c'.repeat(40)).text, headers: push.headers }
    t.match(await send(server, forged).answered, { status: 401, body: { code: 'signature_invalid' } })
    t.equal((await find('seen_count')).length, 1)
  })

  t.test('a stopping server finishes a large delivery', async t => {
    const next = pushOf(COMMITS / 4, 'd'.repeat(40))
    const { sent, answered } = send(server, next)
    await sent
    const stopped = server.stop()
    t.match(await answered, { status: 200, body: { created: 1 } })
    t.match(await stopped, { code: 0 })
  })
})
