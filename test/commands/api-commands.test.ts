import t from 'tap'
import { problem, standIn } from '../client/stand-in.js'
import { runDaybook } from './run-daybook.js'

const EVENT = {
  dedupe_key: 'chat:a/1',
  kind: 'message.created',
  source: 'chat',
  captured_at: '2031-05-04T09:00:00.123456Z',
}
const SUBSCRIPTION = { id: 'sub_1', source: 'chat', target: 'stream:eng', event_kinds: [], enabled: true }

interface Line {
  argv: string[]
  input?: string
  /** The request of the command. */
  asks: string
  type?: string
  body?: string
  answer: unknown
  /** The output at a terminal. */
  shows: RegExp
}

const lines: Line[] = [
  { argv: ['health'], asks: 'GET /api/health', answer: { status: 'ok', database: '/l.db' }, shows: /^.*Ledger: .*ok/ },
  { argv: ['stats'], asks: 'GET /api/stats', answer: { event_count: 1200 }, shows: /1,200/ },
  {
    argv: ['platforms'],
    asks: 'GET /api/platforms',
    answer: { items: [{ source: 'chat', display_name: 'Chat' }] },
    shows: /chat \(Chat\)/,
  },
  {
    argv: ['schema', 'event'],
    asks: 'GET /api/schema/event',
    answer: { type: 'object' },
    shows: /\{\n {2}"type": "object"\n\}/,
  },
  {
    argv: ['session'],
    asks: 'GET /api/session',
    answer: { admin_required: true, authenticated: true, user: { id: 'user_1', username: 'ada', role: 'member' } },
    shows: /You are .*ada[\s\S]*member/,
  },
  { argv: ['schema', 'subscription'], asks: 'GET /api/schema/subscription', answer: {}, shows: /\{\}/ },
  {
    argv: ['subscriptions'],
    asks: 'GET /api/subscriptions',
    answer: { items: [SUBSCRIPTION] },
    shows: /sub_1 .*stream:eng/,
  },
  {
    argv: ['subscription', 'sub_1'],
    asks: 'GET /api/subscriptions/sub_1',
    answer: SUBSCRIPTION,
    shows: /Subscription .*sub_1/,
  },
  {
    argv: ['events', '--source', 'chat', '--days', '3'],
    asks: 'GET /api/events?source=chat&days=3',
    answer: { items: [EVENT], next_since: 'x' },
    shows: /message\.created[\s\S]*chat:a\/1/,
  },
  {
    argv: [
      ...['events', '--kind', 'a', '--kind', 'b.*', '--subscription-id', 's', '--since', '2031-05-04T09:00:00+02:00'],
      ...[
        '--from',
        '2031-05-01',
        '--to',
        '2031-05-05T00:00:00Z',
        '--q',
        '"a b" c',
        '--limit',
        '500',
        '--order',
        'asc',
        '--subject-id',
        'i',
      ],
      ...['--actor', 'Ada', '--target', 'k', '--verified', 'none,token', '--wait', '1', '--outcome', 'failed'],
      ...['--exclude-kind', 'c', '--exclude-kind', 'd.*', '--exclude-source', 'e', '--exclude-actor', 'F'],
      ...['--exclude-target', 'g', '--exclude-outcome', 'running', '--exclude-q', '"a b" c', '--exclude-q', 'd'],
      ...['--occurred-from', '2031-05-01', '--occurred-to', '2031-05-02 10:00'],
    ],
    asks:
      'GET /api/events?kind=a&kind=b.*&actor=Ada&target=k&verified=none%2Ctoken&outcome=failed&q=%22a+b%22+c&subscription_id=s&subject_id=i' +
      '&exclude_source=e&exclude_kind=c&exclude_kind=d.*&exclude_actor=F&exclude_target=g&exclude_outcome=running&exclude_q=%22a+b%22+c&exclude_q=d' +
      '&occurred_from=2031-05-01T00%3A00%3A00.000000Z&occurred_to=2031-05-02T10%3A00%3A00.000000Z&limit=500&order=asc&wait=1' +
      '&since=2031-05-04T09%3A00%3A00%2B02%3A00&from=2031-05-01T00%3A00%3A00.000000Z&to=2031-05-05T00%3A00%3A00Z',
    answer: { items: [] },
    shows: /No events/,
  },
  {
    argv: ['events', '--source', 'github', '--source', 'ci', '--exclude-source', 'zulip'],
    asks: 'GET /api/events?source=github&source=code_a&source=ci&exclude_source=zulip&exclude_source=chat',
    answer: { items: [] },
    shows: /No events/,
  },
  {
    argv: ['preview-subscription', '-'],
    input: '{"source":"chat"}',
    asks: 'POST /api/subscriptions/preview',
    type: 'application/json',
    body: '{"source":"chat"}',
    answer: { count: 12, counted_from: '2031-05-01T00:00:00.000000Z', by_day: [], examples: [EVENT], seen: true },
    shows: /12 events would have matched since 2031-05-01 00:00:00 \(UTC\)\./,
  },
  { argv: ['event', 'chat:a/1'], asks: 'GET /api/events/chat%3Aa%2F1', answer: EVENT, shows: /dedupe key/ },
  {
    argv: ['record-json', '-'],
    input: '{"kind":"a"}',
    asks: 'POST /api/events',
    type: 'application/json',
    body: '{"kind":"a"}',
    answer: { created: true, dedupe_key: 'k' },
    shows: /Recorded\./,
  },
  {
    argv: ['record-json', '-'],
    input: '[{"kind":"a"}]',
    asks: 'POST /api/events',
    type: 'application/json',
    body: '[{"kind":"a"}]',
    answer: { created: 1, duplicates: 0 },
    shows: /Recorded 1 event:.* 1 new, 0 repeats/,
  },
  {
    argv: ['record-json', '-'],
    input: '{"kind":"a"}\n\n{"kind":"b"}',
    asks: 'POST /api/events',
    type: 'application/x-ndjson',
    body: '{"kind":"a"}\n{"kind":"b"}\n',
    answer: { created: 1, duplicates: 1 },
    shows: /Recorded 2 events:.* 1 new, 1 repeat\./,
  },
  {
    argv: ['save-subscription', '-'],
    input: '{"source":"chat"}',
    asks: 'POST /api/subscriptions',
    type: 'application/json',
    body: '{"source":"chat"}',
    answer: { created: true, subscription: SUBSCRIPTION },
    shows: /Created\.[\s\S]*sub_1/,
  },
]

