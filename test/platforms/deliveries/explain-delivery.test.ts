import t from 'tap'
import { ADAPTERS, adapterOf } from '../../../src/platforms/adapters.js'
import { explainDelivery } from '../../../src/platforms/deliveries/explain-delivery.js'
import { readSavedDelivery } from '../../../src/platforms/deliveries/saved-delivery.js'
import { adapterFixtures, toDelivery } from '../adapter-fixtures.js'

const body = (value: unknown) => Buffer.from(JSON.stringify(value))

for (const adapter of ADAPTERS) {
  const { source } = adapter.catalogue
  t.test(`an explanation of ${source} lists the parts of the key of every event`, async t => {
    for (const fixture of adapterFixtures(adapter, source.replace('_', '-')).readFixtures()) {
      const explanation = explainDelivery(adapter, toDelivery(fixture), {})
      t.match(explanation, { source, ignored: Number })
      for (const { event, reasons } of explanation.events) {
        const { host, object_type, id, verb, discriminator } = reasons.identity
        const parts = [source, host, object_type, id, verb, ...(discriminator === undefined ? [] : [discriminator])]
        t.equal(parts.join(':'), event.dedupe_key, fixture.name)
        t.ok(host && object_type && id && verb, event.dedupe_key)
        t.equal(reasons.row, fixture.name.startsWith('generic-') ? 'generic' : 'named', fixture.name)
        t.equal(reasons.native_event, event.action.metadata.native_event)
        if (event.target.key) t.ok(reasons.scope_keys.includes(event.target.key), fixture.name)
      }
    }
  })
}

t.test('an explanation states whether the occurrence or only the delivery identifies an event', async t => {
  const adapter = adapterOf('code_a')
  const explain = (name: string, sent: object) => {
    const headers = { 'x-github-event': name, 'x-github-delivery': 'd-1' }
    return explainDelivery(adapter, { headers, body: body(sent) }, {}).events[0]?.reasons.identity
  }
  const repository = { id: 70010, full_name: 'ada/engine', html_url: 'https://github.example/ada/engine' }
  t.strictSame(explain('issues', { action: 'opened', issue: { id: 501 }, repository }), {
    host: 'github.example',
    object_type: 'issue',
    id: '501',
    verb: 'created',
    from: 'payload',
  })
  t.match(explain('star', { action: 'deleted', repository, sender: { id: 17 } }), { from: 'delivery' })
  t.match(explain('nobody_knows', { a: 1 }), { from: 'delivery', discriminator: 'd-1' })
})

t.test('an explanation lists the targets that a subscription accepts', async t => {
  const repository = { id: 70010, full_name: 'ada/engine', html_url: 'https://github.example/ada/engine' }
  const issue = { id: 501, number: 12, title: 'Loom' }
  const sent = { action: 'created', issue, comment: { id: 7 }, repository }
  const delivery = { headers: { 'x-github-event': 'issue_comment' }, body: body(sent) }
  const [explained] = explainDelivery(adapterOf('code_a'), delivery, {}).events
  t.strictSame(explained?.reasons.targets, ['repo:ada/engine/issue:12', 'repo:ada/engine'])
})

t.test('the token in a chat delivery is not shown', async t => {
  const message = { id: 21, type: 'stream', content: 'hello', sender_id: 17 }
  const sent = { token: 'hunter2', bot_email: 'bot@example.org', trigger: 'mention', message }
  const explanation = explainDelivery(adapterOf('chat'), { headers: {}, body: body(sent) }, {})
  t.equal(explanation.events.length, 1)
  t.notMatch(JSON.stringify(explanation), /hunter2/)
})

t.test('a ping is explained as not recorded', async t => {
  const delivery = { headers: { 'x-github-event': 'ping', 'x-github-delivery': 'd-1' }, body: body({ zen: 'x' }) }
  const explanation = explainDelivery(adapterOf('code_a'), delivery, {})
  t.strictSame(explanation, { source: 'code_a', ignored: 1, delivery_id: 'd-1', events: [] })
})

