import fc from 'fast-check'
import t from 'tap'
import type { Rendering } from '../../../src/cli/base/api-context.js'
import { createTerminalStyle } from '../../../src/cli/terminal/style.js'
import { prettyJson } from '../../../src/cli/terminal/text.js'
import { displayWidth } from '../../../src/cli/terminal/text-width.js'
import { boardCard, boardCardsTable } from '../../../src/cli/views/cards.js'
import { consumerCard, consumerTable, deadLetterTable } from '../../../src/cli/views/consumers.js'
import { deliveriesText } from '../../../src/cli/views/deliveries.js'
import { eventCard, eventLine, eventTable, recordedText } from '../../../src/cli/views/events.js'
import { healthCard, ledgerStatusCard, statsCard } from '../../../src/cli/views/ledger.js'
import { platformCards, platformTable } from '../../../src/cli/views/platforms.js'
import { executorCard, runCard, runTable } from '../../../src/cli/views/runs.js'
import { programName, serveBanner } from '../../../src/cli/views/serve-banner.js'
import { sourceCard, sourceTable, testedDelivery } from '../../../src/cli/views/sources.js'
import { savedSubscriptionCard, subscriptionCard, subscriptionTable } from '../../../src/cli/views/subscriptions.js'
import {
  accountLogTable,
  browserSessionTable,
  createdUserCard,
  issuedTokenCard,
  sessionCard,
  tokenTable,
  userCard,
  userTable,
} from '../../../src/cli/views/users.js'

const LOOK = createTerminalStyle({ colour: false, columns: 100 })

const EVENT = {
  dedupe_key: 'chat:chat.example.org:message:8812:created',
  kind: 'message.created',
  subject_id: '8812',
  subject_type: 'message',
  actor: { id: '17', display: 'Ada', metadata: { email: 'ada@example.org' } },
  actor_role: 'member',
  target: {
    type: 'message',
    key: 'message:8812',
    url: 'https://chat.example.org/#narrow/8812',
    parent: { type: 'topic', key: 'topic:4/deploys', display: 'deploys', parent: { type: 'stream', display: 'eng' } },
  },
  conversation: { title: 'eng > deploys', text: 'all\ngreen' },
  source: 'chat',
  occurred_at: null,
  captured_at: '2031-05-04T09:00:00.123456Z',
  seen_count: 2,
  last_seen_at: '2031-05-04T10:00:00.000000Z',
  subscription_ids: ['sub_1', 'sub_2'],
  provenance: { route: 'webhook', verified: 'signature', delivery_id: 'd-1' },
  payload: { sender_id: 17 },
}
const PAGE = { items: [EVENT], count: 1, next_since: '2031-05-04T09:00:00.123456Z', has_more: true }
const SUBSCRIPTION = {
  id: 'sub_1',
  source: 'chat',
  target: 'stream:eng/topic:deploys',
  scope: { type: 'topic', display: 'deploys' },
  event_kinds: ['message.created'],
  filters: { stream: 'eng', topic: 'deploys' },
  metadata: { interval_seconds: 60 },
  enabled: false,
  last_event_at: '2031-05-04T09:00:00.123456Z',
}
const CARD = {
  id: 'card_0123456789abcdef',
  title: 'Rotate the keys',
  body: 'All of them.\nToday.',
  column: 'doing',
  labels: ['security', 'ops'],
  assignee: 'ada',
  links: ['chat:1', 'code_a:2'],
  rank: 2,
  version: 3,
  created_at: '2031-05-04T09:00:00.000000Z',
  updated_at: '2031-05-04T10:00:00.000000Z',
}
const STATS = {
  event_count: 12_001,
  duplicate_count: 3,
  subscription_count: 1,
  by_source: { chat: { events: 12_001, duplicates: 3, latest_captured_at: '2031-05-04T09:00:00.123456Z' } },
  by_kind: { 'reply.created': 1, 'message.created': 12_000 },
  refused_deliveries: {
    since: '2031-05-04T08:00:00.000000Z',
    items: [{ source: 'code_a', code: 'signature_invalid', count: 2, last_at: '2031-05-04T09:00:00.123456Z' }],
  },
}

