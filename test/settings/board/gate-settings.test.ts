import t from 'tap'
import { readBoardGate } from '../../../src/settings/board/gate-settings.js'
import { SettingReader } from '../../../src/settings/reading/setting-reader.js'
import { HOME, type MemorySources, memorySources, SHARED } from '../memory-sources.js'
import { problemsOf } from '../refusal.js'

const LONG = 'long-enough-secret-word'
const OTHER = 'another-secret-word-of-length'

function gateOf(sources: MemorySources) {
  const reader = new SettingReader(memorySources(sources))
  const settings = readBoardGate(reader)
  reader.finish()
  return { settings, warnings: reader.warnings }
}

const settingsOf = (env: Record<string, string>, files: MemorySources['files'] = {}) => gateOf({ env, files }).settings

t.test('every setting can be given by the environment', async t => {
  const env = {
    BOARD_USERNAME: 'ada',
    BOARD_PASSWORD: ' pass word ',
    BOARD_AUTH_SECRET: `${LONG}-of-cookies`,
    BOARD_API_KEY: LONG,
    BOARD_EXECUTOR_TOKEN: OTHER,
    BOARD_SESSION_TTL_SECONDS: '3600',
    BOARD_COOKIE_SECURE: 'On',
    BOARD_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    BOARD_LOGIN_THROTTLE: 'off',
    BOARD_LOGIN_PALETTE: 'forest',
    BOARD_LOGIN_LAYOUT: 'split',
    BOARD_LOGIN_APPEARANCE: 'dark',
    BOARD_SERVICE_URL: 'HTTPS://Board.Example.org:443/board',
  }
  t.same(settingsOf(env), {
    username: 'ada',
    secrets: { password: ' pass word ', authSecret: `${LONG}-of-cookies`, apiKey: LONG, executorToken: OTHER },
    isProtected: true,
    serviceOrigin: 'https://board.example.org',
    sessionTtlSeconds: 3600,
    cookieSecure: true,
    trustedProxies: ['10.0.0.0/8', '::1'],
    throttleLogins: false,
    loginPage: { palette: 'forest', layout: 'split', appearance: 'dark' },
  })
})

t.test('no setting is required', async t => {
  const { settings, warnings } = gateOf({})
  t.same(settings, {
    secrets: {},
    isProtected: false,
    sessionTtlSeconds: 43_200,
    cookieSecure: false,
    trustedProxies: [],
    throttleLogins: true,
    loginPage: { palette: 'indigo', layout: 'card', appearance: 'system' },
  })
  t.same(warnings, [])
})

t.test('each secret may be in a file, whose final line end is not part of it', async t => {
  const files = { '/p': ' pass word \r\n', '/s': ` ${LONG}s \n`, '/k': `${LONG}\n`, '/x': OTHER }
  const env = {
    BOARD_PASSWORD_FILE: '/p',
    BOARD_AUTH_SECRET_FILE: '/s',
    BOARD_API_KEY_FILE: '/k',
    BOARD_EXECUTOR_TOKEN_FILE: '/x',
  }
  const secrets = { password: ' pass word ', authSecret: `${LONG}s`, apiKey: LONG, executorToken: OTHER }
  t.same(settingsOf(env, files).secrets, secrets)
})

t.test('the environment takes precedence over the shared environment', async t => {
  const files = { [SHARED]: `BOARD_AUTH_SECRET=${OTHER}\nBOARD_API_KEY_FILE=~/key\n`, [`${HOME}/key`]: LONG }
  t.same(settingsOf({ BOARD_AUTH_SECRET: `${LONG}1` }, files).secrets, { authSecret: `${LONG}1`, apiKey: LONG })
  t.same(settingsOf({}, files).secrets, { authSecret: OTHER, apiKey: LONG })
})

t.test('a password, a key or the ledger login protects the board, and other secrets do not', async t => {
  t.equal(settingsOf({ BOARD_PASSWORD: 'x' }).isProtected, true)
  t.equal(settingsOf({ BOARD_API_KEY: LONG }).isProtected, true)
  t.equal(settingsOf({ BOARD_LEDGER_LOGIN: 'http://127.0.0.1:8765' }).isProtected, true)
  t.equal(settingsOf({ BOARD_EXECUTOR_TOKEN: LONG, BOARD_AUTH_SECRET: OTHER, BOARD_USERNAME: 'a' }).isProtected, false)
})

t.test('a session lasts a minute at least', async t => {
  for (const [text, seconds] of [
    ['0', 60],
    ['59', 60],
    ['61', 61],
  ] as const) {
    t.equal(settingsOf({ BOARD_SESSION_TTL_SECONDS: text }).sessionTtlSeconds, seconds)
  }
})

