import t from 'tap'
import { ADAPTERS, listPlatforms } from '../../../src/platforms/adapters.js'
import { adapterFixtures, type Fixture, toDelivery } from '../../platforms/adapter-fixtures.js'
import { type Answer, type Served, serve } from '../serve.js'

interface ServedPlatform {
  source: string
  webhook_path: string
  kinds: string[]
}

function deliver({ post }: Served, path: string, fixture: Fixture): Promise<Answer> {
  const { headers, body } = toDelivery(fixture)
  return post(path, body, headers as Record<string, string>)
}

t.test('the served catalogue is that of the adapters', async t => {
  const { request } = await serve(t, { adapters: ADAPTERS, platforms: listPlatforms() })
  const { body } = await request('/api/platforms')
  t.strictSame(
    body.items,
    ADAPTERS.map(({ catalogue }) => ({ ...catalogue, secret_configured: false })),
  )
})

for (const adapter of ADAPTERS) {
  const { source } = adapter.catalogue
  const { readFixtures, normalise } = adapterFixtures(adapter, source.replace('_', '-'))
  const fixtures = readFixtures()

  t.test(`deliveries of ${source} are accepted and stored once, and have listed kinds`, async t => {
    const served = await serve(t, { adapters: ADAPTERS, platforms: listPlatforms() })
    const { items } = (await served.request('/api/platforms')).body as { items: ServedPlatform[] }
    const platform = items.find(item => item.source === source)
    const { kinds = [], webhook_path = '' } = platform ?? {}
    t.ok(fixtures.length > 20, 'there are examples')
    for (const fixture of fixtures) {
      for (const { kind } of normalise(fixture).events) {
        t.ok(kinds.includes(kind) || (kinds.includes('*') && fixture.name.startsWith('generic-')), `${kind} is listed`)
      }
    }
    // The tests of each adapter compare the event of every fixture.
    for (const fixture of fixtures.filter((_, at) => at % 3 === 0)) {
      // Several of them report the same event, so each is delivered to an empty ledger.
      served.ledger.forgetEvents()
      const first = await deliver(served, webhook_path, fixture)
      t.match(first, { status: 200, body: { duplicates: 0, ...adapter.answer } }, fixture.name)
      const recorded = [...served.ledger.events]
      t.equal(first.body.created, recorded.length)
      t.ok(recorded.length > 0 || Number(first.body.ignored) > 0, `${fixture.name} is accounted for`)
      const again = await deliver(served, webhook_path, fixture)
      t.match(again, { status: 200, body: { created: 0, duplicates: recorded.length } }, `${fixture.name} again`)
    }
  })

  t.test(`a delivery of ${source} without its proof is refused with JSON and not recorded`, async t => {
    const secrets = { chat: ['s'], forum: ['s'], code_a: ['s'], code_b: ['s'] }
    const served = await serve(t, { adapters: ADAPTERS, settings: { webhookSecrets: secrets } })
    for (const fixture of fixtures.slice(0, 3)) {
      const answer = await deliver(served, adapter.catalogue.webhook_path, { ...fixture, headers: {} })
      t.match(answer, { status: 401, body: { code: 'signature_invalid' } })
      t.notOk('content' in answer.body)
    }
    t.equal(served.ledger.events.length, 0)
  })

  t.test(`an unreadable body of ${source} is refused`, async t => {
    const served = await serve(t, { adapters: ADAPTERS })
    const { webhook_path } = adapter.catalogue
    // Hooks of code_b may have a template of their own for the body, which makes any JSON.
    const noObjects = source === 'code_b' ? [] : ['[]', 'null', '"text"', '12']
    for (const body of [...noObjects, '', '{"a":', `${'['.repeat(100_000)}`, '\u0000']) {
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
        const answer = await served.post(webhook_path, body, { 'content-type': type })
        t.match(answer, { status: 400, body: { code: 'invalid_json' } }, `${type} ${body.slice(0, 20)}`)
      }
    }
    const empty = await served.request(webhook_path, { method: 'POST' })
    t.match(empty, { status: 400, body: { code: 'invalid_json' } }, 'no body, no type')
    t.equal(served.ledger.events.length, 0)
  })
}
