import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { EventSchema } from '../../../src/model/events/event.js'
import { SubscriptionSchema } from '../../../src/model/subscriptions/subscription.js'
import { ADAPTERS } from '../../../src/platforms/adapters.js'
import { chat } from '../../../src/platforms/chat/adapter.js'
import { codeA } from '../../../src/platforms/code-a/adapter.js'
import { message, serve } from '../serve.js'

t.test('health names the database, and the state of the ledger', async t => {
  const { request } = await serve(t)
  t.same((await request('/api/health')).body, {
    status: 'ok',
    database: '/var/lib/ledger.db',
    version: '1.2.3',
    engine: 'sqlite',
    head: '2031-05-04T09:00:00.000000Z',
    head_digest: 'd0'.repeat(32),
    epoch: 'epoch-1',
    schema_version: 3,
    unindexed_events: 0,
  })
})

t.test('a store that cannot commit is unhealthy, with the reason', async t => {
  const { request, ledger } = await serve(t)
  ledger.failure = new AppError('unavailable', 'store_full', 'The disk is full.', { retryAfterSeconds: 60 })
  const { status, headers, body } = await request('/api/health')
  t.equal(status, 503)
  t.equal(headers.get('retry-after'), '60')
  t.equal(headers.get('content-type'), 'application/json')
  t.same(body, {
    status: 'unavailable',
    database: '/var/lib/ledger.db',
    version: '1.2.3',
    engine: 'sqlite',
    head: null,
    code: 'store_full',
    detail: 'The disk is full.',
  })
  ledger.failure = new Error('a defect')
  t.match(await request('/api/health'), { status: 500, body: { code: 'internal' } })
})

t.test('statistics are those of the ledger', async t => {
  const { request, post, ledger } = await serve(t)
  await post('/api/events', message(1))
  t.match((await request('/api/stats')).body, {
    ...(await ledger.stats()),
    refused_deliveries: { items: { length: 0 } },
  })
})

t.test('statistics have the times of the newest backup and of the last restore, if there are any', async t => {
  const never = await serve(t)
  t.match((await never.request('/api/stats')).body, { last_backup_at: null, last_restored_at: null })
  const at = Date.UTC(2031, 4, 4, 8)
  const { request } = await serve(t, { lastBackup: () => at, restoredAt: at - 1_000 })
  const { body } = await request('/api/stats')
  t.match(body, { last_backup_at: '2031-05-04T08:00:00.000000Z', last_restored_at: '2031-05-04T07:59:59.000000Z' })
})

t.test('the served schemas are those of the validation', async t => {
  const { request } = await serve(t)
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  const asJson = (schema: object) => JSON.parse(JSON.stringify({ $schema, ...schema }))
  t.same((await request('/api/schema/event')).body, asJson(EventSchema))
  t.same((await request('/api/schema/subscription')).body, asJson(SubscriptionSchema))
})

t.test('the list of platforms shows whether a secret is configured, and not the secret', async t => {
  const settings = { webhookSecrets: { chat: [], forum: [], code_a: ['hunter2'], code_b: [] } }
  const { request } = await serve(t, {
    platforms: [codeA.catalogue, { ...codeA.catalogue, source: 'code_b' }],
    settings,
  })
  const { body, text } = await request('/api/platforms')
  t.same(body, {
    items: [
      { ...codeA.catalogue, secret_configured: true },
      { ...codeA.catalogue, source: 'code_b', secret_configured: false },
    ],
    count: 2,
  })
  t.notMatch(text, /hunter2/)
})

t.test('the list of platforms has the address of the chat server, if it is configured', async t => {
  const chatSite = 'https://chat.example.org'
  const { request } = await serve(t, { platforms: [chat.catalogue, codeA.catalogue], settings: { chatSite } })
  const { items } = (await request('/api/platforms')).body as { items: { site?: string }[] }
  t.strictSame(
    items.map(({ site }) => site),
    [chatSite, undefined],
  )
})