for (const { argv, input, asks, type, body = '', answer, shows } of lines) {
  t.test(
    `api ${argv.slice(0, 3).join(' ')}${type ? ` (${type})` : ''} sends its request, and prints the answer`,
    async t => {
      const text = JSON.stringify(answer, null, 1)
      const server = await standIn(t, () => ({ type: 'application/json', body: text }))
      const env = { EVENT_API_URL: `${server.url}/books`, EVENT_API_TOKEN: 'tok_x' }
      const options = { env, ...(input === undefined ? {} : { input }) }

      t.same(await runDaybook(t, ['api', ...argv], options), { code: 0, out: `${text}\n`, err: '' })
      t.match(server.arrived, [{ body, headers: { authorization: 'Bearer tok_x' } }])
      const [method, path] = asks.split(' ')
      t.match(server.arrived[0], { method, url: `/books${path}` })
      t.equal(server.arrived[0]?.headers['content-type'], type)

      const shown = await runDaybook(t, ['api', ...argv], { ...options, atTerminal: true })
      t.match(shown, { code: 0, out: shows })
      t.match(shown.out, /\x1b\[|^\{/, 'in colour, or JSON')
      const json = await runDaybook(t, ['api', ...argv, '--json'], { ...options, atTerminal: true })
      t.match(json, { code: 0, out: `${text}\n` })
    },
  )
}

t.test('deleting a subscription prints nothing, and a sentence at a terminal', async t => {
  const server = await standIn(t, () => ({ status: 204 }))
  const argv = ['api', 'delete-subscription', 'sub_1', '--api-url', server.url]
  t.same(await runDaybook(t, argv), { code: 0, out: '', err: '' })
  t.match(server.arrived, [{ method: 'DELETE', url: '/api/subscriptions/sub_1' }])
  t.match(await runDaybook(t, argv, { atTerminal: true }), { code: 0, out: 'Deleted subscription sub_1.\n' })
})

t.test('NO_COLOR is honoured, and a payload cannot control the terminal', async t => {
  const harmful = { ...EVENT, conversation: { text: '\x1b[2Jhi\u202e' } }
  const server = await standIn(t, () => ({ body: harmful }))
  const env = { EVENT_API_URL: server.url, NO_COLOR: '1' }
  const shown = await runDaybook(t, ['api', 'event', 'x'], { env, atTerminal: true })
  t.match(shown.out, /text +hi\n/)
  t.notMatch(shown.out, /\x1b|\u202e/)
  const json = await runDaybook(t, ['api', 'event', 'x', '--json'], { env, atTerminal: true })
  t.notMatch(json.out, /\x1b|\u202e/)
  t.same(JSON.parse(json.out), harmful)
  const piped = await runDaybook(t, ['api', 'event', 'x'], { env })
  t.match(piped.out, /\u202e/, 'a pipe gets what was answered')
})

t.test('the admin token of the home folder is sent to the ledger, unless there is an API token', async t => {
  t.testdir({ '.arch': { event: { secrets: { 'admin-token': 'secret-word\n' } } } })
  const server = await standIn(t, () => ({ body: {} }))
  await runDaybook(t, ['api', 'stats', '--api-url', server.url])
  t.match(server.arrived[0]?.headers, { 'x-event-admin-token': 'secret-word' })
  await runDaybook(t, ['api', 'stats', '--api-url', server.url, '--token', 'tok_y'])
  t.match(server.arrived[1]?.headers, { authorization: 'Bearer tok_y', 'x-event-admin-token': undefined })
})

const failures = [
  { status: 400, code: 'invalid_field', exit: 2 },
  { status: 401, code: 'unauthenticated', exit: 4, hint: /Give an API token with --token/ },
  { status: 403, code: 'forbidden', exit: 4, hint: /Use a token that has this right/ },
  { status: 404, code: 'event_unknown', exit: 3 },
  { status: 409, code: 'some_conflict', exit: 5 },
  { status: 413, code: 'body_too_large', exit: 2 },
  { status: 429, code: 'busy', exit: 75 },
  { status: 500, code: 'internal', exit: 1 },
  { status: 503, code: 'store_full', exit: 75 },
]
for (const { status, code, exit, hint } of failures) {
  t.test(`after an answer of ${status}, the command exits with ${exit} and one line or JSON`, async t => {
    const errors = [{ field: 'since', detail: 'has no zone' }]
    const server = await standIn(t, () => problem(status, code, { errors }))
    const env = { EVENT_API_URL: server.url }
    const run = await runDaybook(t, ['api', 'stats'], { env })
    t.match(run, { code: exit, out: '', err: hint ?? `Because of ${code}.\n` })
    t.match(run.err, /^Because of [^\n]+\n {2}since: has no zone\n$/)
    const json = await runDaybook(t, ['api', 'stats', '--json'], { env })
    t.match(json, { code: exit, err: '' })
    t.match(JSON.parse(json.out), { error: { code, detail: hint ?? `Because of ${code}.`, errors } })
  })
}

t.test('the health of a ledger that cannot record has its own message, and the command exits with 75', async t => {
  const body = { status: 'unavailable', detail: 'The disk is full.' }
  const server = await standIn(t, () => ({ status: 503, body }))
  const run = await runDaybook(t, ['api', 'health', '--api-url', server.url])
  t.same(run, { code: 75, out: `${JSON.stringify(body)}\n`, err: '' })
})

t.test("a board at the ledger's address: exit code 69, and never the health of a ledger", async t => {
  const body = { status: 'ok', version: '1.2.3', database: '/home/ada/.arch/board', engine: 'sqlite' }
  const server = await standIn(t, () => ({ body }))
  const run = await runDaybook(t, ['api', 'health', '--api-url', server.url])
  t.match(run, { code: 69, out: '', err: /^A board answers there, and not a ledger\. Check --api-url [^\n]*\n$/ })
})

t.test('another program at the address: exit code 69, and nothing is printed', async t => {
  const commands = [['api', 'events', '-o', 'table'], ['whoami'], ['tokens', 'issue']]
  for (const body of ['{"hello":1}', 'null', '{"cut":']) {
    const server = await standIn(t, () => ({ type: 'application/json', body }))
    const cut =
      body === '{"cut":'
        ? [
            ['consumers', 'list'],
            ['api', 'stats', '--json'],
          ]
        : []
    for (const argv of [...commands, ...cut]) {
      const run = await runDaybook(t, [...argv, '--api-url', server.url], { atTerminal: argv.includes('--json') })
      t.match(run, { code: 69, out: argv.includes('--json') ? /not_a_ledger/ : '' }, argv.join(' '))
    }
  }
})

t.test('without a server, the command exits with 69 and explains what to do', async t => {
  const server = await standIn(t, () => ({ body: {} }))
  await server.close()
  const run = await runDaybook(t, ['api', 'health', '--api-url', server.url])
  t.match(run, { code: 69, out: '', err: /^No server answers at .* Start one with "daybook serve".*\n$/ })
})

t.test('with invalid settings, the command exits with 78 and reports all of them', async t => {
  const env = { EVENT_API_URL: 'nowhere', EVENT_ADMIN_TOKEN_FILE: '/nonexistent/token' }
  const run = await runDaybook(t, ['api', 'health'], { env })
  t.match(run, {
    code: 78,
    out: '',
    err: /^2 settings are invalid\.\n {2}EVENT_API_URL .*\n {2}EVENT_ADMIN_TOKEN_FILE .*\n$/,
  })
})

t.test('a home folder that is not absolute is one problem', async t => {
  const run = await runDaybook(t, ['config'], { env: { ARCH_HOME: 'here' } })
  t.match(run, { code: 78, err: /^A setting is invalid\.\n {2}ARCH_HOME [^\n]*\n$/ })
})

t.test('after wrong usage, the command exits with 2 and sends no request', async t => {
  const lines = [
    ['api', 'event'],
    ['api', 'event', 'a', 'b'],
    ['api', 'health', '--teapot'],
    ['api', 'schema', 'teapot'],
    ['api', 'event', ''],
    ['api', 'events', '--follow', '--order', 'desc'],
    ['api', 'events', '--export', 'csv', '--limit', '5'],
    ['api', 'events', '--export', 'xml'],
    ['api', 'events', '--since', 'tomorrow'],
    ['api', 'events', '--follow', '-o', 'csv'],
    ['api', 'events', '--fields', ','],
    ['api', 'events', '-o', 'xml'],
    ['platforms', 'setup', 'teapot'],
    ['sources', 'add', 'f1', '--feed', 'example.org/feed.xml'],
    ['board', 'cards', 'edit', 'card_1'],
    ['tokens', 'revoke'],
    ['api', 'record-json', '/nonexistent/events.json'],
    ['api', 'save-subscription', '/'],
  ]
  const server = await standIn(t, () => ({ body: {} }))
  for (const argv of lines) {
    const where = { board: ['--board-url', server.url], sources: [] }[argv[0] ?? ''] ?? ['--api-url', server.url]
    const { code, out, err } = await runDaybook(t, [...argv, ...where])
    t.match({ code, out, err }, { code: 2, out: '', err: /^[^\n]+\n$/ }, argv.join(' '))
  }
  t.same(server.arrived, [])
})

t.test('a subscription that exceeds the limit is not sent', async t => {
  const server = await standIn(t, () => ({ body: {} }))
  const run = await runDaybook(t, ['api', 'save-subscription', '-', '--api-url', server.url], {
    input: ' '.repeat(70_000),
  })
  t.match(run, { code: 2, err: 'The input is larger than 64 KiB.\n' })
  t.same(server.arrived, [])
})

t.test('many lines are sent in batches, and a refusal names the recorded ones', async t => {
  const server = await standIn(t, ({ body }) => {
    const events = body.split('\n').length - 1
    const errors = [{ field: '/1/kind', detail: 'is missing' }]
    return events === 5000 ? { body: { created: events, duplicates: 0 } } : problem(400, 'invalid_field', { errors })
  })
  const input = '{"kind":"a"}\n'.repeat(10_002)
  const run = await runDaybook(t, ['api', 'record-json', '-', '--api-url', server.url], { input })
  t.same(run, {
    code: 2,
    out: `${'{"created":5000,"duplicates":0}\n'.repeat(2)}`,
    err: 'Lines 10001 to 10002 are not recorded: some are refused. Lines 1 to 10000 are recorded.\n  line 10002 /kind: is missing\n',
  })
  const shown = await runDaybook(t, ['api', 'record-json', '-', '--api-url', server.url], {
    input: '{"kind":"a"}\n'.repeat(10_000),
    atTerminal: true,
  })
  t.match(shown, {
    code: 0,
    out: /Recorded 10,000 events:.* 10,000 new, 0 repeats\.\n/,
    err: /\r5,000 events recorded …/,
  })
})

t.test('an export is printed as it arrives, and fails if its end is missing', async t => {
  const body = '{"kind":"a"}\n'.repeat(20_000)
  const server = await standIn(t, ({ url }) => {
    const type = 'application/x-ndjson'
    if (!url.includes('kind=broken')) return { type, body }
    return res => res.writeHead(200, { 'content-type': type }).write('{"kind"', () => res.destroy())
  })
  const argv = ['api', 'events', '--export', 'jsonl', '--days', '7', '--api-url', server.url]
  t.same(await runDaybook(t, [...argv, '--kind', 'a'], {}), { code: 0, out: body, err: '' })
  t.match(server.arrived, [{ method: 'GET', url: '/api/export?kind=a&days=7&format=jsonl' }])
  const broken = await runDaybook(t, [...argv, '--kind', 'broken'])
  t.match(broken, { code: 75, out: '{"kind"', err: /^The connection to .* broke .*\n$/ })
  t.match(await runDaybook(t, argv, { atTerminal: true }), { code: 2, out: '' })
})

t.test('a result is printed in the requested format, also in a pipe', async t => {
  const server = await standIn(t, () => ({ body: { items: [EVENT, { ...EVENT, dedupe_key: 'k2' }], has_more: true } }))
  const run = async (...flags: string[]) =>
    (await runDaybook(t, ['api', 'events', '--api-url', server.url, ...flags])).out
  t.match(await run('-o', 'table'), /^captured \(UTC\) +source .*\n2031-05-04 09:00:00 +chat /)
  t.match(await run('-o', 'table', '--local'), /^captured \(local\) /)
  t.equal(await run('-o', 'name'), 'chat:a/1\nk2\n')
  t.equal(await run('-o', 'jsonl', '--fields', 'kind'), '{"kind":"message.created"}\n'.repeat(2))
  t.match(await run('-o', 'csv', '--fields', 'source,kind'), /^source,kind\r\nchat,message\.created\r\n/)
  t.match(await run('-o', 'yaml'), /^items:\n {2}- dedupe_key: chat:a\/1\n/)
  t.match(await run('-o', 'table', '--fields', 'source,kind'), /^source {2}kind\nchat {4}message\.created\n/)
})

t.test('output to a pipe has colours if they are forced, and --no-color disables them', async t => {
  const server = await standIn(t, () => ({ body: { items: [EVENT] } }))
  const run = async (env: Record<string, string>, ...flags: string[]) =>
    (await runDaybook(t, ['api', 'events', '-o', 'table', '--api-url', server.url, ...flags], { env })).out
  t.match(await run({ CLICOLOR_FORCE: '1' }), /\x1b\[/)
  for (const out of [await run({}), await run({ CLICOLOR_FORCE: '1' }, '--no-color')]) t.notMatch(out, /\x1b/)
})

t.test('a failure is JSON for every format that is JSON', async t => {
  const server = await standIn(t, () => problem(404, 'event_unknown'))
  for (const flags of [['-o', 'json'], ['-ojsonl'], ['--output=json']]) {
    const { code, out, err } = await runDaybook(t, ['api', 'event', 'x', '--api-url', server.url, ...flags])
    t.match({ code, err, out: JSON.parse(out) }, { code: 3, err: '', out: { error: { code: 'event_unknown' } } })
  }
})

t.test('enabling or disabling a subscription sends no other member', async t => {
  const server = await standIn(t, ({ method }) => ({
    body: method === 'GET' ? SUBSCRIPTION : { subscription: SUBSCRIPTION },
  }))
  const env = { EVENT_API_URL: server.url }
  t.match(await runDaybook(t, ['api', 'disable-subscription', 'sub_1'], { env }), { code: 0 })
  t.match(await runDaybook(t, ['api', 'enable-subscription', 'sub_1', '-o', 'name'], { env }), { out: 'sub_1\n' })
  t.same(
    server.arrived.flatMap(({ body }) => (body === '' ? [] : [JSON.parse(body)])),
    [false, true].map(enabled => ({ id: 'sub_1', source: 'chat', enabled })),
  )
})

t.test('the command opens the page with the same filters, or prints its address without a display', async t => {
  const argv = ['open', '--api-url', 'https://events.example.org/book', '--outcome', 'failed', '--from', '2026-11-20']
  const url = 'https://events.example.org/book/?outcome=failed&from=2026-11-20T00%3A00%3A00.000000Z'
  t.same(JSON.parse((await runDaybook(t, argv)).out), { url })
  t.equal((await runDaybook(t, [...argv, '-o', 'table', '--print'])).out, `${url}\n`)
  t.equal((await runDaybook(t, [...argv, '-o', 'table'])).out, `${url}\n`)
})

t.test('the version is printed in every format', async t => {
  const { version } = JSON.parse((await runDaybook(t, ['version'])).out)
  t.equal((await runDaybook(t, ['version', '-o', 'name'])).out, `${version}\n`)
  t.match((await runDaybook(t, ['version', '-o', 'table'])).out, `daybook ${version} (Node.js ${process.versions.node}`)
})