t.test('an event is shown as a card', async t => {
  t.matchOnlyStrict(eventCard(EVENT, LOOK).split('\n'), [
    'message.created from chat',
    '  what           Ada wrote in eng › deploys',
    '  dedupe key     chat:chat.example.org:message:8812:created',
    '  captured       2031-05-04T09:00:00.123456Z',
    '  seen           2 times, last 2031-05-04T10:00:00.000000Z',
    '  by             Ada (17), ada@example.org, member',
    '  on             message message:8812 ‹ topic deploys ‹ stream eng',
    '  url            https://chat.example.org/#narrow/8812',
    '  in             eng > deploys',
    '  text           all',
    '                 green',
    '  subscriptions  sub_1, sub_2',
    '  came by        webhook, verified: signature, delivery d-1',
    '  payload        {',
    '                   "sender_id": 17',
    '                 }',
  ])
})

t.test('a page of events is a table with dedupe keys and the command for the next page', async t => {
  t.matchOnlyStrict(eventTable(PAGE, LOOK, { isNewestFirst: false }).split('\n'), [
    'captured (UTC)       source  seen  what happened',
    '2031-05-04 09:00:00  chat       2  Ada wrote in eng › deploys · all green',
    '  message.created  chat:chat.example.org:message:8812:created',
    '',
    '1 event, and more.',
    'To read on: --since 2031-05-04T09:00:00.123456Z',
  ])
  const newestFirst = eventTable(PAGE, LOOK, { isNewestFirst: true }).split('\n')
  t.equal(newestFirst.at(-1), 'Older ones: --before 2031-05-04T09:00:00.123456Z', 'in the direction of the list')
  t.notMatch(newestFirst.join(), '--since')
  const last = eventTable({ ...PAGE, has_more: false }, LOOK, { isNewestFirst: true })
  t.notMatch(last, '--before', 'nothing is older')
  t.equal(eventTable({ items: [], next_since: null }, LOOK, { isNewestFirst: true }), 'No events.')
})

t.test('an event of a live feed is shown as a line', async t => {
  t.equal(eventLine(EVENT, LOOK), '09:00:00  chat  message.created  Ada wrote in eng › deploys · all green')
  const narrow = createTerminalStyle({ colour: false, columns: 60 })
  t.equal(eventLine(EVENT, narrow), '09:00:00  chat  Ada wrote in eng › deploys · all green', 'the kind gives way')
})

t.test('lists and live feeds show the outcome of a run', async t => {
  const target = { type: 'workflow_run', display: 'test', parent: { type: 'repository', display: 'tide/relay' } }
  const action = { object_type: 'workflow_run', verb: 'completed', outcome: 'failed', metadata: {} }
  const run = { ...EVENT, kind: 'workflow_run.completed', action, target, conversation: {} }
  for (const text of [
    eventLine(run, LOOK),
    eventTable({ items: [run] }, LOOK, { isNewestFirst: false }),
    eventCard(run, LOOK),
  ]) {
    t.match(text, 'Ada ran workflow test on tide/relay: failed')
  }
})

t.test('a page of events is no wider than the terminal, from 60 columns on', async t => {
  const page = { items: [EVENT, { ...EVENT, conversation: { text: 'word '.repeat(40) } }] }
  for (const columns of [60, 72, 79, 100]) {
    const lines = eventTable(page, createTerminalStyle({ colour: false, columns }), { isNewestFirst: false }).split(
      '\n',
    )
    t.same(
      lines.filter(line => displayWidth(line) > columns),
      [],
      `${columns} columns`,
    )
    t.match(lines.join('\n'), 'Ada wrote in eng › deploys · all green', 'the sentence can be read')
  }
})

t.test('counts are cards and tables, with the most frequent kind first', async t => {
  const text = statsCard(STATS, LOOK)
  t.match(text, /events {9}12,001\n/)
  t.match(text, /chat {4}12,001 {8}3 {2}2031-05-04 09:00:00/)
  t.ok(text.indexOf('message.created') < text.indexOf('reply.created'))
  t.match(text, /refused +2 of code_a: signature_invalid, last 2031-05-04 09:00:00/)
})

