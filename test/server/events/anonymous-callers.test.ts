import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { Ledger } from '../../../src/ledger/ledger.js'
import { readEvent } from '../../../src/ledger/read-event.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../../support/test-folder.js'
import { BY_ADMIN_TOKEN, type Headers, type RawRequest, serveClosed } from '../closed-ledger.js'

/** Callers without credentials, on a closed ledger over a real store. */

const NOON = 1_800_000_000_000_000
let now = NOON
const store = await openSqliteStore({
  path: join(testFolder(t), 'events.db'),
  clock: () => now,
  onFailure: error => t.fail(String(error)),
})
t.teardown(() => store.close())
let ids = 0
const book = await Ledger.open({ store, clock: () => now, newSubscriptionId: () => `sub_${++ids}` })
const closed = await serveClosed(t, { ledger: book })
const { send, ada, mia } = closed

const post = (body: unknown, headers: Headers = {}) => send('/api/events', { method: 'POST', headers, body })
const read = (path: string) => send(path, { headers: BY_ADMIN_TOKEN })
const NOTE = { kind: 'note.created', subject_type: 'note', subject_id: '1' }
const tokenOfMia = await closed.byToken(mia)
const { token: ofCi, id: ofCiId } = await closed.accounts.tokens.issue(mia.id, undefined, {
  may: 'write',
  sources: ['ci', 'deploy'],
})
const byCi: Headers = { Authorization: `Bearer ${ofCi}` }
const session = await closed.logIn(ada)

t.test('the credential of a caller determines the verification of its events, and which events it sees', async t => {
  const callers: [name: string, headers: Headers, verified: string, showsEvent: boolean][] = [
    ['the admin token', BY_ADMIN_TOKEN, 'token', true],
    ['an API token', tokenOfMia, 'token', true],
    ['a session with its CSRF token', session.headers, 'login', true],
    ['a session without it', { Cookie: session.cookie }, 'none', false],
    ['no credentials', {}, 'none', false],
    ['a writer token', byCi, 'token', false],
  ]
  for (const [name, headers, verified, showsEvent] of callers) {
    const event = { ...NOTE, source: 'ci', dedupe_key: `ci:by ${name}` }
    for (const status of [201, 200]) {
      const answer = await post(event, headers)
      t.equal(answer.status, status, name)
      t.equal('event' in answer.body, showsEvent, name)
      t.match(answer.body, { dedupe_key: event.dedupe_key, seen_count: 202 - status })
    }
    const batch = await post([event], headers)
    t.match(batch, { status: 200, body: { duplicates: 1, results: [{ dedupe_key: event.dedupe_key, seen_count: 3 }] } })
    t.notOk(batch.text.includes('"event"'), name)
    t.match(await read(`/api/events/${encodeURIComponent(event.dedupe_key)}`), { body: { provenance: { verified } } })
  }
})

t.test('an anonymous caller that guesses a key cannot see the event', async t => {
  const secret = { ...NOTE, dedupe_key: 'guessed', payload: { text: 'a private word' } }
  const { body: kept } = await post(secret, tokenOfMia)
  now += 1_000_000
  const forged = { ...NOTE, dedupe_key: 'guessed', payload: { text: 'forged' } }
  const answer = await post(forged)
  t.match(answer, { status: 201, body: { created: true, dedupe_key: 'guessed', seen_count: 1 } })
  t.not(answer.body.captured_at, kept.captured_at)
  t.match(await post([forged]), { body: { created: 0, duplicates: 1, results: [{ seen_count: 2 }] } })

  t.match(await read('/api/events/guessed'), { body: { seen_count: 1, payload: { text: 'a private word' } } })
  t.match(await read('/api/events/unverified%3Aguessed'), {
    body: {
      dedupe_key: 'guessed',
      payload: { text: 'forged' },
      provenance: { verified: 'none', key_space: 'unverified' },
    },
  })
  const { body } = await read('/api/events?subject_id=1&kind=note.created&limit=500&order=asc')
  const both = (body.items as { dedupe_key: string }[]).filter(event => event.dedupe_key === 'guessed')
  t.match(both, [{ payload: { text: 'a private word' } }, { payload: { text: 'forged' } }])
})

t.test('an anonymous event is found by its plain key until a verified event has that key', async t => {
  const event = { ...NOTE, dedupe_key: 'early' }
  t.match(await post(event), { status: 201 })
  t.match(await read('/api/events/early'), { status: 200, body: { provenance: { verified: 'none' } } })
  t.match(await post(event, tokenOfMia), { status: 201, body: { created: true } })
  t.match(await read('/api/events/early'), { body: { seen_count: 1, provenance: { verified: 'token' } } })
  t.match(await read('/api/events/unverified%3Aearly'), { body: { provenance: { verified: 'none' } } })
  t.match(await read('/api/events/unverified%3Aunverified%3Aearly'), { status: 404 })
})

