import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { processSources } from '../../src/settings/reading/setting-sources.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { HOME, type MemorySources, memorySources, SHARED } from './memory-sources.js'
import { problemsOf } from './refusal.js'

const ADMIN_FILE = `${HOME}/.arch/event/secrets/admin-token`
const LONG = 'long-enough-secret-word'

function accountsOf(sources: MemorySources) {
  const { ledger } = readServeSettings({ only: 'ledger' }, memorySources(sources))
  if (!ledger) throw new Error('The ledger is served')
  return ledger.accounts
}

function warningsOf(sources: MemorySources): readonly string[] {
  return readServeSettings({ only: 'ledger' }, memorySources(sources)).warnings
}

t.test('every setting can be given by the environment', async t => {
  const env = {
    EVENT_ADMIN_TOKEN: LONG,
    EVENT_BOOTSTRAP_USERNAME: 'ada@example.org',
    EVENT_BOOTSTRAP_PASSWORD_FILE: '/p',
    EVENT_SESSION_TTL_SECONDS: '3600',
    EVENT_MAX_SESSIONS: '1',
    EVENT_COOKIE_SECURE: 'yes',
    EVENT_TRUSTED_PROXIES: '10.0.0.0/8, ::1,192.0.2.7',
    EVENT_PASSWORD_MIN_LENGTH: '12',
    EVENT_LOGIN_THROTTLE: 'off',
    EVENT_LOGIN_PALETTE: 'forest',
    EVENT_LOGIN_LAYOUT: 'split',
    EVENT_LOGIN_APPEARANCE: 'dark',
  }
  t.same(accountsOf({ env, files: { '/p': 'pass word\n' } }), {
    adminToken: LONG,
    bootstrap: { username: 'ada@example.org', password: 'pass word' },
    sessionTtlSeconds: 3600,
    maxSessions: 1,
    cookieSecure: true,
    trustedProxies: ['10.0.0.0/8', '::1', '192.0.2.7'],
    passwordMinLength: 12,
    throttleLogins: false,
    loginPage: { palette: 'forest', layout: 'split', appearance: 'dark' },
  })
})

t.test('the admin token comes from the first of its three places', async t => {
  const files = { '/named': 'named\n', [ADMIN_FILE]: ' default \r\n' }
  const named = { EVENT_ADMIN_TOKEN_FILE: '/named' }
  t.equal(accountsOf({ files, env: { ...named, EVENT_ADMIN_TOKEN: 'given' } }).adminToken, 'given')
  t.equal(accountsOf({ files, env: named }).adminToken, 'named')
  t.equal(accountsOf({ files }).adminToken, 'default')
  t.equal(accountsOf({}).adminToken, undefined)
  const shared = { [SHARED]: 'home_dir=/h\n', '/h/event/secrets/admin-token': 'of this home' }
  t.match(
    problemsOf(() => accountsOf({ files: shared })),
    [{ detail: /is not one word/ }],
  )
})

t.test('the default file of the admin token is looked for in the home folder, in ARCH_HOME and in ~/.arch', async t => {
  const inHome = { '/h/event/secrets/admin-token': 'of-home-dir' }
  const inArchHome = { '/a/event/secrets/admin-token': 'of-arch-home' }
  const inDefault = { [ADMIN_FILE]: 'of-default' }
  const tokenOf = (files: Record<string, string>) =>
    accountsOf({ env: { ARCH_HOME: '/a' }, files: { [SHARED]: 'home_dir=/h\n', ...files } }).adminToken
  t.equal(tokenOf({ ...inHome, ...inArchHome, ...inDefault }), 'of-home-dir')
  t.equal(tokenOf({ ...inArchHome, ...inDefault }), 'of-arch-home')
  t.equal(tokenOf(inDefault), 'of-default')
  t.equal(tokenOf({}), undefined)
})

t.test('a session lasts a minute at least', async t => {
  t.equal(accountsOf({ env: { EVENT_SESSION_TTL_SECONDS: '0' } }).sessionTtlSeconds, 60)
  t.equal(accountsOf({ env: { EVENT_SESSION_TTL_SECONDS: '61' } }).sessionTtlSeconds, 61)
})

