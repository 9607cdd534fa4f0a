import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { StoredEvent } from '../../../src/model/events/event.js'
import { PRESETS } from '../../../src/platforms/defined/presets/presets.js'
import { BY_ADMIN_TOKEN } from '../closed-ledger.js'
import { BUILD, BUILDS, SECRET, serveSources } from './serve-sources.js'

t.test('the mapping of a source determines the event of a delivery', async t => {
  const { put, signed, events, time } = await serveSources(t)
  t.match(await put(BUILDS, [SECRET]), {
    status: 201,
    body: { created: true, source: { webhook_path: '/webhooks/in/builds', accepts: true, secret_count: 1 } },
  })
  t.match(await signed('builds', BUILD), { status: 200, body: { created: 1, duplicates: 0, ignored: 0 } })
  time.now += 1
  t.match(await signed('builds', { ...BUILD, more: 1 }), { body: { created: 0, duplicates: 1 } })
  t.match(await signed('builds', {}, { 'x-event': 'ping' }), { body: { created: 0, ignored: 1 } })
  const [event, ...others] = await events()
  t.same(others, [])
  t.match(event, {
    dedupe_key: 'builds:build:7:red',
    source: 'builds',
    kind: 'build.red',
    subject_id: '7',
    subject_type: 'build',
    action: { verb: 'red', outcome: 'failed' },
    actor: { id: 'ada', display: 'ada' },
    target: { type: 'build', key: 'build:acme/app/7', display: 'Build 7', parent: { key: 'repository:acme/app' } },
    conversation: { key: 'build:acme/app/7', text: 'Tests' },
    occurred_at: '2031-04-26T20:00:00.000000Z',
    payload: BUILD,
    provenance: { route: 'webhook', verified: 'signature' },
  })
})

t.test('a defined source is available in subscriptions, filters and the catalogue', async t => {
  const { put, signed, events, send } = await serveSources(t)
  await put(BUILDS, [SECRET])
  const subscription = { source: 'builds', target: 'repository:acme/app', event_kinds: ['build.*'] }
  const headers = { 'Content-Type': 'application/json', ...BY_ADMIN_TOKEN }
  t.match(await send('/api/subscriptions', { method: 'POST', headers, body: subscription }), { status: 201 })
  await signed('builds', BUILD)
  t.match(await events('&source=builds&target=repository:acme/app&subscription_id=sub_1'), [{ kind: 'build.red' }])
  const catalogue = await send('/api/platforms', { headers: BY_ADMIN_TOKEN })
  t.match(catalogue.body.items, [
    {
      source: 'builds',
      secret_configured: true,
      kinds: ['delivery.unmapped', '*'],
      scope_types: ['build', 'repository'],
    },
  ])
})

t.test('a delivery that matches no rule is kept completely, and can be mapped later', async t => {
  const { put, signed, events, remap, time } = await serveSources(t)
  const { rules: _, ...empty } = BUILDS
  await put({ ...empty, rules: [] } as typeof BUILDS, [SECRET])
  const secretHeaders = { 'x-auth-token': SECRET, authorization: SECRET, 'x-forwarded-for': '192.0.2.7' }
  t.match(await signed('builds', BUILD, secretHeaders), { status: 200, body: { created: 1 } })
  time.now += 1
  await signed('builds', { odd: true })
  const [kept] = await events()
  t.match(kept, {
    kind: 'delivery.unmapped',
    payload: BUILD,
    action: { metadata: { reason: 'No rule has conditions that hold.', headers: { 'x-event': 'build' } } },
  })
  t.notMatch(JSON.stringify(kept), SECRET)
  t.notMatch(JSON.stringify(kept), '192.0.2.7')
  t.match(await remap('builds'), { status: 200, body: { created: 0, unmapped: 2 } })
  t.match(await put(BUILDS), { status: 200, body: { created: false, source: { secret_count: 1 } } })
  time.now += 1
  t.match(await remap('builds'), { body: { created: 1, duplicates: 0, unmapped: 1 } })
  t.match(await remap('builds'), { body: { created: 0, duplicates: 1, unmapped: 1 } })
  const all = await events()
  t.strictSame(all[0], kept)
  t.match(all[2], {
    dedupe_key: 'builds:build:7:red',
    provenance: { route: 'import', verified: 'signature' },
    action: { metadata: { remapped_from: kept?.dedupe_key } },
  })
})

