import fc from 'fast-check'
import t from 'tap'
import { readEvent } from '../../../src/ledger/read-event.js'
import type { NewEvent } from '../../../src/model/events/event.js'
import { compileDefinedAdapter, readSourceDefinition } from '../../../src/platforms/defined/adapter.js'
import { UNMAPPED } from '../../../src/platforms/defined/mapping.js'
import { PRESETS } from '../../../src/platforms/defined/presets/presets.js'
import { anyCharacter } from '../../support/any-character.js'

const ALL = [...PRESETS.values()].map(preset => compileDefinedAdapter(readSourceDefinition({ name: 's', ...preset })))
const NO_PROOF = { name: 's', proof: { type: 'none' } } as const

/** Names that the presets look for, so that rules apply and then meet values that they do not expect. */
const NAMES = [
  ...[
    'type',
    'event',
    'data',
    'id',
    'action',
    'issue',
    'alerts',
    'status',
    'labels',
    'object',
    'channel',
    'ts',
    'comment',
  ],
  ...['resourceLogs', 'resource', 'attributes', 'key', 'value', 'stringValue', 'scopeLogs', 'logRecords', 'body'],
  ...['pullrequest', 'repository', 'webhookEvent', 'event_type', '__proto__', 'constructor', 'post_id', 'startsAt'],
]
const leaf = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    'firing',
    'event',
    'event_callback',
    'message',
    'jira:issue_created',
    'incident.x',
    '\ud800',
    '\0',
    '',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
)
const { payload } = fc.letrec<{ payload: unknown; object: object }>(tie => ({
  payload: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('payload'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom(...NAMES), tie('payload'), { maxKeys: 6, noNullPrototype: true }),
}))

t.test('a kept delivery has no header with a secret, and no address with a query', t => {
  const adapter = compileDefinedAdapter({ name: 's', proof: { type: 'token', header: 'X-Vendor-Key' }, rules: [] })
  const secret = 'a secret of the tests/1'
  const headers = {
    'x-vendor-key': secret,
    'x-event-from': `/in?key=${encodeURIComponent(secret)}`,
    'x-event': 'opened',
    'x-rewrite-url': '/in?key=other',
    'x-envoy-original-path': '/in?key=other',
    'x-request-uri': '?key=other',
  }
  const [event] = adapter.normalise(
    { headers, body: Buffer.from('{}') },
    { verified: 'token', secrets: [secret, ''] },
  ).events
  t.same(event?.action.metadata.headers, { 'x-event': 'opened' })
  t.end()
})

t.test('a mapping succeeds for every payload, and the ledger accepts every event that it makes', async t => {
  fc.assert(
    fc.property(
      payload,
      fc.constantFrom(...ALL),
      fc.constantFrom('issue', 'pullrequest:created', ''),
      (value, adapter, word) => {
        const headers = { 'sentry-hook-resource': word, 'x-event-key': word }
        const { events, ignored } = adapter.normalise({ headers, body: Buffer.from(JSON.stringify(value) ?? '') }, {})
        for (const event of events) readEvent(event)
        return events.length + ignored > 0 && events.every(({ dedupe_key }) => dedupe_key.startsWith('s:'))
      },
    ),
    { numRuns: 2_000 },
  )
  t.pass()
})

t.test('a kept delivery is mapped by another definition as if it had just arrived', async t => {
  const keeping = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, each: '/list', rules: [] }))
  const rule = { kind: 'a.b', subject_id: ['{./id}', '{/id}', '{/0}', 'none'], key: ['{./id}', '{/id}', '{/0}'] }
  const mapping = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, each: '/list', rules: [rule] }))
  for (const body of ['{"id":1}', '{"list":[{"id":2},{"id":3}],"id":9}', '[4]', '{"list":[5]}', 'null']) {
    const delivery = { headers: { 'x-event': 'x' }, body: Buffer.from(body) }
    const arrived = mapping.normalise(delivery, {}).events
    const kept = keeping.normalise(delivery, {}).events
    t.ok(kept.every(({ kind }) => kind === UNMAPPED))
    t.strictSame(
      kept.flatMap(event => remapped(mapping, event).events),
      arrived,
      body,
    )
  }
})

