import t from 'tap'
import { isLoopback } from '../../src/settings/listen-settings.js'
import { readServeSettings, type ServeFlags } from '../../src/settings/serve-settings.js'
import { HOME, memorySources, SHARED } from './memory-sources.js'
import { problemsOf } from './refusal.js'

t.test('without any setting, the server listens only on this machine', async t => {
  t.match(readServeSettings({}, memorySources()), {
    ledger: {
      home: `${HOME}/.arch`,
      database: {
        path: `${HOME}/.arch/event/events.db`,
        isDefault: true,
        legacyPath: `${HOME}/.arch/events.db`,
      },
      host: '127.0.0.1',
      port: 8765,
      rootPath: '',
      allowOpen: false,
      writers: 'anyone',
      anonymousRate: 100,
      accounts: {
        sessionTtlSeconds: 43_200,
        maxSessions: 1024,
        cookieSecure: false,
        trustedProxies: { length: 0 },
        passwordMinLength: 8,
        throttleLogins: true,
        loginPage: { palette: 'indigo', layout: 'card', appearance: 'system' },
      },
      webhooks: {
        secrets: { chat: { length: 0 }, forum: { length: 0 }, code_a: { length: 0 }, code_b: { length: 0 } },
        requireVerified: false,
      },
    },
    board: {
      host: '127.0.0.1',
      port: 8766,
      rootPath: '',
      home: `${HOME}/.arch/board`,
      columns: ['backlog', 'doing', 'review', 'done'],
    },
    log: { level: 'info', format: 'auto' },
    warnings: { length: 0 },
  })
})

t.test('settings of a program that is not served are not read', async t => {
  const env = { EVENT_PORT: 'x', EVENT_WEBHOOK_SECRET_CHAT_FILE: '/gone', BOARD_HOST: '127.0.0.2' }
  const board = readServeSettings({ only: 'board', port: '1', rootPath: '/b' }, memorySources({ env })).board
  t.match(board, { host: '127.0.0.2', port: 1, rootPath: '/b' })
  const ledger = readServeSettings({ only: 'ledger' }, memorySources({ env: { BOARD_PORT: 'x' } }))
  t.same(Object.keys(ledger), ['ledger', 'log', 'warnings'])
})

t.test('every setting can be given by the environment', async t => {
  const env = {
    EVENT_HOST: '::1',
    EVENT_PORT: '0',
    EVENT_ROOT_PATH: '/books/ledger',
    EVENT_PUBLIC_URL: 'https://Ledger.example.org:8443/',
    EVENT_ALLOWED_HOSTS: 'ledger.lan, 10.0.0.5,[2001:db8::5]',
    EVENT_CORS_ORIGINS: 'https://Dash.example.org, http://127.0.0.1:5173/',
    EVENT_ACCESS_LOG: '1',
    BOARD_HOST: 'localhost',
    BOARD_PORT: '65535',
    BOARD_ROOT_PATH: '/board',
    BOARD_COLUMNS: 'todo, done',
    EVENT_WEBHOOK_SECRET_CHAT: 'one',
    EVENT_WEBHOOK_SECRET_CODE_A: 'new\nold\n',
    EVENT_WEBHOOK_REQUIRE_VERIFIED: 'Yes',
    EVENT_WRITERS: 'tokens',
    EVENT_ANONYMOUS_RATE: '0',
    EVENT_CHAT_URL: 'Chat.example.org/api',
    EVENT_LOG_LEVEL: 'debug',
    EVENT_LOG_FORMAT: 'json',
  }
  t.match(readServeSettings({}, memorySources({ env })), {
    ledger: {
      host: '::1',
      port: 0,
      rootPath: '/books/ledger',
      writers: 'tokens',
      anonymousRate: 0,
      publicUrl: 'https://ledger.example.org:8443',
      allowedHosts: ['ledger.lan', '10.0.0.5', '2001:db8::5'],
      corsOrigins: ['https://dash.example.org', 'http://127.0.0.1:5173'],
      webhooks: {
        secrets: { chat: ['one'], forum: { length: 0 }, code_a: ['new', 'old'], code_b: { length: 0 } },
        requireVerified: true,
        chatSite: 'https://chat.example.org',
      },
    },
    board: { host: 'localhost', port: 65535, rootPath: '/board', columns: ['todo', 'done'] },
    log: { level: 'debug', format: 'json', access: true },
  })
})