t.test('the final line end of a password file is not part of the password', async t => {
  const env = { EVENT_BOOTSTRAP_USERNAME: 'ada', EVENT_BOOTSTRAP_PASSWORD_FILE: '/p' }
  const passwordOf = (text: string) => accountsOf({ env, files: { '/p': text } }).bootstrap?.password
  t.equal(passwordOf(' blanks \r\n'), ' blanks ')
  t.equal(passwordOf('two\n\n'), 'two\n')
  t.equal(passwordOf('Grüße'), 'Grüße')
})

const BOTH = { EVENT_BOOTSTRAP_USERNAME: 'ada', EVENT_BOOTSTRAP_PASSWORD_FILE: '/p' }
const refused: { name: string; sources: MemorySources; field: string; expected: RegExp }[] = [
  {
    name: 'an admin token file that is missing',
    sources: { env: { EVENT_ADMIN_TOKEN_FILE: '/gone' } },
    field: 'EVENT_ADMIN_TOKEN_FILE',
    expected: /does not exist/,
  },
  {
    name: 'an admin token file that may not be read',
    sources: { env: { EVENT_ADMIN_TOKEN_FILE: '/f' }, files: { '/f': { code: 'EACCES' } } },
    field: 'EVENT_ADMIN_TOKEN_FILE',
    expected: /may not be read/,
  },
  {
    name: 'an admin token file that is a folder',
    sources: { env: { EVENT_ADMIN_TOKEN_FILE: '/f' }, files: { '/f': { code: 'EISDIR' } } },
    field: 'EVENT_ADMIN_TOKEN_FILE',
    expected: /is a folder/,
  },
  {
    name: 'a default admin token file that is a dangling link',
    sources: { brokenLinks: [`${HOME}/.arch/event/secrets/admin-token`] },
    field: 'admin token file',
    expected: /is a broken link/,
  },
  {
    name: 'a default folder of secrets that is a dangling link',
    sources: { brokenLinks: [`${HOME}/.arch/event/secrets`] },
    field: 'admin token file',
    expected: /is a broken link/,
  },
  {
    name: 'a default folder of secrets that is a file',
    sources: { files: { [`${HOME}/.arch/event/secrets`]: 'a file' } },
    field: 'admin token file',
    expected: /is a file/,
  },
  {
    name: 'an empty admin token',
    sources: { env: { EVENT_ADMIN_TOKEN: '' } },
    field: 'EVENT_ADMIN_TOKEN',
    expected: /is empty/,
  },
  {
    name: 'an admin token with a blank',
    sources: { env: { EVENT_ADMIN_TOKEN: `${LONG} ${LONG}` } },
    field: 'EVENT_ADMIN_TOKEN',
    expected: /is not one word/,
  },
  {
    name: 'a default admin token file that is empty',
    sources: { files: { [ADMIN_FILE]: '\n' } },
    field: 'admin token file',
    expected: /is empty/,
  },
  {
    name: 'a default admin token file that may not be read',
    sources: { files: { [ADMIN_FILE]: { code: 'EACCES' } } },
    field: 'admin token file',
    expected: /may not be read/,
  },
  {
    name: 'an empty admin token file in ARCH_HOME, with a home_dir set',
    sources: { env: { ARCH_HOME: '/a' }, files: { [SHARED]: 'home_dir=/h\n', '/a/event/secrets/admin-token': '' } },
    field: 'admin token file',
    expected: /"\/a\/event\/secrets\/admin-token" is empty/,
  },
  {
    name: 'an admin token file in ~/.arch that may not be read, with a home_dir set',
    sources: { files: { [SHARED]: 'home_dir=/h\n', [ADMIN_FILE]: { code: 'EACCES' } } },
    field: 'admin token file',
    expected: /may not be read/,
  },
  {
    name: 'a relative ARCH_HOME in addition to a home_dir',
    sources: { env: { ARCH_HOME: 'books' }, files: { [SHARED]: 'home_dir=/h\n' } },
    field: 'ARCH_HOME',
    expected: /is not an absolute path/,
  },
  {
    name: 'a bootstrap user without a password',
    sources: { env: { EVENT_BOOTSTRAP_USERNAME: 'ada' } },
    field: 'EVENT_BOOTSTRAP_USERNAME',
    expected: /is set without EVENT_BOOTSTRAP_PASSWORD_FILE/,
  },
  {
    name: 'a bootstrap password without a user',
    sources: { env: { EVENT_BOOTSTRAP_PASSWORD_FILE: '/p' }, files: { '/p': LONG } },
    field: 'EVENT_BOOTSTRAP_PASSWORD_FILE',
    expected: /is set without EVENT_BOOTSTRAP_USERNAME/,
  },
  {
    name: 'a bootstrap user with an empty setting of a file',
    sources: { env: { ...BOTH, EVENT_BOOTSTRAP_PASSWORD_FILE: '' } },
    field: 'EVENT_BOOTSTRAP_PASSWORD_FILE',
    expected: /is empty/,
  },
  {
    name: 'a bootstrap password file that is missing',
    sources: { env: BOTH },
    field: 'EVENT_BOOTSTRAP_PASSWORD_FILE',
    expected: /does not exist/,
  },
  {
    name: 'a bootstrap password file with an empty line',
    sources: { env: BOTH, files: { '/p': '\n' } },
    field: 'EVENT_BOOTSTRAP_PASSWORD_FILE',
    expected: /is empty/,
  },
  {
    name: 'a bootstrap password that is not UTF-8',
    sources: { env: BOTH, files: { '/p': 'Gr\ufffd\ufffde' } },
    field: 'EVENT_BOOTSTRAP_PASSWORD_FILE',
    expected: /is not UTF-8/,
  },
  {
    name: 'a name that no user may have',
    sources: { env: { ...BOTH, EVENT_BOOTSTRAP_USERNAME: 'ada lovelace' }, files: { '/p': LONG } },
    field: 'EVENT_BOOTSTRAP_USERNAME',
    expected: /^EVENT_BOOTSTRAP_USERNAME "ada lovelace" is not a letter or digit and then/,
  },
  {
    name: 'a session of half a second',
    sources: { env: { EVENT_SESSION_TTL_SECONDS: '0.5' } },
    field: 'EVENT_SESSION_TTL_SECONDS',
    expected: /is not a whole number/,
  },
  {
    name: 'no sessions at all',
    sources: { env: { EVENT_MAX_SESSIONS: '0' } },
    field: 'EVENT_MAX_SESSIONS',
    expected: /from 1 to 100000/,
  },
  {
    name: 'a password length of zero',
    sources: { env: { EVENT_PASSWORD_MIN_LENGTH: '0' } },
    field: 'EVENT_PASSWORD_MIN_LENGTH',
    expected: /from 1 to 1024/,
  },
  {
    name: 'a proxy given by name',
    sources: { env: { EVENT_TRUSTED_PROXIES: '10.0.0.1, proxy.example.org' } },
    field: 'EVENT_TRUSTED_PROXIES',
    expected: /is not a list of up to 100 IP addresses/,
  },
  {
    name: 'a block with too many bits',
    sources: { env: { EVENT_TRUSTED_PROXIES: '10.0.0.0/33' } },
    field: 'EVENT_TRUSTED_PROXIES',
    expected: /is not a list/,
  },
  {
    name: 'too many proxies',
    sources: { env: { EVENT_TRUSTED_PROXIES: Array(101).fill('::1').join() } },
    field: 'EVENT_TRUSTED_PROXIES',
    expected: /is not a list/,
  },
  {
    name: 'an invalid value for the throttle',
    sources: { env: { EVENT_LOGIN_THROTTLE: '1' } },
    field: 'EVENT_LOGIN_THROTTLE',
    expected: /is not one of: on, off\./,
  },
  {
    name: 'an unknown palette',
    sources: { env: { EVENT_LOGIN_PALETTE: 'teal' } },
    field: 'EVENT_LOGIN_PALETTE',
    expected: /"teal" is not one of: indigo, forest, amber\./,
  },
  {
    name: 'an unknown layout',
    sources: { env: { EVENT_LOGIN_LAYOUT: 'wide' } },
    field: 'EVENT_LOGIN_LAYOUT',
    expected: /"wide" is not one of: card, split\./,
  },
  {
    name: 'an unknown appearance',
    sources: { env: { EVENT_LOGIN_APPEARANCE: 'dim' } },
    field: 'EVENT_LOGIN_APPEARANCE',
    expected: /"dim" is not one of: system, light, dark\./,
  },
]
for (const { name, sources, field, expected } of refused) {
  t.test(`${name}: the server does not start, and no secret is shown`, async t => {
    const problems = problemsOf(() => accountsOf(sources))
    t.match(problems, [{ field, detail: expected }])
    t.equal(problems.length, 1)
    t.notMatch(JSON.stringify(problems), /secret-word/)
  })
}