t.test('callers cannot use keys in the prefix of anonymous events, and keys leave room for it', async t => {
  const refusals: [event: object, headers: Headers, field: string][] = [
    [{ ...NOTE, dedupe_key: 'unverified:x' }, {}, '/dedupe_key'],
    [{ ...NOTE, dedupe_key: 'unverified:' }, BY_ADMIN_TOKEN, '/dedupe_key'],
    [{ ...NOTE, source: 'unverified' }, tokenOfMia, '/source'],
    [{ ...NOTE, dedupe_key: '🎉'.repeat(502) }, {}, '/dedupe_key'],
    [{ ...NOTE, subject_id: 'x'.repeat(512) }, {}, '/dedupe_key'],
  ]
  for (const [event, headers, field] of refusals) {
    const answer = await post(event, headers)
    t.match(answer, { status: 400, body: { code: 'invalid_field', errors: [{ field }] } }, JSON.stringify(event))
  }
  t.match(await post({ ...NOTE, dedupe_key: '🎉'.repeat(501) }), { status: 201 })
  t.match(await post({ ...NOTE, dedupe_key: 'Unverified:x' }), { status: 201 }, 'keys differ by case')
  t.match(await post({ ...NOTE, dedupe_key: 'x'.repeat(512) }, tokenOfMia), { status: 201 })
})

t.test('every name below /api/events is a dedupe key, in any letter case', async t => {
  for (const key of ['stream', 'histogram', 'Stream', 'HISTOGRAM', 'events']) {
    t.match(await post({ ...NOTE, dedupe_key: key }, BY_ADMIN_TOKEN), { status: 201 }, key)
    t.match(await read(`/api/events/${key}`), { status: 200, body: { dedupe_key: key } }, key)
  }
  t.match(await read('/api/histogram'), { status: 200, body: { complete: true } })
})

t.test('a token that is not valid is refused, so that its owner notices', async t => {
  const values = [`Bearer tok_${'A'.repeat(43)}`, 'Bearer ', 'Bearer tok_x y', `tok_${'A'.repeat(43)}`]
  const shown = [...values.map(Authorization => ({ Authorization })), { 'X-Event-Admin-Token': 'wrong' }]
  for (const headers of shown) {
    t.match(await post(NOTE, headers), { status: 401, body: { code: 'unauthenticated' } })
    t.match(await post({ ...NOTE, dedupe_key: 'by login' }, { ...session.headers, ...headers }), {
      body: { dedupe_key: 'by login' },
    })
  }
})

t.test('a page of another origin records nothing', async t => {
  t.match(await post(NOTE, { Origin: 'https://elsewhere.example' }), {
    status: 403,
    body: { code: 'origin_not_allowed' },
  })
})

t.test('a writer token records events of its sources and does nothing else', async t => {
  t.match(await post({ ...NOTE, source: 'deploy' }, byCi), { status: 201, body: { created: true } })
  const refusals: [body: unknown, detail: RegExp][] = [
    [{ ...NOTE, source: 'chat' }, /events of ci, deploy, but the source of the event is chat/],
    [NOTE, /source of the event is api/],
    ...['ci2:note.created:note:1', 'code_a:github.com:issue:1:created', 'deployment-7'].map(
      (dedupe_key): [unknown, RegExp] => [{ ...NOTE, source: 'ci', dedupe_key }, /its dedupe keys begin with ci:/],
    ),
    [[{ ...NOTE, source: 'ci', subject_id: 'of a batch' }, NOTE], /source of the event is api/],
  ]
  for (const [body, detail] of refusals) {
    t.match(await post(body, byCi), { status: 403, body: { code: 'forbidden', detail } }, String(detail))
  }
  t.match(await read('/api/events/ci%3Anote.created%3Anote%3Aof%20a%20batch'), { status: 404 })
  t.match(await send('/api/session', { headers: byCi }), {
    status: 200,
    body: { authenticated: true, user: { username: 'mia' }, csrf_token: null, may: 'write', sources: ['ci', 'deploy'] },
  })
  const requests: [path: string, request: RawRequest][] = [
    ...['/api/events', '/api/events/x', '/api/stream', '/api/histogram', '/api/stats', '/metrics'].map(
      (path): [string, RawRequest] => [path, {}],
    ),
    ['/api/subscriptions', { method: 'POST', body: { source: 'ci' } }],
    ['/api/me/token', { method: 'POST' }],
    ['/api/me/tokens', {}],
    ['/api/me/sessions', {}],
    ['/api/logout', { method: 'POST' }],
  ]
  for (const [path, request] of requests) {
    const answer = await send(path, { ...request, headers: byCi })
    t.match(answer, { status: 403, body: { code: 'forbidden' } }, `${request.method ?? 'GET'} ${path}`)
  }
  t.match(await send('/', { headers: byCi }), { text: /<title>Log in/ }, 'the page asks for a login')
  await closed.accounts.updateUser(mia.id, { enabled: false })
  t.match(await post({ ...NOTE, source: 'ci' }, byCi), { status: 401 }, 'of a user that is disabled')
  await closed.accounts.updateUser(mia.id, { enabled: true })
  t.match(await post({ ...NOTE, source: 'ci' }, byCi), { status: 201 })
  t.match(await closed.accounts.tokens.list(mia.id), [
    { may: 'all', sources: { length: 0 } },
    { id: ofCiId, may: 'write' },
  ])
})