t.test('a delivery of a list becomes several events', async t => {
  const { put, deliver, events, remap } = await serveSources(t)
  const alerts = {
    name: 'alerts',
    proof: { type: 'none' },
    each: '/alerts',
    rules: [
      {
        when: [{ at: './status', is: ['firing', 'resolved'] }],
        kind: 'alert.{./status}',
        subject_id: '{./id}',
        target: [{ type: 'group', id: '{/group}' }],
      },
    ],
  }
  await put(alerts)
  const delivery = { group: 'g', alerts: [{ id: 'a', status: 'firing' }, { id: 'b', status: 'odd' }, 5] }
  t.match(await deliver('alerts', delivery), { status: 200, body: { created: 3 } })
  t.match(await events(), [
    { kind: 'alert.firing', target: { key: 'group:g' }, payload: { group: 'g', alerts: [{ id: 'a' }] } },
    { kind: 'delivery.unmapped', payload: { group: 'g', alerts: [{ id: 'b', status: 'odd' }] } },
    { kind: 'delivery.unmapped', payload: { group: 'g', alerts: [5] } },
  ])
  await put({ ...alerts, rules: [{ kind: 'alert.seen', subject_id: ['{./id}', '{.}'], key: '{./id}' }] } as never)
  t.match(await remap('alerts'), { body: { created: 2, unmapped: 0 } })
  t.match((await events()).slice(3), [{ dedupe_key: 'alerts:b' }, { subject_id: '5' }])
})

t.test('a batch that was kept completely is mapped later like a new delivery', async t => {
  const { put, deliver, events, remap } = await serveSources(t)
  const rules = [{ kind: 'log.line', subject_id: '{./id}' }]
  await put({ name: 'kept', proof: { type: 'none' }, rules: [] } as never)
  await put({ name: 'mapped', proof: { type: 'none' }, each: '/lines', rules } as never)
  const batch = { host: 'web-1', lines: Array.from({ length: 120 }, (_, index) => ({ id: `line-${index}` })) }
  t.match(await deliver('kept', batch), { body: { created: 1 } })
  t.match(await deliver('mapped', batch), { body: { created: 120 } })
  await put({ name: 'kept', proof: { type: 'none' }, each: '/lines', rules } as never)
  t.match(await remap('kept'), { body: { created: 120, duplicates: 0, unmapped: 0 } })
  t.match(await remap('kept'), { body: { created: 0, duplicates: 120, unmapped: 0 } })
  t.match(await deliver('kept', batch), { body: { created: 0, duplicates: 120 } }, 'the same keys as by delivery')
  const [again, mapped] = await Promise.all(
    ['kept', 'mapped'].map(name => events(`&source=${name}&kind=log.line&limit=200`)),
  )
  const payloads = (all: StoredEvent[] = []) => all.map(({ payload }) => JSON.stringify(payload)).sort()
  t.strictSame(payloads(again), payloads(mapped))
})

t.test('a small delivery that would expand too much is kept completely, and a test gives the reason', async t => {
  const { put, deliver, events, send } = await serveSources(t)
  const definition = { name: 'wide', proof: { type: 'none' }, each: '/list', rules: [{ kind: 'a.b', subject_id: '1' }] }
  await put(definition)
  const around = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`k${index}`, 1]))
  const body = { list: Array(640).fill(1), ...around }
  t.match(await deliver('wide', body), { status: 200, body: { created: 1 } })
  const kept = { kind: 'delivery.unmapped', action: { metadata: { reason: /too many items for what is around it/ } } }
  const [event] = await events()
  t.match(event, kept)
  t.strictSame(event?.payload, body)
  const headers = { 'Content-Type': 'application/json', ...BY_ADMIN_TOKEN }
  const delivery = JSON.stringify(body)
  const tried = await send('/api/sources/wide/test', { method: 'POST', headers, body: { delivery } })
  t.match(tried.body, { count: 1, events: [kept] })
})

t.test('a source that needs a secret and has none is closed, and so is a disabled one', async t => {
  const { put, signed, deliver, events, request } = await serveSources(t)
  t.match(await put(BUILDS), { body: { source: { accepts: false, secret_count: 0 } } })
  t.match(await signed('builds', BUILD), { status: 403, body: { code: 'source_closed' } })
  await put({ ...BUILDS, enabled: false } as typeof BUILDS, [SECRET])
  t.match(await signed('builds', BUILD), { status: 403, body: { code: 'source_closed' } })
  await put(BUILDS)
  t.match(await deliver('builds', BUILD), { status: 401 }, 'to replace a definition enables it')
  t.match(await deliver('nothing', BUILD), { status: 404 })
  t.same(await events(), [])
  const stats = await request('/api/stats', { headers: BY_ADMIN_TOKEN })
  const refused = (stats.body.refused_deliveries as { items: unknown }).items
  t.match(refused, [
    { source: 'builds', code: 'source_closed', count: 2 },
    { code: 'signature_invalid', count: 1 },
  ])
})

