import { join } from 'node:path'
import t, { type Test } from 'tap'
import { serve } from '../../../src/runtime/serve/serve.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { memorySources } from '../../settings/memory-sources.js'

const PASSWORD = 'correct horse battery'
const KEY = 'the-key-of-these-tests'
const ADMIN_TOKEN = 'long-enough-secret-word'
const CLOSED = {
  EVENT_BOOTSTRAP_USERNAME: 'ada',
  EVENT_BOOTSTRAP_PASSWORD_FILE: '/p',
  EVENT_ADMIN_TOKEN: ADMIN_TOKEN,
  BOARD_PASSWORD: PASSWORD,
  BOARD_API_KEY: KEY,
}
const EVENT = {
  kind: 'workflow_run.completed',
  subject_type: 'workflow_run',
  subject_id: '1',
  source: 'ci',
  actor: { id: '7', display: 'Ada' },
  action: { outcome: 'failed' },
  target: {
    type: 'workflow_run',
    key: 'workflow_run:1',
    display: 'ci',
    parent: { type: 'repository', display: 'acme/app' },
  },
}
type Headers = Record<string, string>
interface Linked {
  items: Record<string, unknown>[]
  may_read: boolean
}

/** Both programs in one process, with one event and one card that links to it. */
async function start(t: Test, env: Headers = {}) {
  const folder = ownFolder(t)
  const all = { EVENT_LOG_LEVEL: 'silent', BOARD_HOME: join(folder, 'board'), ...env }
  const sources = memorySources({ env: all, files: { '/p': PASSWORD } })
  const flags = { db: join(folder, 'events.db'), port: '0', boardPort: '0' }
  const running = await serve(readServeSettings(flags, sources), sources)
  t.teardown(() => running.close())
  const urls = { ledger: running.ledger?.url ?? '', board: running.board?.url ?? '' }
  const ask = async (program: keyof typeof urls, path: string, headers: Headers = {}, body?: unknown) => {
    const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(urls[program] + path, { ...sent, headers: { ...type, ...headers } })
    return {
      status: answer.status,
      cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '',
      body: (await answer.json()) as Record<string, unknown>,
    }
  }
  const recorded = await ask('ledger', '/api/events', { 'x-event-admin-token': ADMIN_TOKEN }, EVENT)
  const key = String(recorded.body.dedupe_key)
  const card = { title: 'Mend it', links: ['ci:unknown', key] }
  const { body: made } = await ask('board', '/api/cards', { 'x-board-token': KEY }, card)
  const eventsOf = async (headers?: Headers) => ask('board', `/api/cards/${made.id}/events`, headers)
  const cardsOf = async (headers?: Headers) => ask('ledger', `/api/cards?link=${encodeURIComponent(key)}`, headers)
  return { ask, key, id: made.id, eventsOf, cardsOf }
}

const NOT_READ: Linked = { items: [], may_read: false }

t.test('an open ledger and an open board show events and cards of each other', async t => {
  const { key, id, eventsOf, cardsOf, ask } = await start(t)
  const events = (await eventsOf()).body as unknown as Linked
  t.match(events, { may_read: true, items: [{ key, outcome: 'failed', captured_at: /Z$/ }] })
  t.equal(events.items[0]?.sentence, 'Ada ran workflow ci on acme/app: failed')
  t.equal(events.items.length, 1, 'an unknown key is left out')
  t.same((await cardsOf()).body, { may_read: true, items: [{ id, title: 'Mend it', column: 'backlog' }] })
  const payload = { text: 'x'.repeat(300_000) }
  const recorded = await ask('ledger', '/api/events', {}, [{ ...EVENT, subject_id: '2', payload }])
  t.equal(recorded.status, 200)
  const large = { title: 'Large', links: [/"dedupe_key":"([^"]+)"/.exec(JSON.stringify(recorded.body))?.[1] ?? ''] }
  const { body: other } = await ask('board', '/api/cards', {}, large)
  t.equal((await ask('ledger', `/api/events/${encodeURIComponent(large.links[0] ?? '')}`)).status, 200)
  t.same((await ask('board', `/api/cards/${other.id}/events`)).body, { may_read: true, items: [] }, 'too large')
  t.match(await ask('ledger', '/api/cards'), { status: 400, body: { errors: [{ field: 'link' }] } })
})

t.test('a closed ledger and board show them only to a browser that is logged in to both', async t => {
  const { ask, id, eventsOf, cardsOf } = await start(t, CLOSED)
  const login = { password: PASSWORD, username: 'ada' }
  const { cookie: ledger } = await ask('ledger', '/api/login', {}, login)
  const { cookie: board } = await ask('board', '/api/login', {}, login)
  const both = { cookie: `${ledger}; ${board}` }

  t.match((await eventsOf(both)).body, { may_read: true, items: [{ outcome: 'failed' }] })
  t.match((await cardsOf(both)).body, { may_read: true, items: [{ id }] })

  t.same((await eventsOf({ cookie: board })).body, NOT_READ)
  t.same((await cardsOf({ cookie: ledger })).body, NOT_READ)
  t.equal((await eventsOf({ cookie: ledger })).status, 401)
  t.equal((await cardsOf({ cookie: board })).status, 401)
  t.same(
    (await eventsOf({ 'x-board-token': KEY, 'x-event-admin-token': ADMIN_TOKEN })).body,
    NOT_READ,
    'only cookies count',
  )
  t.same((await cardsOf({ 'x-board-token': KEY, 'x-event-admin-token': ADMIN_TOKEN })).body, NOT_READ)
  const foreign = { ...both, 'sec-fetch-site': 'cross-site', origin: 'https://x.example' }
  t.same((await eventsOf(foreign)).body, NOT_READ, 'the ledger admits no page of another site')
})
