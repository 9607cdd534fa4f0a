import t from 'tap'
import { eventOf, headersOf, normalise, readFixture } from './support.js'

const HEADERS = headersOf('post', 'post_created')
const FORM = { ...HEADERS, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }

t.test('a body that is not a JSON object is refused', async t => {
  for (const body of ['', '{', '[]', '[{}]', '"text"', '12', 'null', 'true', '{"a":1}{"b":2}', 'payload={}']) {
    t.throws(() => normalise({ headers: HEADERS, body }), { category: 'invalid', code: 'invalid_json' }, body)
  }
  for (const body of ['', 'other=%7B%7D', 'payload=', 'payload=%5B%5D', 'null', '[]', '{']) {
    t.throws(() => normalise({ headers: FORM, body }), { category: 'invalid', code: 'invalid_json' }, `form ${body}`)
  }
})

t.test('a body of JSON with the content type of a form is read as JSON', async t => {
  const { headers, body } = readFixture('reply-created-by-a-moderator')
  const said = { ...headers, 'content-type': FORM['content-type'] }
  t.strictSame(eventOf({ headers: said, body }), eventOf({ headers, body }))
  t.strictSame(eventOf({ headers: said, body: `\uFEFF \n${JSON.stringify(body)}` }), eventOf({ headers, body }))
})

t.test('the JSON of a form is in its payload field', async t => {
  const { headers, body } = readFixture('reply-created-by-a-moderator')
  const form = new URLSearchParams({ payload: JSON.stringify(body) }).toString()
  t.strictSame(
    eventOf({ headers: { ...headers, 'content-type': FORM['content-type'] }, body: form }),
    eventOf({ headers, body }),
  )
})

t.test('names that could pollute a prototype are ordinary data', async t => {
  const body = '{"__proto__":{"id":1},"constructor":{"id":7},"post":{"__proto__":{"id":3},"post_number":1}}'
  const event = eventOf({ headers: HEADERS, body })
  t.equal(({} as Record<string, unknown>).id, undefined)
  t.ok(Object.hasOwn(event.payload, '__proto__'))
  t.not(event.subject_id, '3')
  t.equal(eventOf({ headers: headersOf('__proto__', 'constructor'), body: '{}' }).kind, 'proto.constructor')
})

t.test('nesting beyond the limit is cut, and the rest of the payload is kept', async t => {
  const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
  const event = eventOf({ headers: HEADERS, body: `{"post":{"id":5,"post_type":${deep}}}` })
  t.equal(event.dedupe_key, 'forum:forum.example.org:post:5:created')
  t.ok(depthOf(event) <= 64)
  t.match(JSON.stringify(event.payload), 'too deeply')
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
