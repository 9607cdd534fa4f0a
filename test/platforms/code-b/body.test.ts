import t from 'tap'
import { eventOf, INSTANCE, normalise, readFixture, validator } from './support.js'

const HEADERS = { ...INSTANCE, 'x-gitlab-event': 'Issue Hook', 'idempotency-key': 'd-1' }

t.test('a body that is not JSON is refused', async t => {
  for (const body of ['', ' ', '{', 'payload={}', '{"a":1}{"b":2}', '{"a":1,}', 'undefined', '\ufeff']) {
    const refused = { category: 'invalid', code: 'invalid_json', message: /as the whole body/ }
    t.throws(() => normalise({ headers: HEADERS, body }), refused, body)
  }
})

t.test('JSON of any other form, as a body template may give it, is kept', async t => {
  for (const value of [[], [{ text: 'Ada opened an issue' }], 'Ada opened an issue', '', 12, true, null]) {
    const event = eventOf({ headers: HEADERS, body: JSON.stringify(value) })
    t.strictSame(event.payload, { value }, JSON.stringify(value))
    t.match(event, { kind: 'issue.received', occurred_at: null, actor: { id: '', display: '' } })
    t.equal(event.dedupe_key, 'code_b:gitlab.example.org:issue:-:received:d-1')
    t.strictSame(validator.problems(event), [])
  }
})

t.test('an event from a body template has no facts that are not in the body', async t => {
  const cases: [header: string, kind: string][] = [
    ['Push Hook', 'push.received'],
    ['Tag Push Hook', 'tag.received'],
    ['Confidential Issue Hook', 'issue.received'],
    ['Note Hook', 'comment.received'],
    ['Merge Request Hook', 'pull_request.received'],
    ['Wiki Page Hook', 'wiki_page.received'],
    ['Pipeline Hook', 'pipeline.received'],
    ['Job Hook', 'job.received'],
    ['Deployment Hook', 'deployment.received'],
    ['Release Hook', 'release.received'],
    ['Feature Flag Hook', 'feature_flag.received'],
    ['Emoji Hook', 'reaction.received'],
    ['Milestone Hook', 'milestone.received'],
    ['Vulnerability Hook', 'vulnerability.received'],
    ['Resource Access Token Hook', 'access_token.received'],
    ['Resource Deploy Token Hook', 'deploy_token.received'],
    ['Member Hook', 'member.received'],
    ['Subgroup Hook', 'subgroup.received'],
    ['Project Hook', 'repository.received'],
    ['System Hook', 'event.received'],
  ]
  for (const [header, kind] of cases) {
    const event = eventOf({ headers: { ...HEADERS, 'x-gitlab-event': header }, body: { text: 'hello' } })
    t.equal(event.kind, kind, header)
    t.equal(event.action.metadata.native_event, header)
    t.match(event.dedupe_key, /:-:received:d-1$/u)
  }
})

t.test('a byte order mark before the JSON is ignored', async t => {
  const { headers, body } = readFixture('issue-opened')
  t.strictSame(eventOf({ headers, body: `\uFEFF${JSON.stringify(body)}` }), eventOf({ headers, body }))
})

t.test('names that could pollute a prototype are ordinary data', async t => {
  const body =
    '{"__proto__":{"polluted":1},"constructor":{"id":7},"object_kind":"__proto__","object_attributes":{"__proto__":{"id":3}}}'
  const event = eventOf({ headers: HEADERS, body })
  t.equal(({} as Record<string, unknown>).polluted, undefined)
  t.ok(Object.hasOwn(event.payload, '__proto__'))
  t.equal(event.kind, 'proto.received')
  t.equal(event.subject_id, 'd-1')
})

t.test('nesting beyond the limit is cut, and the rest of the payload is kept', async t => {
  for (const [open, close] of [
    ['{"a":', '}'],
    ['[', ']'],
  ] as const) {
    const deep = `${open.repeat(50_000)}1${close.repeat(50_000)}`
    const body = `{"object_kind":"issue","object_attributes":{"id":5,"action":"open"},"deep":${deep}}`
    const event = eventOf({ headers: HEADERS, body })
    t.equal(event.dedupe_key, 'code_b:gitlab.example.org:issue:5:created')
    t.ok(depthOf(event) <= 64)
    t.match(JSON.stringify(event.payload), 'too deeply')
    t.ok(depthOf(eventOf({ headers: HEADERS, body: deep })) <= 64, 'nor as a bare value')
  }
})

t.test('a path of a thousand namespaces does not nest the event too deeply', async t => {
  const path = `${'g/'.repeat(1_000)}engine`
  const { target } = eventOf({
    headers: HEADERS,
    body: { object_kind: 'issue', project: { path_with_namespace: path } },
  })
  t.ok(depthOf(target) < 30)
  t.equal(target.parent?.display, path)
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