t.test('only the origin of the public address is used', async t => {
  for (const [text, origin] of [
    ['http://board.example.org:80', 'http://board.example.org'],
    ['https://board.example.org/', 'https://board.example.org'],
    ['http://[::1]:8766', 'http://[::1]:8766'],
    ['http://bücher.example', 'http://xn--bcher-kva.example'],
  ] as const) {
    t.equal(settingsOf({ BOARD_SERVICE_URL: text }).serviceOrigin, origin)
  }
})

t.test('the address of the ledger may have a path', async t => {
  t.equal(settingsOf({ BOARD_LEDGER_LOGIN: 'http://localhost:8765/books/' }).ledgerLogin, 'http://localhost:8765/books')
  for (const text of [
    '1',
    'yes',
    '127.0.0.1:8765',
    'ftp://a',
    'http://ada:secret-word@a',
    'http://a/?x',
    'http://a/#x',
  ]) {
    const problems = problemsOf(() => settingsOf({ BOARD_LEDGER_LOGIN: text }))
    t.match(problems, [{ field: 'BOARD_LEDGER_LOGIN', detail: /is not an http or https address/ }], text)
  }
})

const refused: {
  name: string
  env: Record<string, string>
  files?: MemorySources['files']
  field: string
  expected: RegExp
}[] = [
  {
    name: 'an empty password',
    env: { BOARD_PASSWORD: '' },
    field: 'BOARD_PASSWORD',
    expected: /is empty/,
  },
  {
    name: 'a password longer than a login may send',
    env: { BOARD_PASSWORD: 'secret-word'.repeat(100) },
    field: 'BOARD_PASSWORD',
    expected: /longer than 1024 bytes/,
  },
  {
    name: 'a password in two places',
    env: { BOARD_PASSWORD: LONG, BOARD_PASSWORD_FILE: '/p' },
    files: { '/p': LONG },
    field: 'BOARD_PASSWORD',
    expected: /are both set/,
  },
  {
    name: 'a password file that is missing',
    env: { BOARD_PASSWORD_FILE: '/gone', BOARD_USERNAME: 'ada' },
    field: 'BOARD_PASSWORD_FILE',
    expected: /does not exist/,
  },
  {
    name: 'a password file with nothing but a line end',
    env: { BOARD_PASSWORD_FILE: '/p' },
    files: { '/p': '\n' },
    field: 'BOARD_PASSWORD_FILE',
    expected: /is empty/,
  },
  {
    name: 'a password file that is not UTF-8',
    env: { BOARD_PASSWORD_FILE: '/p' },
    files: { '/p': 'Gr\ufffde' },
    field: 'BOARD_PASSWORD_FILE',
    expected: /is not UTF-8/,
  },
  {
    name: 'an empty key',
    env: { BOARD_API_KEY: ' ' },
    field: 'BOARD_API_KEY',
    expected: /is empty/,
  },
  {
    name: 'a key with a blank',
    env: { BOARD_API_KEY: `${LONG} ${LONG}` },
    field: 'BOARD_API_KEY',
    expected: /is not one word/,
  },
  {
    name: 'a key file that may not be read',
    env: { BOARD_API_KEY_FILE: '/k' },
    files: { '/k': { code: 'EACCES' } },
    field: 'BOARD_API_KEY_FILE',
    expected: /may not be read/,
  },
  {
    name: 'an executor token that is not a valid header value',
    env: { BOARD_EXECUTOR_TOKEN: 'secret-wörd' },
    field: 'BOARD_EXECUTOR_TOKEN',
    expected: /is not one word/,
  },
  {
    name: 'an executor token that equals the key',
    env: { BOARD_API_KEY: LONG, BOARD_EXECUTOR_TOKEN_FILE: '/x' },
    files: { '/x': `${LONG}\n` },
    field: 'BOARD_EXECUTOR_TOKEN',
    expected: /is the same as BOARD_API_KEY/,
  },
  {
    name: 'an empty signing key',
    env: { BOARD_AUTH_SECRET_FILE: '/s' },
    files: { '/s': '' },
    field: 'BOARD_AUTH_SECRET_FILE',
    expected: /is empty/,
  },
  {
    name: 'a session of half a second',
    env: { BOARD_SESSION_TTL_SECONDS: '0.5' },
    field: 'BOARD_SESSION_TTL_SECONDS',
    expected: /is not a whole number/,
  },
  {
    name: 'an unknown layout',
    env: { BOARD_LOGIN_LAYOUT: 'wide' },
    field: 'BOARD_LOGIN_LAYOUT',
    expected: /^BOARD_LOGIN_LAYOUT "wide" is not one of: card, split\.$/,
  },
  {
    name: 'an invalid value for secure cookies',
    env: { BOARD_COOKIE_SECURE: 'maybe' },
    field: 'BOARD_COOKIE_SECURE',
    expected: /is not one of: 1, true, yes, on/,
  },
  {
    name: 'an invalid value for the throttle',
    env: { BOARD_LOGIN_THROTTLE: '1' },
    field: 'BOARD_LOGIN_THROTTLE',
    expected: /is not one of: on, off\./,
  },
  {
    name: 'a proxy given by name',
    env: { BOARD_TRUSTED_PROXIES: 'proxy.example.org' },
    field: 'BOARD_TRUSTED_PROXIES',
    expected: /is not a list of up to 100 IP addresses/,
  },
  {
    name: 'a name with blanks at its end',
    env: { BOARD_USERNAME: 'ada ' },
    field: 'BOARD_USERNAME',
    expected: /without blanks at its ends/,
  },
  {
    name: 'a name of several lines',
    env: { BOARD_USERNAME: 'a\nb' },
    field: 'BOARD_USERNAME',
    expected: /is not a text/,
  },
]
for (const { name, env, files, field, expected } of refused) {
  t.test(`${name}: the board does not start, and no secret is shown`, async t => {
    const problems = problemsOf(() => settingsOf(env, files))
    t.match(problems, [{ field, detail: expected }])
    t.equal(problems.length, 1)
    t.notMatch(JSON.stringify(problems), /secret-w/)
  })
}