t.test('the API description covers every parameter, and every reference in it resolves', async t => {
  const { request } = await serve(t, { adapters: ADAPTERS })
  const { status, body, text } = await request('/api/openapi.json')
  t.equal(status, 200)
  t.match(body, { openapi: '3.1.0', info: { version: '1.2.3' }, servers: [{ url: '/' }] })
  const { paths } = body as {
    paths: Record<string, Record<string, { operationId: string; parameters?: { name: string; in: string }[] }>>
  }
  t.notMatch(text, /"\$(id|defs)"/)
  const query = paths['/api/events']?.get?.parameters?.map(({ name }) => name)
  t.same(query?.sort(), [
    'actor',
    'before',
    'days',
    'exclude_actor',
    'exclude_kind',
    'exclude_outcome',
    'exclude_q',
    'exclude_source',
    'exclude_target',
    'fields',
    'from',
    'kind',
    'limit',
    'occurred_from',
    'occurred_to',
    'order',
    'outcome',
    'q',
    'since',
    'source',
    'subject_id',
    'subscription_id',
    'target',
    'to',
    'verified',
    'wait',
  ])
  for (const [path, operations] of Object.entries(paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    for (const { parameters = [] } of Object.values(operations)) {
      t.same(
        parameters.filter(parameter => parameter.in === 'path').map(({ name }) => name),
        named,
        path,
      )
    }
  }
  const ids = Object.values(paths).flatMap(operations =>
    Object.values(operations).map(({ operationId }) => operationId),
  )
  t.equal(new Set(ids).size, ids.length, 'operation ids are unique')
})

t.test('the API description distinguishes sent from stored events, and leaves free-form objects open', async t => {
  const { request } = await serve(t, { adapters: ADAPTERS })
  const { body } = await request('/api/openapi.json')
  const { schemas } = (body as { components: { schemas: Record<string, Described> } }).components
  const { EventInput, Event } = schemas
  t.same(EventInput?.required, ['kind', 'subject_id', 'subject_type'])
  t.same(
    Object.keys(Event?.properties ?? {})
      .filter(name => EventInput?.properties?.[name] === undefined)
      .sort(),
    [...['captured_at', 'erased', 'last_seen_at', 'provenance', 'seen_count', 'subscription_ids']],
  )
  const members = Object.keys(Event?.properties ?? {})
  t.same(
    Event?.required,
    members.filter(name => name !== 'erased'),
    'a stored event is complete',
  )
  t.same(Event?.properties?.action?.required, ['kind', 'object_type', 'verb', 'metadata'])
  t.same(Event?.properties?.actor?.required, ['id', 'display', 'metadata'])
  t.equal(Event?.properties?.actor?.properties?.metadata?.additionalProperties, true)
  for (const name of ['payload', 'target', 'conversation', 'action']) {
    const member = EventInput?.properties?.[name]
    const schema = member?.$ref ? schemas[member.$ref.replace('#/components/schemas/', '')] : member
    t.equal(schema?.additionalProperties, true, name)
  }
  for (const name of ['filters', 'metadata']) {
    t.equal(schemas.Subscription?.properties?.[name]?.additionalProperties, true, name)
  }
})

t.test('every operation has a group, a description and its error answers, and every reference resolves', async t => {
  const { request } = await serve(t, { adapters: ADAPTERS })
  const document = (await request('/api/openapi.json')).body as unknown as {
    tags: { name: string }[]
    paths: Record<
      string,
      Record<
        string,
        { tags: string[]; summary: string; description: string; responses: Record<string, { $ref?: string }> }
      >
    >
  }
  const groups = document.tags.map(({ name }) => name)
  const refusalsOf = (path: string, method: string) =>
    Object.entries(document.paths[path]?.[method]?.responses ?? {}).flatMap(([status, { $ref }]) =>
      $ref ? status : [],
    )
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { tags, summary, description } of Object.values(methods)) {
      t.ok(groups.includes(tags[0] ?? ''), path)
      t.match(description, /^[A-Z0-9`].*\.$/, path)
      t.not(description, `${summary}.`, path)
    }
  }
  t.same(refusalsOf('/api/events', 'post'), ['400', '403', '413', '415', '429', '503'])
  t.same(refusalsOf('/api/events/{dedupe_key}', 'get'), ['400', '401', '403', '404', '429', '503'])
  t.same(refusalsOf('/livez', 'get'), ['400', '403', '503'])
  t.same(refusalsOf('/readyz', 'get'), ['400', '403'], '503 is an answer of its own')
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g)]
  t.ok(references.length > 50, `${references.length} references`)
  for (const [, path = ''] of references) {
    const found = path
      .slice(1)
      .split('/')
      .reduce<unknown>((value, step) => Reflect.get(value as object, step), document)
    t.ok(found, path)
  }
})

t.test('the API page has every route, parameter and schema, and no script', async t => {
  const { request } = await serve(t, { adapters: ADAPTERS, settings: { rootPath: '/book' } })
  const { status, headers, text } = await request('/book/docs')
  t.equal(status, 200)
  t.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  t.match(headers.get('content-security-policy'), /^default-src 'none'; script-src 'self'; style-src 'self';/)
  const { body } = await request('/book/api/openapi.json')
  const { paths, components } = body as {
    paths: Record<string, Record<string, { parameters?: { name: string }[] }>>
    components: { schemas: Record<string, unknown> }
  }
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters = [] }] of Object.entries(methods)) {
      const [, section = ''] = text.split(`<summary><code>${method.toUpperCase()} ${path}</code>`)
      t.ok(section, path)
      const own = section.slice(0, section.indexOf('</details>'))
      for (const { name } of parameters) t.match(own, `<code>${name}</code>`, `${name} of ${path}`)
    }
  }
  for (const name of Object.keys(components.schemas)) t.match(text, `<details id="${name}">`)
  const links = [...text.matchAll(/href="#([^"]+)"/g)]
  t.ok(links.length > 20, `${links.length} links`)
  for (const [, id] of links) t.match(text, `<details id="${id}">`, `the link to ${id}`)
  t.match(text, 'href="/book/api/openapi.json?as=json"')
  t.notMatch(text, /<script(?! src=)|<style| style=| on\w+="|undefined|\[object/)
  const shown = await request('/book/api/openapi.json', { headers: { accept: 'text/html' } })
  t.equal(shown.text, text, 'a browser receives the page there as well')
})

t.test('the duration metrics exclude held answers', async t => {
  const { request, post } = await serve(t)
  await post('/api/events', message(1))
  await request('/api/events?since=2031-05-04T09:00:00Z&wait=1')
  await request('/api/events')
  const { text } = await request('/metrics')
  t.match(text, 'daybook_http_request_duration_seconds_count{route="/api/events",method="GET",status="2xx"} 1\n')
})

interface Described {
  required?: string[]
  properties?: Record<string, Described>
  additionalProperties?: boolean
  $ref?: string
}

t.test('metrics count requests by pattern and deliveries by outcome', async t => {
  const { request, post } = await serve(t)
  await post('/api/events', [message(1), message(2), message(1)])
  await request('/api/events/a')
  await request('/api/events/b')
  await request('/nothing/here')
  const { status, headers, text } = await request('/metrics')
  t.equal(status, 200)
  t.match(headers.get('content-type'), /^text\/plain; version=0\.0\.4/)
  t.match(text, 'daybook_deliveries_total{route="api",result="created"} 2\n')
  t.match(text, 'daybook_deliveries_total{route="api",result="duplicate"} 1\n')
  const count = 'daybook_http_request_duration_seconds_count'
  t.match(text, `${count}{route="/api/events",method="POST",status="2xx"} 1\n`)
  t.match(text, `${count}{route="/api/events/:dedupe_key",method="GET",status="4xx"} 2\n`)
  t.match(text, `${count}{route="none",method="GET",status="4xx"} 1\n`)
  t.match(text, /process_resident_memory_bytes \d/)
  t.notMatch(text, /here/, 'paths are not labels')
})

t.test('two servers in one process have separate counters', async t => {
  const one = await serve(t)
  const other = await serve(t)
  await one.post('/api/events', message(1))
  t.match((await one.request('/metrics')).text, 'daybook_deliveries_total{route="api",result="created"} 1')
  t.match((await other.request('/metrics')).text, 'daybook_deliveries_total{route="api",result="created"} 0')
})