t.test('no answer contains a secret, and only administrators see sources', async t => {
  const { put, send, byToken, mia } = await serveSources(t)
  const answers = [
    await put(BUILDS, [SECRET]),
    await send('/api/sources', { headers: BY_ADMIN_TOKEN }),
    await send('/api/sources/builds', { headers: BY_ADMIN_TOKEN }),
    await send('/api/platforms', { headers: BY_ADMIN_TOKEN }),
  ]
  for (const { text } of answers) t.notMatch(text, SECRET)
  t.equal((await send('/api/sources')).status, 401)
  t.equal((await send('/api/sources', { headers: await byToken(mia) })).status, 403)
  t.equal((await send('/api/sources/builds', { method: 'DELETE', headers: BY_ADMIN_TOKEN })).status, 204)
  t.equal((await send('/api/sources/builds', { headers: BY_ADMIN_TOKEN })).status, 404)
})

t.test('an invalid definition is refused with the place of the error', async t => {
  const { put } = await serveSources(t)
  const [rule] = BUILDS.rules
  const cases: [changes: Record<string, unknown>, field: string][] = [
    [{ name: 'chat' }, '/name'],
    [{ name: 'Chat' }, '/name'],
    [{ rules: [{ ...rule, kind: 'build.{state}' }] }, '/rules/0/kind'],
    [{ rules: [{ ...rule, kind: 'build.{/state' }] }, '/rules/0/kind'],
    [{ rules: [rule, { kind: 'a.b' }] }, '/rules/1/subject_id'],
    [{ rules: [{ ...rule, when: [{ at: '/a' }] }] }, '/rules/0/when/0'],
    [{ rules: [{ ...rule, text: '{/a~2}' }] }, '/rules/0/text'],
    [{ rules: [{ ...rule, colour: 'red' }] }, '/rules/0/colour'],
    [{ rules: Array(51).fill(rule) }, '/rules'],
    [{ rules: [{ ...rule, text: '{/a}'.repeat(21) }] }, '/rules/0/text'],
    [{ proof: { ...BUILDS.proof, signed: 'v0' } }, '/proof/signed'],
    [{ proof: { ...BUILDS.proof, signed: '{timestamp}.{body}' } }, '/proof/signed'],
    [{ each: 'alerts' }, '/each'],
    [{ rules: [{ ...rule, text: '{/list/[*]/a}' }] }, '/rules/0/text'],
    [{ rules: [{ ...rule, time: ['{/a}', '{/b'] }] }, '/rules/0/time/1'],
    [{ rules: Array(11).fill({ ...rule, text: '{/[a=b]}'.repeat(20) }) }, ''],
  ]
  for (const [changes, field] of cases) {
    const { status, body } = await put({ ...BUILDS, ...changes })
    t.equal(status, 400, field)
    t.ok(
      (body.errors as { field: string }[]).some(error => error.field === field),
      `${field}: ${body.detail}`,
    )
  }
})

t.test('hostile bodies are kept, and no answer is 5xx', async t => {
  const { put, deliver, events } = await serveSources(t)
  await put({ ...BUILDS, proof: { type: 'none' } } as never)
  const bodies = [
    '{"__proto__":{"state":"ok"},"constructor":1,"id":"x"}',
    `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`,
    '{"id":"\\ud800","state":"\\udfff","repo":"\\u0000"}',
    '[1,2]',
    '"text"',
    'null',
    'no json',
    '',
    'payload=%7B%22id%22%3A1%7D',
    JSON.stringify({ id: 'x'.repeat(300_000), state: 'ok', repo: 'r' }),
  ]
  for (const body of bodies) {
    const type = body.startsWith('payload=') ? 'application/x-www-form-urlencoded' : 'application/json'
    const answer = await deliver('builds', body, { 'x-event': 'build', 'content-type': type })
    t.match(answer, { status: 200, body: { created: 1 } }, body.slice(0, 40))
  }
  t.equal((await events()).length, bodies.length)
  t.equal(({} as Record<string, unknown>).state, undefined)
})