t.test('a public address that is not the address of one host is refused', async t => {
  const addresses = [
    ...['*', 'https://*.example.org', 'https://a.example,https://b.example', 'https://a.example https://b.example'],
    ...['board.example.org', '//board.example.org', 'ftp://board.example.org', 'data:text/html,x', 'javascript:1'],
    ...['https://ada:secret-word@board.example.org', 'https://@board.example.org', 'https://', 'https:///x', 'null'],
    ...[
      'https://a.example?x=1',
      'https://a.example#x',
      'https:\\\\a.example',
      'https://a.example:99999',
      'https://a b',
    ],
    ...['https://[::1', 'http:/a.example', 'file:///etc/passwd', 'https://a.example\n'],
  ]
  for (const address of addresses) {
    const problems = problemsOf(() => settingsOf({ BOARD_SERVICE_URL: address }))
    t.match(problems, [{ field: 'BOARD_SERVICE_URL', detail: /is not the http or https address of one host/ }], address)
    t.notMatch(JSON.stringify(problems), /secret-word/)
  }
})

t.test('all errors are reported together', async t => {
  const env = {
    BOARD_PASSWORD: '',
    BOARD_API_KEY: 'two words',
    BOARD_USERNAME: ' ',
    BOARD_SERVICE_URL: '*',
    BOARD_SESSION_TTL_SECONDS: 'x',
  }
  t.same(
    problemsOf(() => settingsOf(env)).map(({ field }) => field),
    Object.keys(env),
  )
})

const doubtful: { name: string; sources: MemorySources; expected: RegExp[] }[] = [
  { name: 'secrets of good length', sources: { env: { BOARD_PASSWORD: LONG, BOARD_API_KEY: OTHER } }, expected: [] },
  {
    name: 'secrets that are short',
    sources: { env: { BOARD_PASSWORD: '1234567', BOARD_API_KEY: '123456789012345', BOARD_AUTH_SECRET: 'x' } },
    expected: [
      /^BOARD_PASSWORD is shorter than 8/,
      /^BOARD_AUTH_SECRET is shorter/,
      /^BOARD_API_KEY is shorter than 16/,
    ],
  },
  {
    name: 'one secret for two purposes',
    sources: { env: { BOARD_PASSWORD: LONG, BOARD_EXECUTOR_TOKEN: LONG } },
    expected: [/^BOARD_PASSWORD and BOARD_EXECUTOR_TOKEN are the same/],
  },
  {
    name: 'a username without a password',
    sources: { env: { BOARD_USERNAME: 'ada', BOARD_API_KEY: LONG } },
    expected: [/^BOARD_USERNAME has no effect without BOARD_PASSWORD/],
  },
  {
    name: 'a cookie without Secure behind TLS',
    sources: { env: { BOARD_SERVICE_URL: 'https://board.example.org' } },
    expected: [/BOARD_COOKIE_SECURE is off/],
  },
  {
    name: 'a ledger over the network without TLS',
    sources: { env: { BOARD_LEDGER_LOGIN: 'http://ledger.example.org' } },
    expected: [/^BOARD_LEDGER_LOGIN is http to another machine/],
  },
  {
    name: 'a file that other users can read',
    sources: { env: { BOARD_PASSWORD_FILE: '/p' }, files: { '/p': LONG }, openFiles: ['/p'] },
    expected: [/^BOARD_PASSWORD_FILE "\/p" can be read .*chmod 600/],
  },
  {
    name: 'logins without a throttle',
    sources: { env: { BOARD_LOGIN_THROTTLE: 'off' } },
    expected: [/^BOARD_LOGIN_THROTTLE is off/],
  },
]
for (const { name, sources, expected } of doubtful) {
  t.test(`${name}: accepted, with ${expected.length || 'no'} warning`, async t => {
    const { warnings } = gateOf(sources)
    t.equal(warnings.length, expected.length)
    t.match(warnings, expected)
    t.notMatch(warnings.join(), /secret-word|1234567/)
  })
}
