import fc from 'fast-check'
import t from 'tap'
import { toCanonicalJson } from '../../src/ledger/default-dedupe-key.js'
import { readEvent } from '../../src/ledger/read-event.js'
import type { AppError } from '../../src/model/app-error.js'

const LEAST = { kind: 'message.created', subject_id: '8812', subject_type: 'message' }

t.test('an event with three fields gets all other members', async t => {
  t.strictSame(readEvent(LEAST), {
    dedupe_key: 'api:message.created:message:8812',
    source: 'api',
    kind: 'message.created',
    subject_id: '8812',
    subject_type: 'message',
    occurred_at: null,
    action: { kind: 'message.created', object_type: 'message', verb: 'created', metadata: {} },
    actor: { id: '', display: '', metadata: {} },
    actor_role: '',
    target: { type: 'message', key: 'message:8812' },
    conversation: {},
    payload: {},
  })
})

t.test('a kind without a dot is read as a verb', async t => {
  t.match(readEvent({ ...LEAST, kind: 'restarted' }).action, { object_type: 'message', verb: 'restarted' })
})

t.test('unknown members are kept, and values for members of the ledger are ignored', async t => {
  const input = JSON.parse(
    `{"kind":"a.b","subject_id":"1","subject_type":"a","team":{"x":[1]},"__proto__":{"polluted":true},
      "captured_at":"1999-01-01T00:00:00Z","seen_count":-5,"last_seen_at":7,"subscription_ids":"x","provenance":null}`,
  )
  const text = JSON.stringify(readEvent(input))
  t.match(text, '"team":{"x":[1]}')
  t.match(text, '"__proto__":{"polluted":true}')
  t.notMatch(text, /captured_at|seen_count|last_seen_at|subscription_ids|provenance/)
  t.equal(Reflect.get({}, 'polluted'), undefined)
})

t.test('occurred_at becomes UTC with six digits', async t => {
  t.equal(
    readEvent({ ...LEAST, occurred_at: '2026-11-20T14:00:00.5+02:00' }).occurred_at,
    '2026-11-20T12:00:00.500000Z',
  )
})

t.test('each refusal names its field', async t => {
  const cases: [unknown, string, RegExp][] = [
    [null, '', /JSON object/],
    [[], '', /JSON object/],
    ['text', '', /JSON object/],
    [{}, '/kind', /required/],
    [{ kind: 'a', subject_id: '1' }, '/subject_type', /required/],
    [{ ...LEAST, kind: '' }, '/kind', /fewer/],
    [{ ...LEAST, kind: 7 }, '/kind', /string/],
    [{ ...LEAST, subject_id: 8812 }, '/subject_id', /string/],
    [{ ...LEAST, payload: 'x' }, '/payload', /object/],
    [{ ...LEAST, actor: { id: 7 } }, '/actor/id', /string/],
    [{ ...LEAST, target: { parent: { key: 1 } } }, '/target/parent/key', /string/],
    [{ ...LEAST, source: 'no blanks' }, '/source', /pattern/],
    [{ ...LEAST, occurred_at: '2026-11-20T14:00:00' }, '/occurred_at', /no zone/],
    [{ ...LEAST, dedupe_key: '' }, '/dedupe_key', /fewer/],
    [{ ...LEAST, dedupe_key: 'x'.repeat(513) }, '/dedupe_key', /more/],
    [{ ...LEAST, dedupe_key: 'a\0b' }, '/dedupe_key', /NUL/],
    [{ ...LEAST, dedupe_key: 'a\ud800b' }, '/dedupe_key', /surrogate/],
    [{ ...LEAST, subject_id: 'x'.repeat(510) }, '/dedupe_key', /Send one of at most 512/],
  ]
  for (const [input, field, detail] of cases) {
    t.throws(() => readEvent(input), { category: 'invalid', errors: [{ field, detail }] }, `${field} ${detail}`)
  }
})

t.test('a key may have 512 characters of any size in bytes', async t => {
  t.equal(readEvent({ ...LEAST, dedupe_key: '🎉'.repeat(512) }).dedupe_key.length, 1024)
})

t.test('nesting is limited to 64 levels', async t => {
  const nested = (levels: number): object => (levels === 1 ? {} : { in: nested(levels - 1) })
  t.doesNotThrow(() => readEvent({ ...LEAST, payload: nested(63) }))
  t.throws(() => readEvent({ ...LEAST, payload: nested(64) }), { errors: [{ detail: /deeper than 64/ }] })
  const bottomless = JSON.parse(`${'{"in":'.repeat(20_000)}1${'}'.repeat(20_000)}`)
  t.throws(() => readEvent({ ...LEAST, payload: bottomless }), { errors: [{ detail: /deeper than 64/ }] })
})