t.test('a flag takes precedence over the process environment, and that over the shared environment', async t => {
  const files = { [SHARED]: 'EVENT_PORT=1\nEVENT_HOST=127.0.0.1\nEVENT_LOG_LEVEL=trace\n' }
  const env = { EVENT_PORT: '2', EVENT_HOST: '127.0.0.2', EVENT_LOG_LEVEL: '' }
  t.match(readServeSettings({ port: '3' }, memorySources({ env, files })), {
    ledger: { host: '127.0.0.2', port: 3 },
    log: { level: 'trace' },
  })
})

const refused: {
  name: string
  env?: Record<string, string>
  flags?: ServeFlags
  field: string
  detail: string | RegExp
}[] = [
  {
    name: 'a port beyond the last',
    env: { EVENT_PORT: '65536' },
    field: 'EVENT_PORT',
    detail: 'EVENT_PORT "65536" is not a whole number from 0 to 65535.',
  },
  {
    name: 'an unknown value for the writers',
    env: { EVENT_WRITERS: 'token' },
    field: 'EVENT_WRITERS',
    detail: 'EVENT_WRITERS "token" is not one of: anyone, tokens.',
  },
  {
    name: 'a rate that is not a number',
    env: { EVENT_ANONYMOUS_RATE: '-1' },
    field: 'EVENT_ANONYMOUS_RATE',
    detail: 'EVENT_ANONYMOUS_RATE "-1" is not a whole number from 0 to 1000000.',
  },
  { name: 'a port with a fraction', flags: { port: '80.5' }, field: '--port', detail: /^--port "80.5" is not a whole/ },
  { name: 'a negative port', flags: { boardPort: '-1' }, field: '--board-port', detail: /is not a whole number/ },
  { name: 'an empty flag', flags: { port: '' }, field: '--port', detail: /^--port "" is not a whole/ },
  { name: 'a host with blanks', env: { EVENT_HOST: 'a b' }, field: 'EVENT_HOST', detail: /is not a host name/ },
  {
    name: 'a host with a port',
    env: { EVENT_HOST: 'localhost:80' },
    field: 'EVENT_HOST',
    detail: /is not a host name/,
  },
  {
    name: 'a root path that ends in a slash',
    env: { EVENT_ROOT_PATH: '/x/' },
    field: 'EVENT_ROOT_PATH',
    detail: /is not a path/,
  },
  {
    name: 'a root path without slash',
    flags: { rootPath: 'x' },
    field: '--root-path',
    detail: /is not a path like \/ledger/,
  },
  {
    name: 'a root path with ..',
    env: { BOARD_ROOT_PATH: '/x/..' },
    field: 'BOARD_ROOT_PATH',
    detail: /is not a path/,
  },
  {
    name: 'a board without credentials that others can reach',
    env: { BOARD_HOST: '0.0.0.0' },
    field: 'BOARD_HOST',
    detail: /would let other machines use a board without a login\. Set BOARD_PASSWORD or BOARD_API_KEY, or/,
  },
  {
    name: 'the port of the ledger for the board',
    env: { EVENT_PORT: '8766' },
    field: 'BOARD_PORT',
    detail: /^BOARD_PORT and EVENT_PORT are both 8766\. Give the board a port of its own/,
  },
  ...[
    ['0.0.0.0', '127.0.0.1'],
    ['::', '127.0.0.1'],
    ['10.0.0.1', '0.0.0.0'],
    ['localhost', '127.0.0.1'],
    ['::1', 'LocalHost'],
  ].map(([ledger = '', board = '']) => ({
    name: `the port of the ledger for the board, at ${ledger} and ${board}`,
    env: { EVENT_PORT: '8766', EVENT_HOST: ledger, BOARD_HOST: board, BOARD_PASSWORD: 'long enough for a board' },
    field: 'BOARD_PORT',
    detail: /^BOARD_PORT and EVENT_PORT are both 8766\./,
  })),
  {
    name: 'a column twice',
    env: { BOARD_COLUMNS: 'a,b,a' },
    field: 'BOARD_COLUMNS',
    detail: /is not a list of 1 to 12 different names/,
  },
  {
    name: 'a public address with a path',
    env: { EVENT_PUBLIC_URL: 'https://e.org/x' },
    field: 'EVENT_PUBLIC_URL',
    detail: /without a path/,
  },
  {
    name: 'a public address of another scheme',
    env: { EVENT_PUBLIC_URL: 'ftp://e.org' },
    field: 'EVENT_PUBLIC_URL',
    detail: /is not an http/,
  },
  ...['*', 'dash.example.org', 'https://a.example/x', 'https://a.example,,', 'null', 'https://*.example'].map(
    origins => ({
      name: `origins that are ${origins}`,
      env: { EVENT_CORS_ORIGINS: origins },
      field: 'EVENT_CORS_ORIGINS',
      detail: /is not a list of http or https addresses without paths/,
    }),
  ),
  ...['https://ledger.lan', 'ledger.lan:8765', '*.lan', 'ledger.lan,,', Array(101).fill('a').join()].map(hosts => ({
    name: `host names that are ${hosts.slice(0, 20)}`,
    env: { EVENT_ALLOWED_HOSTS: hosts },
    field: 'EVENT_ALLOWED_HOSTS',
    detail: /is not a list of host names and IP addresses, with commas and without ports/,
  })),
  {
    name: 'an unknown level',
    flags: { logLevel: 'loud' },
    field: '--log-level',
    detail: /"loud" is not one of: trace, debug, info, warn, error, fatal, silent\./,
  },
  {
    name: 'an unknown format',
    env: { EVENT_LOG_FORMAT: 'xml' },
    field: 'EVENT_LOG_FORMAT',
    detail: /is not one of: auto, json, pretty\./,
  },
  {
    name: 'a switch that is neither on nor off',
    env: { EVENT_WEBHOOK_REQUIRE_VERIFIED: 'maybe' },
    field: 'EVENT_WEBHOOK_REQUIRE_VERIFIED',
    detail: /is not one of: 1, true/,
  },
]
for (const { name, env = {}, flags = {}, field, detail } of refused) {
  t.test(`${name} is refused`, async t => {
    const problems = problemsOf(() => readServeSettings(flags, memorySources({ env })))
    t.match(problems, [{ field, detail }])
    t.equal(problems.length, 1)
  })
}

