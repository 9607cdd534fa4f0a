import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { type RunningServer, serve } from '../../src/runtime/serve/serve.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { ownFolder } from '../black-box/own-folder.js'
import { memorySources } from '../settings/memory-sources.js'

type Program = 'ledger' | 'board'

/** A route with a JSON body, its members, and valid values for the other members. */
interface Route {
  program: Program
  path: string
  members: readonly string[]
  rest: object
}

const SUBSCRIPTION: Pick<Route, 'members' | 'rest'> = {
  members: [
    ...['id', 'source', 'target', 'scope', 'actions', 'event_kinds', 'capture_modes', 'filters', 'metadata', 'enabled'],
    ...['last_cursor', 'last_event_at', 'capture', 'problem', 'owner_user_id', 'created_at', 'updated_at', 'other'],
    ...['__proto__', 'constructor'],
  ],
  rest: { source: 'ci' },
}

const ROUTES: readonly Route[] = [
  { program: 'ledger', path: '/api/subscriptions', ...SUBSCRIPTION },
  { program: 'ledger', path: '/api/subscriptions/preview', ...SUBSCRIPTION },
  {
    program: 'ledger',
    path: '/api/events',
    members: ['dedupe_key', 'kind', 'source', 'action', 'actor', 'target', 'conversation', 'payload', 'other'],
    rest: { kind: 'run.ended', subject_id: '1', subject_type: 'run', source: 'ci' },
  },
  { program: 'ledger', path: '/webhooks/chat', members: ['message', 'data', 'other'], rest: { token: 't' } },
  { program: 'ledger', path: '/webhooks/forum', members: ['post', 'topic', 'ping'], rest: {} },
  {
    program: 'ledger',
    path: '/webhooks/code-a',
    members: ['issue', 'repository', 'sender'],
    rest: { action: 'opened' },
  },
  { program: 'ledger', path: '/webhooks/code-b', members: ['project', 'user'], rest: { object_kind: 'push' } },
  { program: 'ledger', path: '/api/users', members: ['username', 'password', 'role', 'other'], rest: {} },
  { program: 'ledger', path: '/api/login', members: ['username', 'password'], rest: { username: 'ada' } },
  { program: 'board', path: '/api/login', members: ['username', 'password'], rest: {} },
  {
    program: 'board',
    path: '/api/cards',
    members: ['id', 'title', 'body', 'column', 'labels', 'links', 'assignee', 'other'],
    rest: { title: 'A card' },
  },
]

/** JSON texts, most of which no serialiser writes. */
const value = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('[', '{"a":', '{"parent":', '{"x":[{"__proto__":'),
      fc.constantFrom(2, 30, 63, 64, 70, 999, 1_001, 4_000, 9_000),
    )
    .map(([open, levels]) => `${open.repeat(levels)}1${closing(open).repeat(levels)}`),
  fc.constantFrom('"a\\u0000b"', '"\\ud800"', '"\\u0000"', '["\\u0000"]', '{"topic":"\\u0000"}', '{"key":"\\udc00"}'),
  fc.constantFrom('"*"', '"!x"', '"%00"', '""', 'null', '[]', '{}', '1e308', '-0', '[null]', '{"type":1}', '["*"]'),
  fc.json(),
)

const body = fc.record({ route: fc.constantFrom(...ROUTES), value, member: fc.nat() })

t.test('no request body prevents later events from being recorded, or the next start', async t => {
  await fc.assert(
    fc.asyncProperty(fc.array(body, { minLength: 50, maxLength: 50, size: 'max' }), async bodies => {
      const folder = ownFolder(t)
      const first = await start(folder)
      try {
        for (const [at, { route, value, member }] of bodies.entries()) {
          const name = route.members[member % route.members.length] as string
          const members = JSON.stringify({ id: `id-${at}`, ...route.rest }).slice(0, -1)
          const answer = await post(first, route, `${members},${JSON.stringify(name)}:${value}}`)
          const sent = `${route.program} ${route.path} ${name}: ${value.slice(0, 60)}`
          if (answer >= 500) throw new Error(`${answer} for ${sent}`)
          if ((await record(first, `first-${at}`)) !== 201) throw new Error(`no event is recorded after ${sent}`)
        }
      } finally {
        await first.close()
      }
      const second = await start(folder)
      try {
        if ((await record(second, 'second')) !== 201) throw new Error('no event is recorded after the next start')
      } finally {
        await second.close()
      }
    }),
    { numRuns: 2 },
  )
})

t.test('a path with a NUL after a name does not reach the object of that name', async t => {
  const server = await start(ownFolder(t))
  t.teardown(() => server.close())
  const { ledger, board } = server
  await record(server, 'a')
  await post(server, { program: 'ledger', path: '/api/subscriptions' }, '{"id":"a","source":"ci"}')
  await post(server, { program: 'board', path: '/api/cards' }, '{"id":"a","title":"A"}')
  const status = async (method: string, url: string) => (await fetch(url, { method })).status
  const key = 'ci%3Arun.ended%3Arun%3Aa'
  t.equal(await status('GET', `${ledger?.url}/api/events/${key}`), 200)
  for (const end of ['%00', '%00x', 'x%00', '%00%00']) {
    t.equal(await status('GET', `${ledger?.url}/api/events/${key}${end}`), 404, end)
    for (const method of ['GET', 'DELETE']) {
      t.equal(await status(method, `${ledger?.url}/api/subscriptions/a${end}`), 404, `${method} ${end}`)
      t.equal(await status(method, `${board?.url}/api/cards/a${end}`), 404, `${method} ${end}`)
    }
  }
  t.equal(await status('GET', `${ledger?.url}/api/subscriptions/a`), 200)
})

function closing(open: string): string {
  return [...open]
    .map(sign => ({ '[': ']', '{': '}' })[sign] ?? '')
    .reverse()
    .join('')
}

function start(folder: string): Promise<RunningServer> {
  const env = { EVENT_LOG_LEVEL: 'silent', BOARD_HOME: join(folder, 'board') }
  const sources = memorySources({ env })
  const flags = { db: join(folder, 'events.db'), port: '0', boardPort: '0' }
  return serve(readServeSettings(flags, sources), sources)
}

async function post(server: RunningServer, { program, path }: Pick<Route, 'program' | 'path'>, body: string) {
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-discourse-event': 'post_created',
  }
  const answer = await fetch(`${server[program]?.url}${path}`, { method: 'POST', headers, body })
  await answer.arrayBuffer()
  return answer.status
}

/** An event of the source that the subscriptions watch. */
function record(server: RunningServer, key: string): Promise<number> {
  const event = { kind: 'run.ended', subject_id: key, subject_type: 'run', source: 'ci' }
  return post(server, { program: 'ledger', path: '/api/events' }, JSON.stringify(event))
}