t.test('a subscription is shown as a card, and several as a table', async t => {
  const text = subscriptionCard(SUBSCRIPTION, LOOK)
  t.match(text, /^Subscription sub_1, disabled\n/)
  t.match(text, /filters +stream: eng\n +topic: deploys\n/)
  t.match(
    savedSubscriptionCard({ created: true, subscription: SUBSCRIPTION }, LOOK),
    /^Created\.\n\nSubscription sub_1/,
  )
  t.match(savedSubscriptionCard({ created: false, subscription: SUBSCRIPTION }, LOOK), /^Updated\.\n/)
  t.match(
    subscriptionTable({ items: [SUBSCRIPTION] }, LOOK),
    /sub_1 {2}chat +stream:eng\/topic:deploys {2}message\.created {2}no +2031-05-04 09:00:00/,
  )
  t.match(subscriptionTable({ items: [] }, LOOK), /No subscriptions/)
})

t.test('a line reports the recorded events', async t => {
  t.match(recordedText({ created: true, dedupe_key: 'k', seen_count: 1 }, LOOK), /^Recorded\.\n {2}dedupe key {2}k\n/)
  t.match(recordedText({ created: false, dedupe_key: 'k', seen_count: 7 }, LOOK), /^Already known[\s\S]*seen +7$/)
  t.equal(recordedText({ created: 1, duplicates: 0 }, LOOK), 'Recorded 1 event: 1 new, 0 repeats.')
  t.equal(recordedText({ created: 1999, duplicates: 1 }, LOOK), 'Recorded 2,000 events: 1,999 new, 1 repeat.')
})

t.test('health shows the status, the address, and the reason of a failure', async t => {
  t.match(
    healthCard({ status: 'ok', database: '/l.db', head: null }, LOOK),
    /^Ledger: ok\n {2}database {2}\/l\.db\n {2}head +empty$/,
  )
  const full = { status: 'unavailable', detail: 'The disk is full.', database: '/l.db' }
  t.match(healthCard(full, LOOK), /^Ledger: unavailable\n {2}why +The disk is full\./)
})

t.test('a platform is a card, with its kinds grouped by object type', async t => {
  const platform = {
    source: 'code_a',
    display_name: 'Code',
    webhook_path: '/webhooks/code_a',
    secret_configured: true,
    kinds: ['issue.created', 'issue.closed', 'push.created', '*'],
    target_grammar: [{ form: 'repo:<owner>/<name>', example: 'repo:ada/engine' }],
  }
  const text = platformCards({ items: [platform, { ...platform, secret_configured: false }] }, LOOK)
  t.match(text, /^code_a \(Code\)\n/)
  t.match(text, /kinds +issue\.\*, push\.\*, \*\n/)
  t.match(text, /secret +configured[\s\S]*secret +none/)
  t.match(text, /repo:<owner>\/<name> {3}e\.g\. repo:ada\/engine/)
})

const STATUS = {
  database: '/l.db',
  size_bytes: 8_331_032,
  server: null,
  chat_live: null,
  schema_version: 3,
  event_count: 12_001,
  duplicate_count: 0,
  subscription_count: 1,
  head: null,
  head_digest: null,
  epoch: 'e1',
  follows: null,
  moved_to: null,
  problems: null,
}

const FOLLOWS = {
  leader: 'https://ledger.example.org',
  state: 'unreachable' as const,
  lag_events: 1_200,
  lag_seconds: 3_601,
  last_contact_at: '2031-05-04T09:00:00.000000Z',
  problem: 'No server answers.',
}

t.test('a ledger that follows another one shows which, and how far behind it is', async t => {
  const behind =
    /follows +https:\/\/ledger\.example\.org\n {2}behind +1,200 events, 3,601 s \(unreachable\): No server answers\.$/
  t.match(healthCard({ status: 'ok', follows: FOLLOWS }, LOOK), behind)
  t.match(ledgerStatusCard({ ...STATUS, follows: FOLLOWS }, LOOK), behind)
  const first = { leader: FOLLOWS.leader, state: 'in_step' as const, lag_events: null, lag_seconds: 0 }
  const shown = ledgerStatusCard({ ...STATUS, follows: { ...first, last_contact_at: null } }, LOOK)
  t.match(shown, /behind +an unknown number of events, 0 s \(in step\)$/)
  const { leader } = FOLLOWS
  t.match(ledgerStatusCard({ ...STATUS, follows: { leader } }, LOOK), /follows +https:\/\/ledger\.example\.org$/)
})