t.test('ledger and board may have the same port at different addresses, or a free port each', async t => {
  const other = memorySources({ env: { EVENT_PORT: '80', BOARD_PORT: '80', BOARD_HOST: '::1' } })
  t.match(readServeSettings({}, other), { ledger: { port: 80 }, board: { port: 80 } })
  t.match(readServeSettings({ port: '0', boardPort: '0' }, memorySources({})), { board: { port: 0 } })
})

t.test('hosts that only this machine can reach are recognised by name and by address', async t => {
  const hosts = [
    '127.0.0.1',
    '127.8.0.1',
    '::1',
    'localhost',
    'LocalHost',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    'localhost.example',
  ]
  t.same(hosts.filter(isLoopback), ['127.0.0.1', '127.8.0.1', '::1', 'localhost', 'LocalHost'])
})

t.test('all errors are reported together, with their places', async t => {
  const files = { [SHARED]: 'EVENT_ROOT_PATH=x\n' }
  const env = { EVENT_PORT: 'a', BOARD_PORT: 'b', EVENT_WEBHOOK_SECRET_CHAT_FILE: '/gone' }
  t.same(
    problemsOf(() => readServeSettings({ db: 'postgres://x' }, memorySources({ env, files }))),
    [
      {
        field: '--db',
        detail: '--db names no user.',
      },
      { field: 'EVENT_PORT', detail: 'EVENT_PORT "a" is not a whole number from 0 to 65535.' },
      {
        field: 'EVENT_ROOT_PATH',
        detail: `EVENT_ROOT_PATH "x" (in ${SHARED}) is not a path like /ledger: a slash, then letters, digits, ".", "_", "~" or "-".`,
      },
      {
        field: 'EVENT_WEBHOOK_SECRET_CHAT_FILE',
        detail: 'EVENT_WEBHOOK_SECRET_CHAT_FILE "/gone" does not exist. Name a file that can be read.',
      },
      { field: 'BOARD_PORT', detail: 'BOARD_PORT "b" is not a whole number from 0 to 65535.' },
    ],
  )
})