type Act = { by: 'signature' | 'token' | 'login' | 'capture'; n: number } | { by: 'stranger'; n: number; how: number }

t.test('an anonymous call cannot change a verified event for any reader', async t => {
  const nth = fc.nat({ max: 2 })
  const act: fc.Arbitrary<Act> = fc.oneof(
    fc.record({ by: fc.constantFrom('signature', 'token', 'login', 'capture'), n: nth }),
    { weight: 2, arbitrary: fc.record({ by: fc.constant('stranger' as const), n: nth, how: fc.nat({ max: 5 }) }) },
  )
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 10 }), async acts => {
      const run = ++runs
      const { subscription } = await book.saveSubscription({ source: 'chat', target: `stream:eng/topic:t${run}` })
      const recorded = new Set<string>()
      const event = (n: number, payload: string, subject = `${n + 1}`) => ({
        kind: 'message.created',
        subject_type: 'message',
        subject_id: subject,
        source: 'chat',
        payload: { payload },
        dedupe_key: `chat:chat.example.org:${run}:message:${n}:created`,
        target: {
          type: 'message',
          key: `message:${run}:${n}`,
          parent: { type: 'topic', display: `t${run}`, parent: { type: 'stream', display: 'eng' } },
        },
      })
      const view = async () => {
        const verified = ['signature', 'token', 'login'] as const
        const page = await book.query({ order: 'asc', limit: 500, verified, subscriptionIds: [subscription.id] })
        const { last_event_at: _, ...seen } = await book.getSubscription(subscription.id)
        const each = [...recorded].map(async key => Buffer.from(await book.getEvent(key)).toString())
        return { page: Buffer.from(page.items).toString(), seen, each: await Promise.all(each) }
      }
      const recordVerified = async ({ by, n }: { by: Act['by']; n: number }) => {
        const sent = event(n, `said by ${by}`)
        const key = sent.dedupe_key
        let created: unknown
        if (by === 'capture') {
          const page = {
            events: [readEvent(sent)],
            host: 'chat.example.org',
            attemptedAt: now,
            readTo: sent.subject_id,
          }
          created = (await book.recordCaptured(subscription.id, page))[0]?.created
        } else if (by === 'signature') {
          const provenance = { route: 'webhook', verified: 'signature' } as const
          created = (await book.record([{ event: readEvent(sent), provenance }]))[0]?.created
        } else {
          created = (await post(sent, by === 'token' ? tokenOfMia : session.headers)).body.created
        }
        t.equal(created, !recorded.has(key), 'only an event with proof makes one a repeat')
        recorded.add(key)
      }
      const anonymous = async (n: number, how: number) => {
        // A message id far ahead would make capture skip what was said.
        const forged = event(n, 'forged', '999999')
        const line = JSON.stringify(forged)
        const requests: [unknown, Headers][] = [
          [forged, {}],
          [[forged, forged], {}],
          [`${line}\n${line}`, { 'Content-Type': 'application/x-ndjson' }],
          [forged, { Cookie: session.cookie }],
          [{ ...forged, dedupe_key: `unverified:${forged.dedupe_key}` }, {}],
          [forged, { Authorization: `Bearer tok_${'A'.repeat(43)}` }],
        ]
        const [body, headers] = requests[how] as [unknown, Headers]
        const answer = await post(body, headers)
        t.notOk(/said by|"event"/.test(answer.text), answer.text)
      }
      for (const one of acts) {
        now += 1_000_000
        if (one.by !== 'stranger') {
          await recordVerified(one)
          continue
        }
        const before = await view()
        await anonymous(one.n, one.how)
        t.strictSame(await view(), before)
      }
    }),
    { numRuns: 30 },
  )
})
