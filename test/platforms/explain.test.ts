import t from 'tap'
import { ADAPTERS, adapterOf } from '../../src/platforms/adapters.js'
import { explainDelivery } from '../../src/platforms/explain.js'
import { readSavedDelivery } from '../../src/platforms/saved-delivery.js'
import { adapterFixtures, toDelivery } from './adapter-fixtures.js'

const body = (value: unknown) => Buffer.from(JSON.stringify(value))

for (const adapter of ADAPTERS) {
  const { source } = adapter.catalogue
  t.test(`every event of ${source} is explained by the parts of its key`, async t => {
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

t.test('an event is told by what happened, or else by its delivery alone', async t => {
  const adapter = adapterOf('code_a')
  const explain = (name: string, sent: object) => {
    const headers = { 'x-github-event': name, 'x-github-delivery': 'd-1' }
    return explainDelivery(adapter, { headers, body: body(sent) }, {}).events[0]?.reasons.identity
  }
  const repository = { id: 70010, full_name: 'ada/engine', html_url: 'https://github.example/ada/engine' }
  t.strictSame(explain('issues', { action: 'opened', issue: { id: 501 }, repository }), {
    ...{ host: 'github.example', object_type: 'issue', id: '501', verb: 'created' },
    from: 'payload',
  })
  t.match(explain('star', { action: 'deleted', repository, sender: { id: 17 } }), { from: 'delivery' })
  t.match(explain('nobody_knows', { a: 1 }), { from: 'delivery', discriminator: 'd-1' })
})

t.test('targets are those that a subscription may be given', async t => {
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

t.test('a ping is explained as nothing to keep', async t => {
  const delivery = { headers: { 'x-github-event': 'ping', 'x-github-delivery': 'd-1' }, body: body({ zen: 'x' }) }
  const explanation = explainDelivery(adapterOf('code_a'), delivery, {})
  t.strictSame(explanation, { source: 'code_a', ignored: 1, delivery_id: 'd-1', events: [] })
})

t.test('a saved delivery is read with its headers, or as a body alone', async t => {
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

t.test('the platform is told by what only it sends', async t => {
  const cases: [headers: Record<string, string>, sent: object, source: string][] = [
    [{ 'x-github-event': 'push' }, {}, 'code_a'],
    [{ 'x-gogs-event': 'push' }, {}, 'code_a'],
    [{ 'x-gitlab-event': 'Push Hook' }, {}, 'code_b'],
    [{ 'webhook-signature': 'v1,x' }, {}, 'code_b'],
    [{ 'x-discourse-event': 'ping' }, {}, 'forum'],
    [{}, { bot_email: 'bot@example.org', message: { id: 1 } }, 'chat'],
  ]
  for (const [headers, sent, source] of cases) {
    t.equal(readSavedDelivery(body({ headers, body: sent }), {}).source, source)
    t.equal(readSavedDelivery(body({ headers, body: sent }), { source: 'forum' }).source, 'forum', 'unless it is said')
  }
  const doubtful = [body({ headers: {}, body: {} }), body({ id: 1 }), Buffer.from('text'), Buffer.alloc(0)]
  for (const bytes of doubtful) t.equal(readSavedDelivery(bytes, {}).source, undefined)
})
