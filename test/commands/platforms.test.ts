import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ownFolder } from '../black-box/own-folder.js'
import { problem, standIn } from '../client/stand-in.js'
import { serveHere } from '../runtime/serve/serve-here.js'
import { freePort } from '../support/free-port.js'
import { runDaybook, startDaybook, until } from './run-daybook.js'

const ANONYMOUS = 'http://127.0.0.1:1'
const CHECKPOINT = '2031-05-04T09:00:00.000000Z'
const ARRIVED = {
  dedupe_key: 'forum:forum.example.org:topic:8:created',
  kind: 'topic.created',
  source: 'forum',
  provenance: { route: 'webhook', verified: 'signature' },
}
const UNVERIFIED = { ...ARRIVED, dedupe_key: 'x', provenance: { route: 'webhook', verified: 'none' } }

/** A ledger that has a secret for the forum, at which one delivery after the other arrives. */
const ledger = (t: Parameters<typeof standIn>[0], events: unknown[], port?: number) => {
  const waiting = [...events]
  return standIn(
    t,
    ({ url }) => {
      const items = [{ source: 'forum', secret_configured: true }]
      if (url.startsWith('/api/platforms')) return { body: { items } }
      if (url.startsWith('/api/stats')) return { body: { event_count: 0, by_source: {} } }
      const isHead = !url.includes('since=')
      return { body: { items: isHead ? [] : waiting.splice(0, 1), next_since: CHECKPOINT } }
    },
    port === undefined ? undefined : { port },
  )
}

const SECRET = 'not-known-elsewhere'
const BODY = JSON.stringify({
  action: 'opened',
  issue: { id: 501, number: 12, title: 'Loom', created_at: '2031-05-04T09:00:00Z' },
  repository: { id: 70010, full_name: 'ada/engine', html_url: 'https://github.example/ada/engine' },
})

/** A delivery of GitHub and its redelivery: the event is new only the first time. */
async function deliver(apiUrl: string, headers: Record<string, string>): Promise<void> {
  const sent = { 'content-type': 'application/json', 'x-github-event': 'issues', ...headers }
  const answer = await fetch(`${apiUrl}/webhooks/code_a`, { method: 'POST', headers: sent, body: BODY })
  if (answer.status !== 200) throw new Error(`Answered with ${answer.status}.`)
  await new Promise(resolve => setTimeout(resolve, 100))
}

t.test('setup prints what to enter on the platform, and that a secret is configured', async t => {
  const { url, arrived } = await ledger(t, [])
  const { code, out, err } = await runDaybook(t, ['platforms', 'setup', 'forum', '--no-wait', '--api-url', url])
  t.equal(code, 0, err)
  t.match(JSON.parse(out), {
    source: 'forum',
    url: `${url}/webhooks/forum`,
    secret: { setting: 'EVENT_WEBHOOK_SECRET_FORUM', configured: true, suggestion: undefined },
    place: ['Admin', 'API', 'Webhooks', 'New webhook'],
  })
  t.same(
    arrived.map(request => request.url),
    ['/api/platforms'],
  )
})

t.test('setup prints without a server, and suggests a secret if none is known', async t => {
  const argv = ['platforms', 'setup', 'code_b', '--no-wait', '--api-url', ANONYMOUS]
  const env = { NO_COLOR: '1' }
  const { code, out, err } = await runDaybook(t, argv, { atTerminal: true, env })
  t.equal(code, 0, err)
  t.match(out, /GitLab → code_b/)
  t.match(out, /EVENT_WEBHOOK_SECRET_CODE_B=[0-9a-f]{64}\n/)
  t.match(out, /Secret token +the one in EVENT_WEBHOOK_SECRET_CODE_B/)
  const configured = { EVENT_WEBHOOK_SECRET_CODE_B: 'hunter2' }
  const again = await runDaybook(t, argv, { env: configured })
  t.notMatch(again.out, /hunter2|suggestion/)
})

t.test('setup waits for the first verified delivery', async t => {
  const { url } = await ledger(t, [UNVERIFIED, ARRIVED])
  const { code, out, err } = await runDaybook(t, ['platforms', 'setup', 'forum', '--api-url', url])
  t.equal(code, 0, err)
  const [setup, arrived, ...more] = out.trim().split('\n')
  t.match(JSON.parse(setup ?? ''), { source: 'forum' })
  t.strictSame(JSON.parse(arrived ?? ''), { event: ARRIVED })
  t.strictSame(more, [])
  t.match(err, /Waiting for the first verified delivery[\s\S]*An unverified delivery arrived/)
})

