import t from 'tap'
import { eventOf, message, normalise, readFixture } from './support.js'

const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }

t.test('a body without an object is refused', async t => {
  for (const body of ['', '{', '[]', '[{}]', '"text"', '12', 'null', 'true', '{"a":1}{"b":2}', 'token=t']) {
    t.throws(() => normalise({ body }), { category: 'invalid', code: 'invalid_json' }, body)
  }
  for (const body of ['', 'token=t&text=hello', 'payload=', 'payload=%5B%5D', 'team_id=&channel_id=&trigger_word=']) {
    t.throws(() => normalise({ headers: FORM, body }), { category: 'invalid', code: 'invalid_json' }, `form ${body}`)
  }
})

t.test('JSON is read with any media type', async t => {
  const text = JSON.stringify({ type: 'message', message: message() })
  const plain = eventOf({ body: text })
  t.strictSame(eventOf({ headers: FORM, body: text }), plain, 'called a form')
  t.strictSame(eventOf({ headers: FORM, body: new URLSearchParams({ payload: text }).toString() }), plain, 'in a form')
  t.strictSame(eventOf({ body: `\uFEFF${text}` }), plain, 'behind a byte order mark')
})

t.test('in the Slack format, place, time, person and text identify a message', async t => {
  const { headers, body } = readFixture('slack-format-mention')
  const keyOf = (changes: Record<string, string>) => {
    const fields = Object.fromEntries(new URLSearchParams(String(body)))
    return eventOf({ headers, body: new URLSearchParams({ ...fields, ...changes }).toString() }).dedupe_key
  }
  const key = keyOf({})
  const renamed = {
    channel_name: 'engines',
    user_name: 'Countess',
    token: 'rotated',
    trigger_word: 'm',
    service_id: '9',
  }
  t.equal(keyOf(renamed), key, 'names, the token and the bot are not part of it')
  const others = [{ channel_id: 'C5' }, { user_id: 'U18' }, { timestamp: '1935827101' }, { text: 'Another' }]
  for (const other of others) t.not(keyOf(other), key, JSON.stringify(other))
  t.equal(keyOf({ timestamp: '', thread_ts: '1935827100' }), key)
  t.match(keyOf({ user_id: '' }), /^chat:chat\.example\.org:message:-:created:sha256-/u, 'else by what was sent')
})

t.test('names that could pollute a prototype are ordinary data', async t => {
  const body = '{"__proto__":{"polluted":1},"constructor":{"id":7},"type":"__proto__","op":"constructor"}'
  const event = eventOf({ body })
  t.equal(({} as Record<string, unknown>).polluted, undefined)
  t.ok(Object.hasOwn(event.payload, '__proto__'))
  t.equal(event.kind, 'proto.constructor')
  const form = new URLSearchParams([
    ['__proto__', 'x'],
    ['team_id', 'T1'],
    ['channel_id', 'C1'],
  ]).toString()
  t.ok(Object.hasOwn(eventOf({ headers: FORM, body: form }).payload, '__proto__'))
})

t.test('the token that verified a delivery is removed, and a wrong one stays in the payload', async t => {
  const bodies = [
    { token: 's3cret', trigger: 'mention', message: message({ content: 'token' }) },
    { token: 's3cret', type: 'message', message: message() },
    { token: 's3cret', ...message() },
  ]
  for (const body of bodies) {
    const trusted = eventOf({ body, verified: 'token' })
    t.has(trusted.payload, { ...body, token: '[REDACTED]' })
    const sent = eventOf({ body, verified: 'none' })
    t.has(sent.payload, body)
    t.equal(sent.dedupe_key, trusted.dedupe_key)
  }
  const form = 'token=s3cret&team_id=T1&channel_id=C1&trigger_word=hey'
  t.equal(eventOf({ headers: FORM, body: form, verified: 'token' }).payload.token, '[REDACTED]')
  t.equal(eventOf({ headers: FORM, body: form, verified: 'none' }).payload.token, 's3cret')
  const listed = { token: 's3cret', messages: [message()] }
  t.notMatch(JSON.stringify(normalise({ body: listed, verified: 'token' })), 's3cret')
})

t.test('API keys of bots are removed from every member', async t => {
  const cases = [
    { token: 's3cret', type: 'reaction', op: 'add' },
    {
      events: [
        { type: 'realm_bot', op: 'add', bot: { user_id: 9, api_key: 's3cret', services: [{ token: 's3cret' }] } },
      ],
    },
    { realm_bots: [[{ api_key: 's3cret' }]] },
  ]
  for (const body of cases) t.notMatch(JSON.stringify(normalise({ body })), 's3cret', JSON.stringify(body))
})

t.test('a changed token does not change the key of a delivery', async t => {
  const keyOf = (token: string) => eventOf({ body: { type: 'realm', op: 'update', value: 1, token } }).dedupe_key
  t.equal(keyOf('older'), keyOf('newer'))
})

t.test('nesting beyond the limit is cut, and the rest of the payload is kept', async t => {
  for (const [open, close] of [
    ['{"a":', '}'],
    ['[', ']'],
  ] as const) {
    const deep = `${open.repeat(50_000)}1${close.repeat(50_000)}`
    const event = eventOf({ body: `{"type":"message","message":{"id":5},"deep":${deep}}` })
    t.equal(event.dedupe_key, 'chat:chat:message:5:created')
    t.match(JSON.stringify(event.payload), 'too deeply')
  }
})