t.test('reported values are shortened, and without the credentials of an address', async t => {
  const env = { EVENT_PUBLIC_URL: 'https://ada:secret-word@example.org/', EVENT_HOST: `${'x y'.repeat(100)}` }
  const problems = problemsOf(() => readServeSettings({}, memorySources({ env })))
  t.notMatch(JSON.stringify(problems), /secret-word/)
  t.ok(problems.every(({ detail }) => detail.length < 250))
})

t.test('a leader needs the token of an admin, and a warning recommends https', async t => {
  const FOLLOW = 'https://ledger.example.org/book/'
  const read = (env: Record<string, string>, flags: ServeFlags = {}) => {
    return readServeSettings({ only: 'ledger', ...flags }, memorySources({ env }))
  }
  const follow = (env: Record<string, string>, flags?: ServeFlags) => read(env, flags).ledger?.follow
  t.equal(follow({ EVENT_FOLLOW_TOKEN: 'tok_x' }), undefined)
  t.same(follow({ EVENT_FOLLOW: FOLLOW, EVENT_FOLLOW_TOKEN: 'tok_x' }), {
    leader: 'https://ledger.example.org/book',
    credential: { kind: 'token', secret: 'tok_x' },
  })
  t.match(follow({ EVENT_FOLLOW: 'https://other.example', EVENT_ADMIN_TOKEN: 'root' }, { follow: FOLLOW }), {
    leader: 'https://ledger.example.org/book',
    credential: { kind: 'admin', secret: 'root' },
  })
  const missing = [{ field: 'EVENT_FOLLOW_TOKEN', detail: /following https:.* needs its admin token/ }]
  t.match(
    problemsOf(() => read({ EVENT_FOLLOW: FOLLOW })),
    missing,
  )
  const unread = { EVENT_FOLLOW: FOLLOW, EVENT_FOLLOW_TOKEN_FILE: '/gone' }
  t.match(
    problemsOf(() => read(unread)),
    [{ field: 'EVENT_FOLLOW_TOKEN_FILE' }],
  )
  t.match(
    problemsOf(() => read({ EVENT_FOLLOW: 'ledger', EVENT_FOLLOW_TOKEN: 'x' })),
    [{ field: 'EVENT_FOLLOW' }],
  )
  const shared = { EVENT_FOLLOW: FOLLOW, EVENT_FOLLOW_TOKEN: 'x', EVENT_DB: 'postgres://u@db.example.org/ledger' }
  t.match(
    problemsOf(() => read(shared)),
    [{ field: 'EVENT_FOLLOW', detail: /replication of PostgreSQL/ }],
  )
  const plain = (host: string) => read({ EVENT_FOLLOW: `http://${host}:8765`, EVENT_FOLLOW_TOKEN: 'x' }).warnings
  t.match(plain('ledger.example.org'), [/is not https/])
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) t.same(plain(host), [], host)
})

for (const database of ['events.db', 'postgres://u@db.example.org/ledger']) {
  t.test(`old events are removed from ${database} if it is configured`, async t => {
    const env = { EVENT_DB: database, EVENT_RETENTION_DAYS: '30', EVENT_ARCHIVE_DIR: '/archive' }
    const { ledger } = readServeSettings({ only: 'ledger' }, memorySources({ env }))
    t.same(ledger?.retention, { days: 30, archive: '/archive' })
  })
}