t.test('a list that was kept whole is mapped again into the events of the current definition', async t => {
  const whole = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, rules: [] }))
  const rules = [{ kind: 'a.b', subject_id: '{./id}' }]
  const byItem = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, each: '/list/[*]/in', rules }))
  const body = Buffer.from('{"list":[{"in":[{"id":1},{}],"x":1},{"in":[{"id":2}]}],"also":[1,2]}')
  const arrived = byItem.normalise({ headers: {}, body }, {}).events
  const kept = whole.normalise({ headers: {}, body }, {}).events
  t.equal(kept.length, 1)
  t.strictSame(
    kept.map(event => remapped(byItem, event)),
    [{ events: arrived.filter(({ kind }) => kind !== UNMAPPED), unmapped: 1 }],
  )
  const byOther = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, each: '/also', rules }))
  const [item] = arrived.filter(({ kind }) => kind === UNMAPPED)
  t.ok(item)
  if (item) t.same(remapped(byOther, item), { events: [], unmapped: 1 }, 'an item of one list is not a list of another')
})

function remapped(adapter: (typeof ALL)[number], { payload, action, subject_id }: NewEvent) {
  const isWrapped = action.metadata.wrapped === true
  return adapter.remap({ root: isWrapped ? payload.body : payload, headers: {}, identity: subject_id })
}

t.test('a batch of log records of an exporter becomes one event per record', async t => {
  const otlp = compileDefinedAdapter(readSourceDefinition({ name: 's', ...PRESETS.get('otlp-logs') }))
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  const record = (index: number) => ({
    timeUnixNano: String(1_763_640_000_000_000_000n + BigInt(index)),
    severityNumber: 9,
    body: { stringValue: `GET /api/orders/${index} answered 200 in 12 ms ${'x'.repeat(300)}` },
    attributes: ['http.request.method', 'url.path', 'code.function'].map(key => attribute(key, 'value')),
    traceId: '5b8efff798038103d269b633813fc60c',
  })
  for (const count of [512, 5_000]) {
    const resource = { attributes: Array.from({ length: 20 }, (_, at) => attribute(`attribute.${at}`, 'x'.repeat(40))) }
    const logRecords = Array.from({ length: count }, (_, index) => record(index))
    const body = Buffer.from(JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }))
    const { events } = otlp.normalise({ headers: {}, body }, {})
    t.equal(events.filter(({ kind }) => kind === 'log.info').length, count)
    t.same(events.at(-1)?.payload, { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record(count - 1)] }] }] })
  }
})

t.test('a delivery that would take too much time or memory is kept whole, with the reason', async t => {
  const numbers = (length: number) => Array.from({ length }, (_, index) => index)
  const members = (length: number) => Object.fromEntries(numbers(length).map(index => [`k${index}`, 1]))
  const rule = { kind: 'a.b', subject_id: '1' }
  const search = numbers(100).map(index => ({ at: `/in/[x${index}=1]`, exists: false }))
  const searches = [0, 20, 40, 60].map(from => ({
    ...rule,
    when: [...search.slice(from, from + 19), { at: '/no', is: 1 }],
  }))
  const reads = numbers(40).map(index => ({
    ...rule,
    when: [
      { at: '/a'.repeat(30) + index, is: 1 },
      { at: '/no', is: 1 },
    ],
  }))
  const text = 'x'.repeat(6_000)
  const cases: [name: string, rules: object[], value: object, reason: RegExp][] = [
    ['too many items', [rule], { list: numbers(5_001) }, /more than 5000 items/],
    ['no items', [rule], { list: [] }, /empty/],
    ['many members beside the list', [rule], { list: numbers(640), ...members(9_000) }, /around it/],
    ['a long list beside the list', [rule], { list: numbers(640), beside: numbers(45_000) }, /around it/],
    ['long text beside the list', [rule], { list: numbers(4_000), text }, /around it/],
    [
      'long text in several values',
      [{ ...rule, title: '{/text}', text: '{/text}' }],
      { list: numbers(2_000), text },
      /text/,
    ],
    ['long text in keys', [{ ...rule, key: '{/text}' }], { list: numbers(2_000), text }, /text/],
    [
      'long literals',
      [{ ...rule, title: 'x'.repeat(1_000), text: 'x'.repeat(1_000) }],
      { list: numbers(5_000) },
      /text/,
    ],
    ['searches', searches, { list: numbers(3_000), in: Array(128).fill({}) }, /conditions/],
    ['places', reads, { list: numbers(5_000), a: nested('a', 30) }, /conditions/],
  ]
  for (const [name, rules, value, reason] of cases) {
    const adapter = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, each: '/list', rules }))
    const body = Buffer.from(JSON.stringify(value))
    const { events } = adapter.normalise({ headers: {}, body }, {})
    t.equal(events.length, 1, name)
    t.match(events[0], { kind: UNMAPPED, payload: { list: Array }, action: { metadata: { reason } } }, name)
    t.strictSame(events[0]?.payload, JSON.parse(body.toString()), name)
    for (const event of events) t.same(remapped(adapter, event), { events: [], unmapped: 1 }, `${name}, mapped again`)
    t.same(adapter.placesWithoutResult({ headers: {}, body }, 5_000).length <= 1, true, name)
  }
})