t.test('a saved delivery is read with its headers, or as only a body', async t => {
  const sent = { action: 'opened' }
  const saved = readSavedDelivery(body({ headers: { 'X-GitHub-Event': 'issues', 'x-number': 5 }, body: sent }), {})
  t.match(saved, { source: 'code_a', delivery: { headers: { 'x-github-event': 'issues', 'x-number': '5' } } })
  t.equal(Buffer.from(saved.delivery.body).toString(), '{"action":"opened"}')

  const form = readSavedDelivery(body({ headers: {}, body: 'payload=%7B%7D' }), { source: 'code_a' })
  t.equal(Buffer.from(form.delivery.body).toString(), 'payload=%7B%7D')

  const raw = Buffer.from('payload=%7B%7D')
  t.match(readSavedDelivery(raw, { source: 'forum', headers: { 'x-discourse-event': 'ping' } }), {
    source: 'forum',
    delivery: { headers: { 'x-discourse-event': 'ping' }, body: raw },
  })
  const given = { headers: { 'x-github-event': 'push' }, site: 'https://chat.example.org' }
  const both = readSavedDelivery(body({ headers: { 'x-github-event': 'issues' }, body: {}, site: 'other' }), given)
  t.match(both, { delivery: { headers: { 'x-github-event': 'push' } }, context: { site: 'https://chat.example.org' } })
})

const FORM = 'application/x-www-form-urlencoded'

t.test("the chat platform's second format is recognised by its headers and its form", async t => {
  const form =
    'token=x&team_id=T1&team_domain=chat.example.org&channel_id=C4&channel_name=eng&thread_ts=1795179598' +
    '&timestamp=1795179598&user_id=U17&user_name=Ada&text=all+green&trigger_word=mention&service_id=21'
  const agent = { 'User-Agent': 'ZulipOutgoingWebhook/9.2' }
  for (const headers of [{ 'Content-Type': FORM }, { 'Content-Type': FORM, ...agent }]) {
    const { source, delivery, context } = readSavedDelivery(body({ headers, body: form }), {})
    t.equal(source, 'chat')
    t.match(explainDelivery(adapterOf('chat'), delivery, context).events, [{ event: { kind: 'message.created' } }])
  }
})

t.test('a byte order mark before a saved delivery is ignored', async t => {
  const mark = Buffer.from('\uFEFF')
  const saved = body({ headers: { 'X-GitHub-Event': 'issues' }, body: { action: 'opened' } })
  t.match(readSavedDelivery(Buffer.concat([mark, saved]), {}), { source: 'code_a' })
  const alone = body({ bot_email: 'bot@example.org', message: { id: 1 } })
  t.equal(readSavedDelivery(Buffer.concat([mark, alone]), {}).source, 'chat')
})

t.test('a header that was saved as a list or as a number is read as text', async t => {
  const headers = { 'X-GitHub-Event': ['issues'], 'Content-Length': 5, 'x-many': 'a, b' }
  t.strictSame(readSavedDelivery(body({ headers, body: {} }), {}).delivery.headers, {
    'x-github-event': 'issues',
    'content-length': '5',
    'x-many': 'a, b',
  })
})

