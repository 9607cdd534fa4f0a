import t from 'tap'
import { readClientSettings } from '../../src/settings/client-settings.js'
import { HOME, memorySources, SHARED } from './memory-sources.js'
import { problemsOf } from './refusal.js'

t.test('the ledger is on this machine unless a flag or a variable gives another address', async t => {
  const urlOf = (apiUrl?: string, env = {}) => readClientSettings({ apiUrl }, memorySources({ env })).apiUrl
  t.equal(urlOf(), 'http://127.0.0.1:8765')
  t.equal(urlOf(undefined, { EVENT_API_URL: 'https://ledger.example.org/' }), 'https://ledger.example.org')
  t.equal(urlOf('http://[::1]:9000/books/', { EVENT_API_URL: 'https://x' }), 'http://[::1]:9000/books')
})

for (const apiUrl of ['', 'ledger', 'ftp://x', 'http://ada:secret-word@x', 'http://x/?a=1', 'http://x/#a', '/api']) {
  t.test(`an address "${apiUrl}" is refused`, async t => {
    const problems = problemsOf(() => readClientSettings({ apiUrl }, memorySources()))
    t.match(problems, [{ field: '--api-url', detail: /is not an http or https address/ }])
    t.notMatch(JSON.stringify(problems), /secret-word/)
  })
}

t.test('the credential is the first one given, in the specified order', async t => {
  const file = `${HOME}/.arch/event/secrets/admin-token`
  const all = {
    env: { EVENT_API_TOKEN: 'tok_env', EVENT_ADMIN_TOKEN: 'admin-env', EVENT_ADMIN_TOKEN_FILE: '/named' },
    files: { '/named': 'admin-named\n', [file]: 'admin-default\n' },
  }
  const credentialOf = (env: Record<string, string>, token?: string, files: Record<string, string> = all.files) => {
    return readClientSettings({ token }, memorySources({ env, files })).credential
  }
  const { EVENT_API_TOKEN: _, ...withoutToken } = all.env
  const { EVENT_ADMIN_TOKEN: __, ...withFile } = withoutToken
  t.same(credentialOf(all.env, 'tok_flag'), { kind: 'token', secret: 'tok_flag' })
  t.same(credentialOf(all.env), { kind: 'token', secret: 'tok_env' })
  t.same(credentialOf(withoutToken), { kind: 'admin', secret: 'admin-env' })
  t.same(credentialOf(withFile), { kind: 'admin', secret: 'admin-named' })
  t.same(credentialOf({}), { kind: 'admin', secret: 'admin-default' })
  t.same(credentialOf({}, undefined, {}), undefined)
  t.same(credentialOf({ ARCH_HOME: '/arch' }, undefined, { '/arch/event/secrets/admin-token': 'a' }), {
    kind: 'admin',
    secret: 'a',
  })
  t.same(credentialOf({}, undefined, { [SHARED]: 'home_dir=/h', '/h/event/secrets/admin-token': 'b' }), {
    kind: 'admin',
    secret: 'b',
  })
  const besideHome = { [SHARED]: 'home_dir=/h', '/arch/event/secrets/admin-token': 'c' }
  t.same(credentialOf({ ARCH_HOME: '/arch' }, undefined, besideHome), { kind: 'admin', secret: 'c' })
})

const refused = [
  { name: 'a token with a line break', flags: { token: 'tok_\nx-secret-word' }, expected: /--token is not one word/ },
  { name: 'an empty token', flags: { token: '' }, expected: /--token is not one word/ },
  {
    name: 'an admin token beyond ASCII',
    env: { EVENT_ADMIN_TOKEN: 'geheimwört-secret-word' },
    expected: /is not one word/,
  },
  { name: 'an admin token file that is missing', env: { EVENT_ADMIN_TOKEN_FILE: '/gone' }, expected: /does not exist/ },
  {
    name: 'an admin token file that is empty',
    env: { EVENT_ADMIN_TOKEN_FILE: '/e' },
    files: { '/e': '\n' },
    expected: /is empty/,
  },
  { name: 'an empty default file', files: { [`${HOME}/.arch/event/secrets/admin-token`]: '' }, expected: /is empty/ },
]
for (const { name, flags = {}, env = {}, files = {}, expected } of refused) {
  t.test(`${name} is refused, and not shown`, async t => {
    const problems = problemsOf(() => readClientSettings(flags, memorySources({ env, files })))
    t.match(problems, [{ detail: expected }])
    t.notMatch(JSON.stringify(problems), /secret-word/)
  })
}

t.test('a default file of another user is reported, and not skipped', async t => {
  const sources = memorySources()
  const readTextFile = (path: string) => {
    if (path.endsWith('admin-token')) throw Object.assign(new Error(path), { code: 'EACCES' })
    return sources.readTextFile(path)
  }
  t.match(
    problemsOf(() => readClientSettings({}, { ...sources, readTextFile })),
    [{ detail: /may not be read/ }],
  )
})
