import fc from 'fast-check'
import t from 'tap'
import { pickMembers } from '../../../src/server/events/event-fields.js'
import { message, serve } from '../serve.js'

const pick = (items: string, ...names: string[]) => pickMembers(Buffer.from(items), names).toString()

t.test('members are kept with their bytes and in their order', async t => {
  const event =
    '{"kind":"a.b","payload":{"kind":"inner","n":1.10,"big":12345678901234567890},"x":["}",{"kind":2}],"é":null}'
  t.equal(pick(event, 'payload'), '{"payload":{"kind":"inner","n":1.10,"big":12345678901234567890}}')
  t.equal(pick(event, 'x', 'kind'), '{"kind":"a.b","x":["}",{"kind":2}]}')
  t.equal(pick(event, 'é'), '{"é":null}')
  t.equal(pick(event, 'none'), '{}')
  t.equal(pick(`${event},{},{"kind":1}`, 'kind'), '{"kind":"a.b"},{},{"kind":1}')
  t.equal(pick('', 'kind'), '')
  t.equal(pick('{ "a" : 1 , "b" : { } }, { "b":2}', 'b'), '{"b" : { } },{"b":2}', 'texts of older ledgers have blanks')
})

t.test('selected members keep their text, for any event', async t => {
  const name = fc.oneof(fc.constantFrom('a', 'b', 'payload', '"', '\\', '\\"', '{', ','), fc.string({ maxLength: 4 }))
  const event = fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 4 }), fc.array(name, { minLength: 1, maxLength: 4 }), (events, names) => {
      // Texts, as JSON.parse of Node 24 may take a member named " for one named \.
      const expected = events.map(found => {
        const members = Object.entries(found).filter(([member]) => names.includes(member))
        return `{${members.map(([member, value]) => `${JSON.stringify(member)}:${JSON.stringify(value)}`).join(',')}}`
      })
      t.equal(pick(events.map(found => JSON.stringify(found)).join(','), ...names), expected.join(','))
    }),
  )
})

t.test('a page has only the requested members, and its checkpoint', async t => {
  const { request, post } = await serve(t)
  await post('/api/events', [message(1, { own: { deep: 1 } }), message(2)])
  const { status, body } = await request('/api/events?fields=kind,%20own,dedupe_key&order=asc')
  t.equal(status, 200)
  t.match(body.items, [{ kind: 'message.created', dedupe_key: String, own: { deep: 1 } }, { kind: 'message.created' }])
  t.same(
    (body.items as object[]).map(item => Object.keys(item).length),
    [3, 2],
  )
  t.match(body, { count: 2, has_more: false, next_since: String })
  for (const fields of ['', ',', 'kind,', 'x'.repeat(101), Array(51).fill('a').join(',')]) {
    t.match(
      await request(`/api/events?fields=${fields}`),
      { status: 400, body: { errors: [{ field: 'fields' }] } },
      fields,
    )
  }
  t.match(await request('/api/stream?fields=kind'), { status: 400 })
})