t.test('all errors are reported together', async t => {
  const env = {
    ARCH_HOME: 'relative',
    EVENT_ADMIN_TOKEN_FILE: '/gone',
    EVENT_BOOTSTRAP_USERNAME: '-',
    EVENT_BOOTSTRAP_PASSWORD_FILE: '/gone',
    EVENT_MAX_SESSIONS: 'x',
  }
  t.same(
    problemsOf(() => accountsOf({ env })).map(({ field }) => field),
    [
      'ARCH_HOME',
      'EVENT_ADMIN_TOKEN_FILE',
      'EVENT_BOOTSTRAP_USERNAME',
      'EVENT_BOOTSTRAP_PASSWORD_FILE',
      'EVENT_MAX_SESSIONS',
    ],
  )
})

const doubtful: { name: string; sources: MemorySources; expected: RegExp[] }[] = [
  { name: 'secrets of good length in files of their owner', sources: { files: { [ADMIN_FILE]: LONG } }, expected: [] },
  {
    name: 'an admin token of 15 characters',
    sources: { env: { EVENT_ADMIN_TOKEN: '123456789012345' } },
    expected: [/^The admin token is shorter than 16 characters/],
  },
  {
    name: 'an admin token that is a password as well',
    sources: { env: { ...BOTH, EVENT_ADMIN_TOKEN: LONG }, files: { '/p': `${LONG}\n` } },
    expected: [/^The admin token is the password of the bootstrap user as well/],
  },
  {
    name: 'files that other users can read',
    sources: { env: BOTH, files: { '/p': 'passwords', [ADMIN_FILE]: LONG }, openFiles: ['/p', ADMIN_FILE] },
    expected: [/^admin token file ".*" can be read .*chmod 600/, /^EVENT_BOOTSTRAP_PASSWORD_FILE "\/p" can be read/],
  },
  {
    name: 'a webhook secret that other users can read',
    sources: { env: { EVENT_WEBHOOK_SECRET_CHAT_FILE: '/s' }, files: { '/s': LONG }, openFiles: ['/s'] },
    expected: [/EVENT_WEBHOOK_SECRET_CHAT_FILE/],
  },
  {
    name: 'logins without a throttle',
    sources: { env: { EVENT_LOGIN_THROTTLE: 'off' } },
    expected: [/^EVENT_LOGIN_THROTTLE is off/],
  },
  {
    name: 'a cookie without Secure behind TLS',
    sources: { env: { EVENT_PUBLIC_URL: 'https://ledger.example.org' } },
    expected: [/EVENT_COOKIE_SECURE is off/],
  },
]
for (const { name, sources, expected } of doubtful) {
  t.test(`${name}: accepted, with ${expected.length || 'no'} warning`, async t => {
    const warnings = warningsOf(sources)
    t.equal(warnings.length, expected.length)
    t.match(warnings, expected)
    t.notMatch(warnings.join(), /secret-word|123456789012345/)
  })
}

t.test('the mode of a file decides whether other users can read it', async t => {
  const file = join(t.testdir(), 'secret')
  writeFileSync(file, 'x')
  const { isOpenToOthers } = processSources()
  for (const [mode, isOpen] of [
    [0o600, false],
    [0o400, false],
    [0o711, false],
    [0o640, true],
    [0o604, true],
    [0o620, true],
  ] as const) {
    chmodSync(file, mode)
    t.equal(isOpenToOthers(file), isOpen, mode.toString(8))
  }
  t.equal(isOpenToOthers(join(t.testdirName, 'gone')), false)
})
