import t from 'tap'
import { serveClosed } from '../closed-ledger.js'
import { serve } from '../serve.js'

const STRUCTURED = { 'content-type': 'application/cloudevents+json; charset=utf-8' }
const BATCH = { 'content-type': 'application/cloudevents-batch+json' }

/** The least that the specification requires. */
const LEAST = { specversion: '1.0', id: 'A234-1234-1234', source: '/mycontext', type: 'com.example.someevent' }

/** With every attribute, as the examples of the specification have them. */
const FULL = {
  ...LEAST,
  source: 'https://ci.example.org/pipelines/7',
  type: 'org.example.pipeline.finished.v2',
  subject: '81',
  time: '2031-05-04T11:31:00+02:00',
  datacontenttype: 'application/json',
  dataschema: 'https://ci.example.org/schemas/pipeline',
  comexampleextension1: 'value',
  comexampleothervalue: 5,
  authid: 'ada',
  authtype: 'user',
  data: { branch: 'main', green: true },
}

t.test('a structured CloudEvent becomes an event with all its members', async t => {
  const { post, ledger } = await serve(t)
  const { status, body } = await post('/api/events', FULL, STRUCTURED)
  t.equal(status, 201)
  t.match(body, { created: true, dedupe_key: 'cloudevents:https://ci.example.org/pipelines/7:A234-1234-1234' })
  t.match(ledger.events[0], {
    source: 'cloudevents',
    kind: 'org.example.pipeline.finished.v2',
    subject_type: 'pipeline',
    subject_id: '81',
    action: { object_type: 'pipeline', verb: 'finished' },
    actor: { id: 'ada', display: 'ada', metadata: { type: 'user' } },
    target: {
      type: 'pipeline',
      key: 'pipeline:81',
      parent: { type: 'source', key: 'source:https://ci.example.org/pipelines/7', url: FULL.source },
    },
    occurred_at: '2031-05-04T09:31:00.000000Z',
    provenance: { route: 'api', verified: 'none' },
  })
  t.strictSame(ledger.events[0]?.payload, FULL)
})

t.test('a minimal CloudEvent is accepted, and null attributes count as absent', async t => {
  const { post, ledger } = await serve(t)
  t.equal((await post('/api/events', { ...LEAST, subject: null, data: null }, STRUCTURED)).status, 201)
  t.match(ledger.events[0], {
    kind: 'com.example.someevent',
    subject_type: 'example',
    subject_id: 'A234-1234-1234',
    occurred_at: null,
    payload: { ...LEAST, data: null },
  })
})

t.test('id and source are the identity, regardless of other differences', async t => {
  const { post, ledger } = await serve(t)
  await post('/api/events', LEAST, STRUCTURED)
  t.match(await post('/api/events', { ...LEAST, type: 'other.kind', data: 1 }, STRUCTURED), {
    status: 200,
    body: { created: false, seen_count: 2 },
  })
  await post('/api/events', { ...LEAST, source: '/mycontext:A', id: 'B' }, STRUCTURED)
  await post('/api/events', { ...LEAST, source: '/mycontext', id: 'A:B' }, STRUCTURED)
  t.equal(ledger.events.length, 3)
})

t.test('in binary mode, attributes come from headers and data from the body', async t => {
  const { request, ledger } = await serve(t)
  const send = (headers: Record<string, string>, body: string | Uint8Array) =>
    request('/api/events', { method: 'POST', headers, body })
  const attributes = { 'ce-specversion': '1.0', 'ce-source': '/mycontext', 'ce-type': 'com.example.someevent' }
  const json = { ...attributes, 'ce-id': '1', 'content-type': 'application/json', 'ce-time': '2031-05-04T09:31:00Z' }
  t.equal((await send({ ...json, 'ce-subject': '"Euro %E2%82%AC" %F0%9F%98%80' }, '{"n":1}')).status, 201)
  t.equal((await send({ ...attributes, 'ce-id': '2', 'content-type': 'text/xml' }, '<much wow="xml"/>')).status, 201)
  const bytes = new Uint8Array([0xff, 0x00, 0x80])
  t.equal((await send({ ...attributes, 'ce-id': '3', 'content-type': 'image/png' }, bytes)).status, 201)
  t.strictSame(ledger.events[0]?.payload, {
    specversion: '1.0',
    source: '/mycontext',
    type: 'com.example.someevent',
    id: '1',
    time: '2031-05-04T09:31:00Z',
    subject: 'Euro € 😀',
    datacontenttype: 'application/json',
    data: { n: 1 },
  })
  t.match(ledger.events[1]?.payload, { datacontenttype: 'text/xml', data: '<much wow="xml"/>' })
  t.match(ledger.events[2]?.payload, { datacontenttype: 'image/png', data_base64: '/wCA' })
  t.match(await send({ ...json, 'ce-id': '100%' }, '{}'), { status: 201, body: { dedupe_key: /:100%25$/ } })
  t.match(await send({ ...json, 'ce-id': '4' }, '{'), { status: 400, body: { code: 'invalid_json' } })
})