t.test('a verified delivery that asks for an answer receives it', async t => {
  const { put, deliver } = await serveSources(t)
  const hook = {
    name: 'hook',
    proof: { type: 'token', header: 'X-Token' },
    rules: [],
    challenge: { when: [{ at: '/type', is: 'url_verification' }], answer: { challenge: '{/challenge}' } },
  }
  await put(hook, [SECRET, 'a-second-secret'])
  const asked = { type: 'url_verification', challenge: 'abc' }
  t.match(await deliver('hook', asked, { 'x-token': 'wrong' }), { status: 401, body: { code: 'signature_invalid' } })
  const { text } = await deliver('hook', asked, { 'x-token': 'a-second-secret' })
  t.equal(text, '{"challenge":"abc"}')
})

t.test('an unverified source accepts nothing from a page of another origin', async t => {
  const { put, deliver } = await serveSources(t)
  await put({ name: 'open', proof: { type: 'none' }, rules: [] } as never, [SECRET])
  t.match(await deliver('open', {}, { origin: 'https://evil.example' }), {
    status: 403,
    body: { code: 'origin_not_allowed' },
  })
})

t.test('an exporter of logs sends gzip to its derived address, and receives an empty answer', async t => {
  const { put, post, events } = await serveSources(t)
  await put({ name: 'otel', ...PRESETS.get('otlp-logs') } as never, [SECRET])
  const record = { observedTimeUnixNano: '1795610896276000000', severityNumber: 17, body: { stringValue: 'no disk' } }
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] }
  const body = JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record, record] }] }] })
  const headers = { 'content-encoding': 'gzip', authorization: `Bearer ${SECRET}` }
  for (const path of ['/webhooks/in/otel/v1/logs', '/webhooks/in/otel']) {
    const { status, text } = await post(path, gzipSync(body), headers)
    t.same({ status, text }, { status: 200, text: '{}' }, path)
  }
  const item = { kind: 'log.error', target: { key: 'service:shop' }, conversation: { text: 'no disk' }, seen_count: 2 }
  t.match(await events(), [item, item])
  t.match(await post('/webhooks/in/otel/v1/logs', 'no gzip', headers), { status: 400, body: { code: 'bad_request' } })
  const wrong = { ...headers, authorization: 'Bearer wrong' }
  t.match(await post('/webhooks/in/otel/v1/logs', gzipSync(body), wrong), { status: 401 })
})

t.test('a delivery is tested with the stored definition or another one, and not stored', async t => {
  const { put, send, events } = await serveSources(t)
  await put(BUILDS)
  const headers = { 'Content-Type': 'application/json', ...BY_ADMIN_TOKEN }
  const test = (body: unknown, name = 'builds') => send(`/api/sources/${name}/test`, { method: 'POST', headers, body })
  const delivery = JSON.stringify({ headers: { 'X-Event': 'build' }, body: BUILD })
  t.match(await test({ delivery }), {
    status: 200,
    body: { count: 1, events: [{ kind: 'build.red', subject_id: '7' }] },
  })
  t.match(await test({ delivery: '{"headers":{"x-event":"ping"},"body":{}}' }), { body: { count: 0, ignored: 1 } })
  const other = { name: 'new', proof: { type: 'none' }, each: '/all', rules: [{ kind: 'a.b', subject_id: '{.}' }] }
  const many = JSON.stringify({ all: Array.from({ length: 30 }, (_, index) => index) })
  const tried = await test({ definition: other, delivery: many }, 'new')
  t.match(tried.body, { count: 30 })
  t.equal((tried.body.events as unknown[]).length, 20)
  t.match(await test({ delivery }, 'new'), { status: 404 })
  t.match(await test({ delivery: '{' }), { status: 400, body: { code: 'invalid_json' } })
  t.match(await test({ definition: { ...other, rules: [{}] }, delivery }), {
    status: 400,
    body: { code: 'invalid_field' },
  })
  t.match(await test({ delivery: ' '.repeat(256 * 1024 + 1) }), {
    status: 400,
    body: { errors: [{ field: '/delivery' }] },
  })
  t.same(await events(), [])
})

t.test('presets are listed with their definitions', async t => {
  const { request, put } = await serveSources(t)
  const { body } = await request('/api/presets', { headers: BY_ADMIN_TOKEN })
  t.ok(Number(body.count) >= 10)
  for (const { name, definition } of body.items as { name: string; definition: object }[]) {
    t.match(await put({ name, ...definition }), { status: 201 }, name)
  }
})