function nested(name: string, levels: number): object {
  return { [name]: levels === 0 ? 1 : nested(name, levels - 1) }
}

t.test('the limit of a delivery counts each item of a list once', async t => {
  const rules = [{ kind: 'a.b', subject_id: '{.}' }]
  const adapter = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, each: '', rules }))
  const kindsOf = (value: unknown) => {
    const { events } = adapter.normalise({ headers: {}, body: Buffer.from(JSON.stringify(value)) }, {})
    return events.map(({ kind }) => kind)
  }
  t.equal(kindsOf(Array(5_000).fill(1)).length, 5_000)
  t.equal(kindsOf(['x'.repeat(1_000_000), ...Array(100).fill(1)]).length, 101)
})

t.test('a long text is cut in the members of an event, and complete in its payload', async t => {
  const rules = [{ kind: 'a.b', subject_id: '1', title: '{/text}{/text}' }]
  const adapter = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, rules }))
  const text = 'x'.repeat(100_000)
  const [event] = adapter.normalise({ headers: {}, body: Buffer.from(JSON.stringify({ text })) }, {}).events
  t.equal(event?.conversation.title?.length, 128 * 1024 + 1)
  t.strictSame(event?.payload, { text })
})

t.test('a kind that is too long is refused', async t => {
  const adapter = compileDefinedAdapter(
    readSourceDefinition({ ...NO_PROOF, rules: [{ kind: '{/kind}', subject_id: '1' }] }),
  )
  const body = Buffer.from(JSON.stringify({ kind: 'a.'.repeat(50_000) }))
  t.match(adapter.normalise({ headers: {}, body }, {}).events, [
    { kind: UNMAPPED, action: { metadata: { reason: '/rules/0/kind has too long a result' } } },
  ])
})

t.test('a nested list becomes one event per item, with the members around it', async t => {
  const each = '/groups/[*]/0/runs'
  const rule = { kind: 'run.seen', subject_id: '{./id}', target: [{ type: 'group', id: '{/groups/0/0/name}' }] }
  const adapter = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, each, rules: [rule] }))
  const normalise = (value: unknown) =>
    adapter.normalise({ headers: {}, body: Buffer.from(JSON.stringify(value)) }, {}).events
  const groups = [
    [{ name: 'a', runs: [{ id: 1 }, { id: 2 }] }, 'kept'],
    [{ name: 'none' }],
    5,
    [{ name: 'b', runs: [{ id: 3 }] }],
  ]
  const events = normalise({ top: true, groups })
  t.match(events, [
    { subject_id: '1', target: { key: 'group:a' }, payload: { top: true, groups: [[{ runs: [{ id: 1 }] }, 'kept']] } },
    { subject_id: '2', target: { key: 'group:a' }, payload: { groups: [[{ name: 'a', runs: [{ id: 2 }] }, 'kept']] } },
    { subject_id: '3', target: { key: 'group:b' }, payload: { groups: [[{ name: 'b', runs: [{ id: 3 }] }]] } },
  ])
  t.equal(new Set(events.map(({ dedupe_key }) => dedupe_key)).size, 3)
  const again = events.map(({ payload }) => adapter.remap({ root: payload, headers: {}, identity: 'x' }))
  t.match(
    again.map(({ events: [event] }) => event),
    events.map(({ subject_id, target }) => ({ subject_id, target })),
    'mapped again, it is the same',
  )
  t.match(normalise({ groups: [] }), [{ kind: UNMAPPED, action: { metadata: { reason: /empty/ } } }])
  t.match(normalise({ groups: 5 }), [{ kind: UNMAPPED }], 'without a list it is one delivery, which lacks the id')
})