t.test('the default key depends only on the members that were sent', async t => {
  const key = (more: object) => readEvent({ ...LEAST, ...more }).dedupe_key
  t.match(key({ payload: { a: 1 } }), /^api:message\.created:message:8812:[0-9a-f]{16}$/)
  t.equal(key({ payload: { a: 1, b: [2] } }), key({ payload: { b: [2], a: 1 } }))
  t.equal(key({ occurred_at: '2026-11-20T14:00:00+02:00' }), key({ occurred_at: '2026-11-20T12:00:00.000Z' }))
  const distinct = [
    {},
    { source: 'chat' },
    { payload: { a: 1 } },
    { payload: { a: '1' } },
    { payload: {} },
    { actor: { id: '1' } },
    { target: { key: '1' } },
    { occurred_at: '2026-11-20T12:00:00Z' },
    { conversation: { title: 'Release 2.4' } },
    { conversation: { title: 'Release 2.5' } },
    { conversation: {} },
    { actor: { id: '1', display: 'Ada' } },
    { actor: { id: '1', display: 'Bob' } },
    { actor_role: 'bot' },
    { action: { verb: 'sent' } },
    { colour: 'red' },
    { actor_id: '1' },
    { actor_id: '1', payload: { a: 1 } },
    { actor: { id: '1' }, payload: { a: 1 } },
  ].map(key)
  t.equal(new Set(distinct).size, distinct.length)
  t.equal(key({ seen_count: 4, provenance: {} }), key({}), 'what the ledger sets is not part of what was sent')
})

t.test('default keys are the same as in version 0.2', async t => {
  const of02 = [
    [{}, 'api:message.created:message:8812'],
    [{ occurred_at: null, actor: {} }, 'api:message.created:message:8812'],
    [{ actor: { id: '' } }, 'api:message.created:message:8812'],
    [{ payload: {} }, 'api:message.created:message:8812:f41c00b7fbccb500'],
    [{ payload: { b: [2], a: 1 } }, 'api:message.created:message:8812:707bb4dbef9a0f2f'],
    [{ actor: { id: '17' } }, 'api:message.created:message:8812:2e32fc253d4bb422'],
    [{ target: { key: 'issue:5', parent: { key: 'r' } } }, 'api:message.created:message:8812:5524232925a6afd7'],
    [{ occurred_at: '2026-11-20T13:00:00+01:00' }, 'api:message.created:message:8812:4944ec0d021d132c'],
    [
      { occurred_at: '2026-11-20T12:00:00Z', actor: { id: '17' }, target: {}, payload: { a: null } },
      'api:message.created:message:8812:e7ce449941694a8c',
    ],
  ] as const
  for (const [more, key] of of02) t.equal(readEvent({ ...LEAST, ...more }).dedupe_key, key, JSON.stringify(more))
})

t.test('one refusal names all invalid fields', t => {
  const fieldsOf = (input: object) => {
    try {
      readEvent(input)
      return []
    } catch (error) {
      return (error as AppError).errors.map(({ field }) => field).sort()
    }
  }
  const names = ['kind', 'subject_id', 'action', 'actor', 'actor_role', 'target', 'conversation', 'payload', 'source']
  const wrong = Object.fromEntries(names.map(name => [name, 5]))
  const all = ['/subject_type', '/occurred_at', ...names.map(name => `/${name}`)].sort()
  t.same(fieldsOf({ ...wrong, occurred_at: 'yesterday' }), all)
  t.same(fieldsOf({ ...LEAST, occurred_at: 'yesterday', dedupe_key: 'unverified:x' }), ['/dedupe_key', '/occurred_at'])
  t.throws(() => readEvent({ ...LEAST, occurred_at: 'yesterday' }), { code: 'invalid_timestamp' })
  t.end()
})

t.test('two events have the same key exactly if the same members were sent', async t => {
  const maybe = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: undefined })
  const word = fc.constantFrom('', 'a', 'b')
  const sent = fc
    .record({
      payload: maybe(fc.dictionary(word, fc.constantFrom(1, '1', null))),
      actor: maybe(fc.record({ id: word, display: word }, { requiredKeys: ['id'] })),
      occurred_at: maybe(fc.constantFrom('2026-11-20T12:00:00Z', '2026-11-20T13:00:00+01:00')),
      conversation: maybe(fc.record({ title: word, text: word }, { requiredKeys: [] })),
      actor_role: maybe(word),
      actor_id: maybe(word),
    })
    .map(members => JSON.parse(JSON.stringify(members)) as Record<string, unknown>)
  /** The spelling of an instant does not matter, and an empty actor counts as absent. */
  const meaning = ({ occurred_at, actor, ...others }: Record<string, unknown>) => {
    const isNobody = JSON.stringify(actor) === '{"id":""}' && Object.keys(others).every(name => name === 'payload')
    return toCanonicalJson({ ...others, isDated: occurred_at !== undefined, ...(isNobody ? {} : { actor }) })
  }
  fc.assert(
    fc.property(sent, sent, (left, right) => {
      const [one, other] = [left, right].map(more => readEvent({ ...LEAST, ...more }).dedupe_key)
      return (one === other) === (meaning(left) === meaning(right))
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})

t.test('the same event always has the same key', async t => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), payload => {
      const shuffled = Object.fromEntries(Object.entries(payload).reverse())
      return readEvent({ ...LEAST, payload }).dedupe_key === readEvent({ ...LEAST, payload: shuffled }).dedupe_key
    }),
  )
  t.pass()
})