t.test('setup at a terminal describes the delivery that arrived', async t => {
  const { url } = await ledger(t, [ARRIVED])
  const { code, out } = await runDaybook(t, ['platforms', 'setup', 'forum', '--api-url', url], { atTerminal: true })
  t.equal(code, 0)
  t.match(out, /Discourse → forum[\s\S]*Tick[\s\S]*Post Event[\s\S]*It works[\s\S]*topic\.created/)
})

t.test('setup waits for an unreachable server, and reports once that it is away and when it is back', async t => {
  const { port, url, close } = await ledger(t, [])
  await close()
  const { run, ended } = startDaybook(t, ['platforms', 'setup', 'forum', '--api-url', url])
  await until(() => run.err.includes('Waiting for it.') && run.out.includes('\n'))
  t.match(JSON.parse(run.out), { source: 'forum' })
  await new Promise(resolve => setTimeout(resolve, 3_000))
  await ledger(t, [ARRIVED], port)
  const { code, err } = await ended
  t.equal(code, 0)
  t.match(err, /Waiting for the first verified delivery[\s\S]*No server answers[\s\S]*The server answers\.\n$/)
  t.equal(err.match(/No server answers/g)?.length, 1)
})

const strangers = [
  {
    name: 'another program',
    answer: { status: 404, type: 'text/html', body: '<h1>No</h1>' },
    code: 69,
    note: /not as a ledger/,
  },
  { name: 'a ledger at another path', answer: problem(404, 'not_found'), code: 3, note: /include the root path/ },
  { name: 'a ledger that requires a login', answer: problem(401, 'unauthenticated'), code: 4, note: /--token/ },
]
for (const { name, answer, code, note } of strangers) {
  t.test(`if ${name} answers, setup prints a note, and does not wait`, async t => {
    const { url } = await standIn(t, () => answer)
    const argv = ['platforms', 'setup', 'forum', '--api-url', url]
    const printed = await runDaybook(t, [...argv, '--no-wait'])
    t.equal(printed.code, 0, printed.err)
    t.match(JSON.parse(printed.out).notes.join(' '), /could not be read/)
    t.match(JSON.parse(printed.out).notes.join(' '), note)
    const waited = await runDaybook(t, argv)
    t.equal(waited.code, code)
    t.match(JSON.parse(waited.out), { source: 'forum' })
    t.notMatch(waited.err, /Waiting/)
  })
}

t.test('a delivery from before the secret ends the wait when it is repeated', async t => {
  const home = ownFolder(t)
  const serve = (env: Record<string, string>, port: string) => serveHere(t, { home, env, only: 'ledger', port })
  const first = await serve({}, String(await freePort()))
  const apiUrl = first.url
  const env = { EVENT_API_URL: apiUrl, EVENT_WEBHOOK_SECRET_CODE_A: SECRET }
  const { run, ended } = startDaybook(t, ['platforms', 'setup', 'code_a'], { env })
  await until(() => run.err.includes('If nothing arrives'))
  while (!run.err.includes('delivery arrived')) await deliver(apiUrl, {})
  t.match(run.err, /EVENT_WEBHOOK_SECRET_CODE_A is set here, but the server does not have it yet/)
  await first.close()
  await until(() => run.err.includes('Waiting for it.'))
  await serve({ EVENT_WEBHOOK_SECRET_CODE_A: SECRET }, new URL(apiUrl).port)
  await until(() => run.err.includes('The server answers.'))
  const signature = createHmac('sha256', SECRET).update(BODY).digest('hex')
  while (run.code === null) await deliver(apiUrl, { 'x-hub-signature-256': `sha256=${signature}` })
  const { code, out } = await ended
  t.equal(code, 0)
  t.match(JSON.parse(out.trim().split('\n')[1] ?? ''), { event: { kind: 'issue.created' }, repeated: true })
})

t.test('setup refuses an unknown source and invalid settings', async t => {
  t.match(await runDaybook(t, ['platforms', 'setup', 'mail']), { code: 2, err: /chat, forum, code_a, code_b/ })
  const env = { EVENT_PUBLIC_URL: 'nonsense' }
  t.match(await runDaybook(t, ['platforms', 'setup', 'chat'], { env }), { code: 78, err: /EVENT_PUBLIC_URL/ })
})