t.test('an item of a list is found by a member, within a bounded part of the list', async t => {
  const rule = { kind: 'a.b', subject_id: '1', text: '{/list/[key=a~0=~1b]/value} {/list/[in~1key=7]/value}' }
  const adapter = compileDefinedAdapter(
    readSourceDefinition({ ...NO_PROOF, redact: ['/list/[*]/secret'], rules: [rule] }),
  )
  const normalise = (list: unknown) =>
    adapter.normalise({ headers: {}, body: Buffer.from(JSON.stringify({ list })) }, {}).events[0]
  const [first, second] = [
    { key: 'a~=/b', value: 'x', secret: 's3' },
    { in: { key: 7 }, value: 'y', secret: 's4' },
  ]
  const found = normalise([null, 'text', first, second, { in: { key: 7 }, value: 'z' }])
  t.equal(found?.conversation.text, 'x y')
  t.notMatch(JSON.stringify(found), /s3|s4/)
  for (const list of [[first], [...Array(200).fill({}), first, second], { key: 'a~=/b' }, 'text']) {
    t.equal(normalise(list)?.conversation.text, undefined)
  }
})

t.test('an integer that a double cannot represent is kept, as a text', async t => {
  const rule = { kind: 'a.b', subject_id: '{/id}', key: '{/id}', text: '{/exact} {/small}' }
  const adapter = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, rules: [rule] }))
  const inText = 'a \\ and a ", 820982911946154508'
  const json = `{"id":820982911946154508,"exact":1544712660300000000,"small":1.5,"far":-${'9'.repeat(2_000)},
    "text":${JSON.stringify(inText)},"fine":[0.12345678901234567,1e-1234567890123456,12345678901234567890e-3]}`
  const [event] = adapter.normalise({ headers: {}, body: Buffer.from(json) }, {}).events
  t.match(event, { dedupe_key: 's:820982911946154508', conversation: { text: '1544712660300000000 1.5' } })
  const { far, text, fine } = event?.payload ?? {}
  t.equal(far, `-${'9'.repeat(2_000)}`)
  t.equal(text, inText)
  t.strictSame(fine, [Number('0.12345678901234567'), 0, Number('12345678901234567.89')])
})

t.test('the first valid time of several alternatives is used', async t => {
  const rule = { kind: 'a.b', subject_id: '1', time: ['{/begun}', { template: '{/ended}' }] }
  const adapter = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, rules: [rule] }))
  const body = Buffer.from('{"begun":"0","ended":1763640000}')
  t.equal(adapter.normalise({ headers: {}, body }, {}).events[0]?.occurred_at, '2025-11-20T12:00:00.000000Z')
})

t.test('templates have alternatives, maps, defaults and braces; long parts of a key are digests', async t => {
  const rule = {
    kind: { template: '{/state}', map: { ok: 'run.passed' }, default: 'run.ended' },
    subject_id: ['{/missing}', '{/nested/a~1b/0}'],
    text: ['{/missing}', { template: 'in {{braces}} {/n} {/yes}', strip: 'in {' }],
    title: '{/nested}',
    key: '{/long}',
  }
  const adapter = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, rules: [rule] }))
  const normalise = (value: unknown) =>
    adapter.normalise({ headers: {}, body: Buffer.from(JSON.stringify(value)) }, {}).events[0]
  const value = { state: 'ok', nested: { 'a/b': ['first'] }, n: 1.5, yes: true, long: 'x'.repeat(5_000) }
  t.match(normalise(value), {
    kind: 'run.passed',
    subject_id: 'first',
    dedupe_key: /^s:sha256-[0-9a-f]{64}$/,
    conversation: { text: 'braces} 1.5 true' },
  })
  t.equal(normalise({ ...value, state: 'odd' })?.kind, 'run.ended')
  t.not(normalise({ ...value, long: `${value.long}y` })?.dedupe_key, normalise(value)?.dedupe_key)
})