const faults: { name: string; bytes: Buffer; code: string; message: RegExp }[] = [
  { name: 'an empty file', bytes: Buffer.alloc(0), code: 'invalid_json', message: /is empty/ },
  { name: 'a file of blanks', bytes: Buffer.from('\uFEFF \n'), code: 'invalid_json', message: /is empty/ },
  {
    name: 'JSON that is cut off',
    bytes: Buffer.from('{"headers": {'),
    code: 'invalid_json',
    message: /not JSON to its end/,
  },
  {
    name: 'anything other than text',
    bytes: Buffer.from([0x1f, 0x8b, 8, 0xff]),
    code: 'invalid_json',
    message: /not text in UTF-8/,
  },
  { name: 'text', bytes: Buffer.from('hello'), code: 'invalid_json', message: /neither JSON nor a form/ },
  { name: 'a list', bytes: body([]), code: 'invalid_json', message: /JSON, but not an object/ },
  { name: 'null', bytes: body(null), code: 'invalid_json', message: /JSON, but not an object/ },
  { name: 'a string', bytes: body('text'), code: 'invalid_json', message: /JSON, but not an object/ },
  { name: 'no headers', bytes: body({ body: { action: 'opened' } }), code: 'invalid_json', message: /no headers/ },
  {
    name: 'no body',
    bytes: body({ headers: { 'x-github-event': 'push' } }),
    code: 'invalid_field',
    message: /no "body"/,
  },
  ...[[{ name: 'x' }], null, 'x-github-event: push'].map(headers => ({
    name: `headers that are ${JSON.stringify(headers)}`,
    bytes: body({ headers, body: {} }),
    code: 'invalid_field',
    message: /headers must be an object/,
  })),
  ...[['push', 'issues'], [], [1, 2], null, true, {}].map(value => ({
    name: `a header that is ${JSON.stringify(value)}`,
    bytes: body({ headers: { 'x-github-event': value }, body: {} }),
    code: 'invalid_field',
    message: /"x-github-event" must be one text/,
  })),
  {
    name: 'a header in two spellings',
    bytes: body({ headers: { 'X-GitHub-Event': 'push', 'x-github-event': 'issues' }, body: {} }),
    code: 'invalid_field',
    message: /"x-github-event" occurs twice/,
  },
  ...['gar bage', 'ftp://chat.example.org', '', 5, null].map(site => ({
    name: `a site that is ${JSON.stringify(site)}`,
    bytes: body({ headers: { 'x-github-event': 'push' }, body: {}, site }),
    code: 'invalid_field',
    message: /site must be the http or https address of one server/,
  })),
]
for (const { name, bytes, code, message } of faults) {
  t.test(`${name}: the refusal of the saved delivery gives this reason`, async t => {
    t.throws(() => readSavedDelivery(bytes, {}), { category: 'invalid', code, message })
  })
}

t.test('if the platform is named, any JSON is accepted as a body', async t => {
  for (const sent of [[1], null, 'text', { body: 1 }]) {
    const { source, delivery } = readSavedDelivery(body(sent), { source: 'code_b' })
    t.equal(source, 'code_b')
    t.equal(Buffer.from(delivery.body).toString(), JSON.stringify(sent))
  }
})

t.test('the platform is recognised by headers and members that only it sends', async t => {
  const cases: [headers: Record<string, string>, sent: object, source: string][] = [
    [{ 'x-github-event': 'push' }, {}, 'code_a'],
    [{ 'x-gogs-event': 'push' }, {}, 'code_a'],
    [{ 'x-gitlab-event': 'Push Hook' }, {}, 'code_b'],
    [{ 'webhook-signature': 'v1,x' }, {}, 'code_b'],
    [{ 'x-discourse-event': 'ping' }, {}, 'forum'],
    [{}, { bot_email: 'bot@example.org', message: { id: 1 } }, 'chat'],
    [{ 'content-type': FORM }, { bot_email: 'bot@example.org', message: { id: 1 } }, 'chat'],
    [{ 'User-Agent': 'ZulipOutgoingWebhook/9.2', 'content-type': FORM }, {}, 'chat'],
  ]
  for (const [headers, sent, source] of cases) {
    t.equal(readSavedDelivery(body({ headers, body: sent }), {}).source, source)
    t.equal(readSavedDelivery(body({ headers, body: sent }), { source: 'forum' }).source, 'forum', 'unless it is said')
  }
  const doubtful = [body({ headers: {}, body: {} }), body({ id: 1 }), body({}), Buffer.from('payload=%7B%7D')]
  for (const bytes of doubtful) t.equal(readSavedDelivery(bytes, {}).source, undefined)
})