t.test('setup reports that the server has no secret when a delivery is unverified for that reason', async t => {
  const { url } = await standIn(t, ({ url }) => {
    if (url.startsWith('/api/platforms')) return { body: { items: [{ source: 'forum', secret_configured: false }] } }
    return { body: { event_count: 0, items: url.includes('since=') ? [UNVERIFIED] : [], next_since: CHECKPOINT } }
  })
  const { run } = startDaybook(t, ['platforms', 'setup', 'forum', '--api-url', url])
  await until(() => run.err.includes('An unverified delivery arrived'))
  t.match(
    run.err,
    /An unverified delivery arrived\. Set EVENT_WEBHOOK_SECRET_FORUM \(or EVENT_WEBHOOK_SECRET_FORUM_FILE.*restart the server/,
  )
  t.match(run.err, /If nothing arrives, look at the list of events on the page of the webhook: 401 means/)
})

const DELIVERY = {
  headers: { 'X-GitHub-Event': 'issues', 'X-GitHub-Delivery': 'd-1' },
  body: {
    action: 'opened',
    issue: { id: 501, number: 12, title: 'Loom \u001b[31m', created_at: '2031-05-04T09:00:00Z' },
    repository: { id: 70010, full_name: 'ada/engine', html_url: 'https://github.example/ada/engine' },
    sender: { login: 'ada', id: 17 },
  },
}

t.test('explain prints the events of a saved delivery, with their keys and the reasons for these', async t => {
  const file = join(t.testdir(), 'delivery.json')
  writeFileSync(file, JSON.stringify(DELIVERY))
  const { code, out, err } = await runDaybook(t, ['platforms', 'explain', file])
  t.equal(code, 0, err)
  t.match(JSON.parse(out), {
    source: 'code_a',
    ignored: 0,
    delivery_id: 'd-1',
    events: [
      {
        event: { kind: 'issue.created', dedupe_key: 'code_a:github.example:issue:501:created', payload: DELIVERY.body },
        reasons: {
          native_event: 'issues',
          native_action: 'opened',
          row: 'named',
          identity: { host: 'github.example', object_type: 'issue', id: '501', verb: 'created', from: 'payload' },
          targets: ['repo:ada/engine/issue:12', 'repo:ada/engine'],
        },
      },
    ],
  })
  const { out: picked } = await runDaybook(t, ['platforms', 'explain', file, '--fields', 'event.kind,reasons.row'])
  t.match(JSON.parse(picked), {
    source: 'code_a',
    events: [{ event: { kind: 'issue.created' }, reasons: { row: 'named' } }],
  })
  const csv = await runDaybook(t, ['platforms', 'explain', file, '-o', 'csv'])
  t.match(csv.out, /^event\.kind,[^\n]*\nissue\.created,/)
  const { out: shown } = await runDaybook(t, ['platforms', 'explain', file], { atTerminal: true })
  t.match(shown, /code_a.*1 event, delivery d-1[\s\S]*issue\.created[\s\S]*Why[\s\S]*issues, action opened/)
  t.notMatch(shown, /\u001b\[31m/)
})

t.test('explain reads a body from standard input, with the source in a flag', async t => {
  const argv = ['platforms', 'explain', '-', '--source', 'code_a', '--header', 'X-GitHub-Event=issues']
  const { code, out } = await runDaybook(t, argv, { input: JSON.stringify(DELIVERY.body) })
  t.equal(code, 0)
  t.match(JSON.parse(out), { source: 'code_a', events: [{ event: { kind: 'issue.created' } }] })
  const form = `payload=${encodeURIComponent(JSON.stringify(DELIVERY.body))}`
  const type = ['--header', 'content-type=application/x-www-form-urlencoded']
  const asForm = await runDaybook(t, [...argv, ...type], { input: form })
  t.same(JSON.parse(asForm.out).events[0].event, JSON.parse(out).events[0].event)
})

t.test('explain reads the chat server from the settings', async t => {
  const input = JSON.stringify({ bot_email: 'b@example.org', message: { id: 21, type: 'stream', content: 'hello' } })
  const argv = ['platforms', 'explain', '-', '--chat-url', 'chat.example.org']
  const { out } = await runDaybook(t, argv, { input })
  t.match(JSON.parse(out), { events: [{ event: { dedupe_key: 'chat:chat.example.org:message:21:created' } }] })
})

t.test('explain refuses an unreadable file, and explains what to change', async t => {
  const cases: [argv: string[], input: string, err: RegExp][] = [
    [['-'], '{}', /--source/],
    [['-'], '', /saved delivery is empty/],
    [['-'], '{"headers":{"x-github-event":"push"},"body":{},"site":"gar bage"}', /site must be the http or https/],
    [['-', '--source', 'code_a'], '[', /not JSON/],
    [['-', '--header', 'nonsense'], '{}', /a name, "=" and a value/],
    [['/nowhere/x.json'], '', /does not exist/],
  ]
  for (const [argv, input, err] of cases) {
    t.match(await runDaybook(t, ['platforms', 'explain', ...argv], { input }), { code: 2, err }, argv.join(' '))
  }
})