t.test('a batch is recorded as a whole or not at all', async t => {
  const { post, ledger } = await serve(t)
  const bad = await post('/api/events', [LEAST, { ...LEAST, id: '' }, { ...LEAST, specversion: '0.3' }], BATCH)
  t.match(bad, { status: 400, body: { errors: [{ field: '/1/id' }, { field: '/2/specversion' }] } })
  t.equal(ledger.events.length, 0)
  t.match(await post('/api/events', [], BATCH), { status: 200, body: { created: 0, results: { length: 0 } } })
  t.match(await post('/api/events', [LEAST, { ...LEAST, id: '2' }, LEAST], BATCH), {
    status: 200,
    body: { created: 2, duplicates: 1, results: [{ created: true }, { created: true }, { seen_count: 2 }] },
  })
  t.match(await post('/api/events', LEAST, BATCH), { status: 400, body: { code: 'invalid_json' } })
})

t.test('a CloudEvent that breaks the specification is refused with the attribute', async t => {
  const { post, ledger } = await serve(t)
  const cases: [members: Record<string, unknown>, field: string, code?: string][] = [
    [{ id: undefined }, '/id'],
    [{ id: 7 }, '/id'],
    [{ id: 'a\ud800' }, '/id'],
    [{ source: '' }, '/source'],
    [{ type: 'x'.repeat(129) }, '/type'],
    [{ specversion: '1.1' }, '/specversion'],
    [{ time: 'yesterday' }, '/time', 'invalid_timestamp'],
    [{ time: 7 }, '/time'],
    [{ subject: 5, time: 'yesterday' }, '/subject'],
    [{ subject: 5 }, '/subject'],
    [{ data: 1, data_base64: 'AAAA' }, '/data_base64'],
    [{ data_base64: 'not base64' }, '/data_base64'],
  ]
  for (const [members, field, code = 'invalid_field'] of cases) {
    const answer = await post('/api/events', JSON.stringify({ ...LEAST, ...members }), STRUCTURED)
    t.match(answer, { status: 400, body: { code, errors: [{ field }] } }, field)
  }
  t.match(await post('/api/events', '[]', STRUCTURED), { status: 400, body: { code: 'invalid_json' } })
  t.match(await post('/api/events', LEAST, { 'content-type': 'application/cloudevents+avro' }), { status: 415 })
  t.equal(ledger.events.length, 0)
})

t.test('names of Object.prototype are ordinary extensions', async t => {
  const { post, ledger } = await serve(t)
  const text = `{"specversion":"1.0","id":"1","source":"/s","type":"a.b","__proto__":{"x":1},"constructor":"c"}`
  t.equal((await post('/api/events', text, STRUCTURED)).status, 201)
  t.ok(Object.hasOwn(ledger.events[0]?.payload ?? {}, '__proto__'))
  t.equal(({} as Record<string, unknown>).x, undefined)
})

t.test('a writer token of the source "cloudevents" records them, another one does not', async t => {
  const { send, accounts, ada } = await serveClosed(t)
  const tokenFor = async (source: string) => {
    const { token } = await accounts.tokens.issue(ada.id, undefined, { may: 'write', sources: [source] })
    return { Authorization: `Bearer ${token}`, 'Content-Type': 'application/cloudevents+json' }
  }
  const record = async (source: string) =>
    send('/api/events', { method: 'POST', headers: await tokenFor(source), body: LEAST })
  t.equal((await record('cloudevents')).status, 201)
  t.equal((await record('ci')).status, 403)
})
