import t from 'tap'
import { eventOf, normalise, readFixture } from './support.js'

const HEADERS = { 'x-github-event': 'issues', 'x-github-delivery': '6f9b1c00-0000-4000-8000-000000000001' }
const FORM = { ...HEADERS, 'content-type': 'application/x-www-form-urlencoded' }

t.test('a body that is not a JSON object is refused', async t => {
  const bodies = ['', '{', 'payload={}', '[]', '[{}]', '"text"', '12', 'null', 'true', '{"a":1}{"b":2}']
  for (const body of bodies) {
    t.throws(() => normalise({ headers: HEADERS, body }), { category: 'invalid', code: 'invalid_json' }, body)
  }
  for (const body of ['', 'other=%7B%7D', 'payload=', 'payload=%5B%5D', '{}']) {
    t.throws(() => normalise({ headers: FORM, body }), { category: 'invalid', code: 'invalid_json' }, `form ${body}`)
  }
})

t.test('a form and plain JSON give the same event', async t => {
  const { headers, body } = readFixture('issue-opened')
  const form = new URLSearchParams({ payload: JSON.stringify(body) }).toString()
  const sent = {
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: form,
  }
  t.strictSame(eventOf(sent), eventOf({ headers, body }))
})

t.test('a byte order mark before the JSON is ignored', async t => {
  const { headers, body } = readFixture('issue-opened')
  t.strictSame(eventOf({ headers, body: `\uFEFF${JSON.stringify(body)}` }), eventOf({ headers, body }))
})

t.test('names that could pollute a prototype are ordinary data', async t => {
  const body = '{"__proto__":{"polluted":1},"constructor":{"id":7},"secret":"s","issue":{"__proto__":{"id":3}}}'
  const event = eventOf({ headers: HEADERS, body })
  t.equal(({} as Record<string, unknown>).polluted, undefined)
  t.ok(Object.hasOwn(event.payload, '__proto__'))
  t.not(event.subject_id, '3')
  const named = eventOf({ headers: { ...HEADERS, 'x-github-event': '__proto__' }, body: '{}' })
  t.equal(named.kind, 'proto.received')
})

t.test('the secret of a hook is removed', async t => {
  const event = eventOf(readFixture('gogs-push-with-its-secret'))
  t.equal(event.payload.secret, '[REDACTED]')
  t.notMatch(JSON.stringify(event), 'hunter2')
})

t.test('nesting beyond the limit is cut, and the rest of the payload is kept', async t => {
  for (const [open, close] of [
    ['{"a":', '}'],
    ['[', ']'],
  ] as const) {
    const deep = `${open.repeat(50_000)}1${close.repeat(50_000)}`
    const event = eventOf({ headers: HEADERS, body: `{"action":"opened","issue":{"id":5},"deep":${deep}}` })
    t.equal(event.dedupe_key, 'code_a:unknown:issue:5:created')
    t.ok(depthOf(event) <= 64)
    t.match(JSON.stringify(event.payload), 'too deeply')
  }
  const level = 40
  const body = { issue: { id: 5 }, deep: JSON.parse(`${'['.repeat(level)}1${']'.repeat(level)}`) }
  t.strictSame(eventOf({ headers: HEADERS, body }).payload, body, 'ordinary depth is untouched')
})

t.test('the event names a bounded number of changes', async t => {
  const renamed = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`part_${at}`, { from: 'a', to: 'b' }]))
  const body = { action: 'renamed', repository: { id: 5 }, changes: { repository: renamed } }
  const { action } = eventOf({ headers: { ...HEADERS, 'x-github-event': 'repository' }, body })
  t.equal(Object.keys(Object(action.metadata.changes)).length, 50)
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