t.test('times of every unit and spelling are read', async t => {
  const adapter = compileDefinedAdapter(
    readSourceDefinition({ ...NO_PROOF, rules: [{ kind: 'a.b', subject_id: '1', time: '{/t}' }] }),
  )
  const timeOf = (value: unknown) =>
    adapter.normalise({ headers: {}, body: Buffer.from(JSON.stringify({ t: value })) }, {}).events[0]?.occurred_at
  const noon = '2025-11-20T12:00:00.000000Z'
  for (const value of [
    1763640000,
    1763640000000,
    1763640000000000,
    '1763640000000000000',
    '2025-11-20T12:00:00+0000',
    '2025-11-20 12:00:00 UTC',
    '2025-11-20 13:00:00.000 +01:00',
    '2025-11-20 07:00:00 -0500',
    noon,
  ]) {
    t.equal(timeOf(value), noon, String(value))
  }
  for (const value of ['yesterday', -1, 0, null, {}, '0001-01-01T00:00:00Z', '2025-11-20', '2025-11-20 12:00:00'])
    t.equal(timeOf(value), null)
})

t.test('a signed form is not read as JSON, nor are its fields, and the signature is not kept', async t => {
  const proof = { type: 'hmac', algorithm: 'sha1', header: 'X-Seal', encoding: 'hex', signed: '{form}' } as const
  const mapping = compileDefinedAdapter(readSourceDefinition({ name: 'own', proof, rules: [] }))
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-seal': 'ab', 'x-other': 'kept' }
  const [event] = mapping.normalise({ headers, body: Buffer.from('{"kind":"payment.approved"}') }, {}).events
  t.same(event?.payload, { '{"kind":"payment.approved"}': '' })
  const field = `payload=${encodeURIComponent('{"kind":"payment.approved"}')}`
  const [other] = mapping.normalise({ headers, body: Buffer.from(field) }, {}).events
  t.same(other?.payload, { payload: '{"kind":"payment.approved"}' })
  t.notMatch(JSON.stringify(event), /x-seal/)
  t.match(JSON.stringify(event), /x-other/)
})

t.test(
  'JSON in a text member becomes part of the payload, also from base64, and stays so in later mappings',
  async t => {
    const inner = { id: 820982911946154508n.toString(), list: [{ a: 1 }, { a: 2 }], secret: 'hidden' }
    const text = `{"id":820982911946154508,"list":[{"a":1},{"a":2}],"secret":"hidden"}`
    const definition = {
      ...NO_PROOF,
      decode: [{ at: '/text' }, { at: '/data', base64: true }, { at: '/each/[*]/json' }],
      redact: ['/text/secret', '/data/secret'],
      each: '/text/list',
    }
    const rules = [{ kind: 'a.b', subject_id: '{/text/id}-{./a}', text: '{/data/id} {/each/1/json/x}' }]
    const mapping = compileDefinedAdapter(readSourceDefinition({ ...definition, rules }))
    const keeping = compileDefinedAdapter(readSourceDefinition({ ...NO_PROOF, rules: [] }))
    const data = Buffer.from(text).toString('base64')
    const delivery = {
      headers: {},
      body: Buffer.from(JSON.stringify({ text, data, each: [{ json: '5' }, { json: '{"x":"y"}' }, { json: '{' }] })),
    }
    const { events } = mapping.normalise(delivery, {})
    t.match(events, [
      { subject_id: `${inner.id}-1`, conversation: { text: `${inner.id} y` } },
      { subject_id: `${inner.id}-2` },
    ])
    t.notMatch(JSON.stringify(events), /hidden|aGlkZGVu/)
    t.match(events[0]?.payload, { each: [{ json: '5' }, { json: { x: 'y' } }, { json: '{' }] })
    const [kept] = keeping.normalise(delivery, {}).events
    t.ok(kept)
    if (kept) t.strictSame(remapped(mapping, kept).events, events, 'a delivery that was kept before')
    for (const event of events) {
      const again = mapping.remap({ root: event.payload, headers: {}, identity: 'x:0' })
      t.strictSame(again.events[0]?.payload, event.payload)
    }
    const texts = { each: [{ json: null }, ...Array.from({ length: 1_001 }, () => ({ json: '{"x":"y"}' }))] }
    const payload = mapping.normalise({ headers: {}, body: Buffer.from(JSON.stringify(texts)) }, {}).events[0]?.payload
    const decodedTexts = (payload as typeof texts | undefined)?.each.map(({ json }) => typeof json)
    t.same(decodedTexts?.slice(-2), ['object', 'string'], 'after a thousand of them, texts stay texts')
    const long = JSON.stringify({ text: JSON.stringify({ a: 'x'.repeat(1024 * 1024) }) })
    t.equal(typeof mapping.normalise({ headers: {}, body: Buffer.from(long) }, {}).events[0]?.payload.text, 'string')
  },
)