t.test('the status of a ledger shows which process has it open, how large it is, and what a check found', async t => {
  t.match(
    ledgerStatusCard(STATUS, LOOK),
    /size +7\.9 MiB\n {2}open by +no server\n {2}schema +version 3\n[\s\S]*head +empty$/,
  )
  const server = { pid: 7, address: 'http://127.0.0.1:8765', since: '2031-05-04T09:00:00.000000Z' }
  t.match(ledgerStatusCard({ ...STATUS, server }, LOOK), /a server at http:\/\/127\.0\.0\.1:8765, process 7 since 2031/)
  t.match(ledgerStatusCard({ ...STATUS, problems: [] }, LOOK), /integrity +ok$/)
  t.match(
    ledgerStatusCard({ ...STATUS, size_bytes: 12, problems: ['page 3', 'page 4'] }, LOOK),
    /12 bytes[\s\S]*page 3\n +page 4$/,
  )
})

t.test('the commands that serve prints can be copied and run', async t => {
  const open = { database: '/l.db', needsLogin: false }
  const board = { url: 'http://127.0.0.1:8766', database: 'postgres://db.example.org/board' }
  const banner = serveBanner({ ledger: { ...open, url: 'http://127.0.0.1:8765' }, board, program: 'daybook' }, LOOK)
  t.match(banner, /\n {2}board +http:\/\/127\.0\.0\.1:8766\n/)
  t.match(
    banner,
    /\n {2}curl -sS http:\/\/127\.0\.0\.1:8765\/api\/events -H '[^']+' -d '\{[^']+\}'\n {2}daybook api events\n/,
  )
  const other = serveBanner({ ledger: { ...open, url: 'http://[::1]:9/x' }, program: 'npx daybook' }, LOOK)
  t.match(other, /\n {2}npx daybook api events --api-url http:\/\/\[::1\]:9\/x\n/)
  const closed = serveBanner({ ledger: { ...open, needsLogin: true, url: 'http://[::1]:9' }, program: 'daybook' }, LOOK)
  t.match(
    closed,
    /\n {2}login +http:\/\/\[::1\]:9\/login\n[\s\S]* --token <token>\n[\s\S]*"daybook users token <username>" issues/,
  )
  const alone = serveBanner({ board, program: 'daybook' }, LOOK)
  t.match(alone, /\n {2}database +postgres:\/\/db\.example\.org\/board\n\nCtrl/)
  t.equal(programName('/usr/local/bin/daybook'), 'daybook')
  t.equal(programName('/src/daybook/bin/run.js'), 'npx daybook')
})

const USER = {
  id: 'user_1',
  username: 'ada',
  role: 'admin',
  enabled: true,
  created_at: '2031-05-04T09:00:00.123456Z',
  updated_at: '2031-05-04T10:00:00.123456Z',
}
const TOKEN = {
  id: 'token_1',
  prefix: 'tok_abcd',
  may: 'all',
  sources: [] as string[],
  name: null,
  created_at: '2031-05-04T09:00:00.123456Z',
  last_used_at: null,
  expires_at: null,
}
const WRITER = { ...TOKEN, may: 'write', sources: ['ci', 'deploy\u001b[2J'] }

t.test('a user is shown as a card, and several as a table', async t => {
  t.match(userCard(USER, LOOK), /^User ada, enabled\n {2}role +admin\n {2}id +user_1\n/)
  t.match(userCard({ ...USER, enabled: false }, LOOK), /^User ada, disabled\n/)
  t.match(createdUserCard('/l.db')(USER, LOOK), /^Created in \/l\.db\.\n\nUser ada/)
  t.match(
    userTable({ items: [USER, { ...USER, username: 'bob', enabled: false }] }, LOOK),
    /username {2}role +on +id +created \(UTC\)\nada +admin +yes +user_1 +2031-05-04 09:00:00\nbob +admin +no/,
  )
  t.match(userTable({ items: [] }, LOOK), /No users/)
})

t.test('a token is shown completely once, and later by its first characters', async t => {
  const issued = issuedTokenCard('ada')({ ...TOKEN, token: 'tok_abcdefgh' }, LOOK)
  t.match(issued, /^API token of ada\n {2}token +tok_abcdefgh\n {2}id +token_1\n[\s\S]*not shown again/)
  t.match(
    tokenTable({ items: [TOKEN] }, LOOK),
    /\ntoken_1 {2}tok_abcd +all rights of its user {2}2031-05-04 09:00:00 {2}never\s+never$/,
  )
  const reader = { ...TOKEN, may: 'read', name: 'wall\u001b', expires_at: USER.updated_at }
  const row = /\ntoken_1 {2}tok_abcd +wall\S* +read what its user may {2}.*\s+2031-05-04 10:00:00$/
  t.match(tokenTable({ items: [reader] }, LOOK), row)
  t.notMatch(tokenTable({ items: [reader] }, LOOK), '\u001b')
  t.match(tokenTable({ items: [WRITER] }, LOOK), / {2}record events of ci, deploy.* {2}2031/)
  t.notMatch(tokenTable({ items: [WRITER] }, LOOK), '\u001b')
  t.match(tokenTable({ items: [{ ...TOKEN, last_used_at: USER.updated_at }] }, LOOK), /2031-05-04 10:00:00\s+never$/)
  t.match(tokenTable({ items: [] }, LOOK), /No tokens/)
})

t.test('a session card shows the user, and whether a login is required', async t => {
  const session = { admin_required: true, authenticated: true, user: USER, is_bootstrap_admin: false, csrf_token: null }
  t.match(sessionCard(session, LOOK), /^You are ada\n {2}role +admin\n {2}id +user_1\n {2}login +needed for reading$/)
  const writer = sessionCard({ ...session, may: 'write', sources: ['ci'] }, LOOK)
  t.match(writer, /token may {2}record events of ci, and read nothing\n/)
  t.match(sessionCard({ ...session, may: 'read' }, LOOK), /token may {2}read, and change nothing\n/)
  const anonymous = { ...session, authenticated: false, user: null }
  t.match(sessionCard({ ...anonymous, admin_required: false }, LOOK), /^You are not logged in\n {2}login +not needed/)
  const bootstrap = { ...anonymous, authenticated: true, is_bootstrap_admin: true }
  t.match(sessionCard(bootstrap, LOOK), /^You are the bootstrap admin\n/)
})

t.test('a card of the board is shown with one link per line', async t => {
  t.matchOnlyStrict(boardCard(CARD, LOOK).split('\n'), [
    'Rotate the keys in doing',
    '  id        card_0123456789abcdef',
    '  version   3',
    '  assignee  ada',
    '  labels    security, ops',
    '  links     chat:1',
    '            code_a:2',
    '  created   2031-05-04T09:00:00.000000Z',
    '  updated   2031-05-04T10:00:00.000000Z',
    '  body      All of them.',
    '            Today.',
  ])
})

t.test('cards are listed in the order of the board, with those of removed columns at the end', async t => {
  const cards = [
    { ...CARD, id: 'last', column: 'gone' },
    { ...CARD, id: 'second', rank: 2.5 },
    { ...CARD, id: 'third', column: 'done', rank: 1 },
    { ...CARD, id: 'first', rank: -1 },
  ]
  const shown = boardCardsTable({ items: cards, columns: ['doing', 'done'] }, LOOK)
    .split('\n')
    .slice(1)
  t.same(
    shown.map(line => line.split(' ')[0]),
    ['first', 'second', 'third', 'last'],
  )
  t.match(boardCardsTable({ items: [] }, LOOK), /No such cards/)
})

const LETTER = {
  id: 7,
  dedupe_key: 'code_a:github.com:workflow_run:8812:completed:1',
  failed_at: '2031-05-04T09:00:00.123456Z',
  attempts: 6,
  error: 'The receiver answers 500.',
}
const SOURCE = {
  definition: { name: 'builds', description: 'Our builds', proof: { type: 'token', login: { type: 'basic' } } },
  feed: { problem: 'It answers 500.', read_at: '2031-05-04T09:00:00.123456Z' },
  webhook_path: '/webhooks/builds',
}
const FEED = { ...SOURCE, definition: { ...SOURCE.definition, proof: { type: 'feed', url: 'https://example.org' } } }
const CONSUMER = { name: 'builds', filters: { kind: ['build.failed'] }, last_error: 'no such user', lag: { events: 2 } }

const RENDERINGS: Record<string, Rendering> = {
  accountLogTable,
  boardCard,
  boardCardsTable,
  browserSessionTable,
  consumerCard,
  consumerTable,
  deadLetterTable,
  deliveriesText,
  eventCard,
  eventLine,
  eventTable: (page, look) => eventTable(page, look, { isNewestFirst: true }),
  executorCard,
  healthCard,
  issuedTokenCard: issuedTokenCard('\x1b[2Jada'),
  platformCards,
  platformTable,
  recordedText,
  runCard,
  runTable,
  savedSubscriptionCard,
  sessionCard,
  sourceCard,
  sourceTable,
  statsCard,
  subscriptionCard,
  subscriptionTable,
  testedDelivery,
  tokenTable,
  userCard,
  userTable,
}
const HARMFUL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/

for (const [name, render] of Object.entries(RENDERINGS)) {
  t.test(`${name} shows any value, and none of it controls the terminal`, async t => {
    const hostile = ['\x1b[2J\x07', '\x9b31m', 'a\rb', '\u202eabc', '\x1b]0;x\x07', '\x00\x7f']
    const harmed = (value: unknown, text: string): unknown => {
      if (typeof value === 'string') return `${text}${value}${text}`
      if (Array.isArray(value)) return value.map(item => harmed(item, text))
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [isData(value) ? `${text}${key}` : key, harmed(member, text)]),
      )
    }
    // Members that are named by data, not by the ledger.
    const isData = (value: object) =>
      value === EVENT.payload ||
      value === SUBSCRIPTION.filters ||
      value === CONSUMER.filters ||
      Object.values(STATS).includes(value as never)
    const bodies = [
      EVENT,
      PAGE,
      CARD,
      { items: [CARD, CARD], columns: ['doing'] },
      { links: [{ toString: 1 }], labels: [null, {}], rank: {} },
      SUBSCRIPTION,
      { items: [SUBSCRIPTION] },
      STATS,
      { created: true, subscription: SUBSCRIPTION },
      USER,
      { items: [USER, TOKEN] },
      { authenticated: true, user: USER },
      { events: [EVENT], without_result: [['rules[0].actor']] },
      SOURCE,
      [SOURCE, FEED],
      CONSUMER,
      { items: [CONSUMER, LETTER], next: 'c' },
      { sources: [SOURCE], refused: [{ source: 'ci', detail: 'The signature is wrong.', accepted: '1' }] },
      { running: 'run_1', plan: { command: ['make', 'all'], folder: '/srv', environment: ['PATH'] } },
    ]
    for (const body of bodies) {
      for (const text of hostile) t.notMatch(render(harmed(body, text), LOOK), HARMFUL)
    }
    fc.assert(
      fc.property(fc.jsonValue(), body => {
        t.type(render(body, LOOK), 'string')
      }),
    )
  })
}

t.test('dead letters fit the terminal, and their keys are never truncated', async t => {
  const letters = { items: [{ ...LETTER, error: 'word '.repeat(40) }], next: null }
  const lines = deadLetterTable(letters, createTerminalStyle({ colour: false, columns: 80 })).split('\n')
  t.same(
    lines.filter(line => displayWidth(line) > 80),
    [],
  )
  t.match(lines.join('\n'), LETTER.dedupe_key)
})

t.test('the state of a feed does not control the terminal', async t => {
  const problem = '\x1b[2J\x1b]0;x\x07It answers 500.'
  const shown = sourceCard({ ...FEED, feed: { problem, read_at: problem, next_read_at: problem } }, LOOK)
  t.match(shown, 'problem  It answers 500.')
  t.notMatch(shown, HARMFUL)
})

t.test('JSON at a terminal is indented and has no control characters', async t => {
  t.equal(prettyJson({ a: '\u202e' }), '{\n  "a": "\\u202e"\n}')
})
