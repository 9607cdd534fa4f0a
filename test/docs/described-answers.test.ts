import t, { type Test } from 'tap'
import { Compile } from 'typebox/schema'
import { ownFolder } from '../black-box/own-folder.js'
import { serveHere } from '../runtime/serve/serve-here.js'

type Content = Record<string, { schema?: object }>

interface Operation {
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { content?: Content }>
}

interface Description {
  paths: Record<string, Record<string, Operation>>
  components: object
}

type Call = [path: string, status?: number, body?: unknown]

const ADMIN = { 'x-event-admin-token': 'an-admin-token-of-tests' }
const KEY = { authorization: 'Bearer a-key-of-the-board' }

t.test('answers of the ledger have the types and the members of its API description', async t => {
  const env = { EVENT_ADMIN_TOKEN: ADMIN['x-event-admin-token'] }
  const { url } = await serveHere(t, { home: ownFolder(t), only: 'ledger', env })
  const { call, simpleRoutes } = await describedCalls(url, ADMIN)
  const build = { source: 'ci', kind: 'build.failed', subject_type: 'build', subject_id: '1' }
  const full = { ...build, dedupe_key: 'ci:1', action: { outcome: 'failed' }, target: { key: 'build:1' } }
  await t.test('recording', async t => {
    await call(t, 'POST', '/api/events', ['/api/events', 201, build])
    await call(t, 'POST', '/api/events', ['/api/events', 200, build])
    await call(t, 'POST', '/api/events', ['/api/events', 200, [full, { ...build, subject_id: '2' }]])
    await call(t, 'POST', '/api/erasures', ['/api/erasures', 200, { dedupe_key: 'ci:1', reason: 'a test' }])
    const watch = { id: 'builds', source: 'ci', event_kinds: ['build.*'] }
    await call(t, 'POST', '/api/subscriptions', ['/api/subscriptions', 201, watch])
    await call(t, 'POST', '/api/subscriptions', ['/api/subscriptions', 200, { id: 'builds', target: null }])
    await call(t, 'POST', '/api/subscriptions/preview', ['/api/subscriptions/preview', 200, watch])
    const ada = await call(t, 'POST', '/api/users', [
      '/api/users',
      201,
      { username: 'ada', password: 'for these tests' },
    ])
    await call(t, 'POST', '/api/users/{id}/token', [`/api/users/${ada.id}/token`, 201])
    const consumer = { position: 'beginning', filters: { kind: 'build.*' } }
    await call(t, 'PUT', '/api/consumers/{name}', ['/api/consumers/mail', 201, consumer])
    const definition = { name: 'shop', proof: { type: 'none' }, echo: { query: 'check' }, rules: [] }
    await call(t, 'PUT', '/api/sources/{name}', ['/api/sources/shop', 201, { definition }])
    await call(t, 'POST', '/webhooks/in/{name}', ['/webhooks/in/shop', 200, { sold: 1 }])
    await call(t, 'POST', '/webhooks/in/{name}', ['/webhooks/in/shop?check=1', 200, {}])
  })
  await t.test('reading', async t => {
    const routes: Record<string, string[]> = {
      '/api/events/{dedupe_key}': ['ci:build.failed:build:1', 'ci:1'],
      '/api/events/{dedupe_key}/story': ['ci:build.failed:build:1/story'],
      '/api/consumers/{name}': ['mail'],
      '/api/consumers/{name}/events': ['mail/events'],
      '/api/consumers/{name}/dead-letters': ['mail/dead-letters'],
      '/api/sources/{name}': ['shop'],
      '/api/subscriptions/{id}': ['builds'],
      '/webhooks/in/{name}': ['shop', 'shop?check=1'],
    }
    for (const [route, ends] of Object.entries(routes)) {
      for (const end of ends) await call(t, 'GET', route, [route.replace(/\{.*$/, end)])
    }
    await call(t, 'GET', '/api/cards', ['/api/cards?link=ci:1'])
    for (const format of ['jsonl', 'csv']) await call(t, 'GET', '/api/export', [`/api/export?format=${format}`])
    // A stream does not end, `GET /api/cards` needs a parameter, and the admin token has no account.
    const others = simpleRoutes.filter(path => !/^\/api\/(?:stream$|cards$|me\/)/.test(path))
    for (const path of others) await call(t, 'GET', path, [path])
  })
})

t.test('answers of the board have the types and the members of its API description', async t => {
  const env = { BOARD_API_KEY: 'a-key-of-the-board' }
  const { boardUrl } = await serveHere(t, { home: ownFolder(t), only: 'board', env })
  const { call, simpleRoutes } = await describedCalls(boardUrl, KEY)
  const { id } = await call(t, 'POST', '/api/cards', ['/api/cards', 201, { title: 'Repair it' }])
  const run = await call(t, 'POST', '/api/cards/{id}/runs', [`/api/cards/${id}/runs`, 201, { mode: 'mock' }])
  await call(t, 'GET', '/api/cards/{id}', [`/api/cards/${id}`])
  await call(t, 'GET', '/api/cards/{id}/history', [`/api/cards/${id}/history`])
  await call(t, 'GET', '/api/cards/{id}/events', [`/api/cards/${id}/events`])
  await call(t, 'GET', '/api/runs/{id}', [`/api/runs/${run.id}`])
  for (const format of ['events', 'text']) {
    await call(t, 'GET', '/api/runs/{id}/log', [`/api/runs/${run.id}/log?format=${format}`])
  }
  for (const path of simpleRoutes) await call(t, 'GET', path, [path])
})

/** Calls of a server that are compared with its description. */
async function describedCalls(url: string, headers: Record<string, string>) {
  const description = (await (await fetch(`${url}/api/openapi.json`, { headers })).json()) as Description
  const { paths, components } = description
  return {
    /** Routes of GET without a parameter in the path. */
    simpleRoutes: Object.entries(paths).flatMap(([path, { get }]) => (get && !/[{*]/.test(path) ? [path] : [])),
    async call(t: Test, method: string, route: string, [path, status = 200, body]: Call) {
      const sent =
        body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const answer = await fetch(url + path, { method, ...sent, headers: { ...headers, ...sent.headers } })
      const text = await answer.text()
      const name = `${method} ${path}`
      t.equal(answer.status, status, `${name}: ${text.slice(0, 200)}`)
      const { requestBody, responses } = paths[route]?.[method.toLowerCase()] ?? { responses: {} }
      const accepted = requestBody?.content['application/json']?.schema
      if (body === undefined) t.not(requestBody?.required, true, `${name} needs no body`)
      else if (accepted) t.ok(Compile({ ...accepted, components }).Check(body), `${name} accepts the body`, { body })
      const type = answer.headers.get('content-type')?.replace(/;.*$/, '') ?? ''
      const content = responses[status]?.content ?? {}
      t.ok(content[type], `${name} is ${type}`)
      if (type !== 'application/json') return {}
      const value = JSON.parse(text) as Record<string, unknown>
      const [isValid, errors] = Compile({ ...content[type]?.schema, components }).Errors(value)
      t.ok(isValid, name, { errors })
      return value
    },
  }
}
