import t from 'tap'
import { type ClientFlags, readClientSettings } from '../../src/settings/client-settings.js'
import { readConfiguration } from '../../src/settings/configuration.js'
import { HOME, memorySources } from './memory-sources.js'
import { problemsOf } from './refusal.js'

const FILE = `${HOME}/.arch/profiles.json`
const PROFILES = {
  default: 'work',
  profiles: {
    work: { api_url: 'https://work.example.org', token: 'tok_work', username: 'ada' },
    lab: { api_url: 'https://lab.example.org', token: 'tok_lab' },
  },
}
const sourcesOf = (env: Record<string, string> = {}, content: unknown = PROFILES) =>
  memorySources({ env, files: { [FILE]: typeof content === 'string' ? content : JSON.stringify(content) } })
const read = (flags: Parameters<typeof readClientSettings>[0], env = {}) => readClientSettings(flags, sourcesOf(env))
const token = (secret: string) => ({ kind: 'token', secret })

t.test('the default profile gives address and token if no setting does', async t => {
  t.same(read({}), { apiUrl: 'https://work.example.org', credential: token('tok_work') })
  t.same(read({}, { DAYBOOK_PROFILE: 'lab' }), { apiUrl: 'https://lab.example.org', credential: token('tok_lab') })
})

t.test('variables take precedence over the default profile, and a named one over variables', async t => {
  const env = { EVENT_API_URL: 'https://env.example.org', EVENT_API_TOKEN: 'tok_env' }
  t.same(read({}, env), { apiUrl: 'https://env.example.org', credential: token('tok_env') })
  t.same(read({ profile: 'lab' }, env), { apiUrl: 'https://lab.example.org', credential: token('tok_lab') })
  t.same(read({ profile: 'lab', token: 'tok_flag' }, env).credential, token('tok_flag'))
})

t.test('the token of a profile is sent to no other address', async t => {
  t.same(read({ apiUrl: 'https://elsewhere.example.org' }), { apiUrl: 'https://elsewhere.example.org' })
  t.same(read({ apiUrl: 'https://elsewhere.example.org', profile: 'work' }), {
    apiUrl: 'https://elsewhere.example.org',
  })
  t.same(read({}, { EVENT_API_URL: 'https://elsewhere.example.org' }), { apiUrl: 'https://elsewhere.example.org' })
  t.same(read({ apiUrl: 'https://work.example.org/' }).credential, token('tok_work'), 'the same address, given')
})

t.test('a token may be in a file that a flag or a variable names', async t => {
  const files = { '/run/token': 'tok_file\n' }
  const sources = memorySources({ files })
  t.same(readClientSettings({ tokenFile: '/run/token' }, sources).credential, token('tok_file'))
  const ofVariables = (flags: ClientFlags, env: Record<string, string>) =>
    readClientSettings(flags, memorySources({ files, env: { EVENT_API_TOKEN_FILE: '/run/token', ...env } })).credential
  t.same(ofVariables({}, {}), token('tok_file'))
  t.same(ofVariables({}, { EVENT_API_TOKEN: 'tok_env' }), token('tok_env'))
  t.same(ofVariables({ token: 'tok_flag' }, {}), token('tok_flag'))
  const missing = problemsOf(() => ofVariables({}, { EVENT_API_TOKEN_FILE: '/gone' }))
  t.match(missing[0], { field: 'EVENT_API_TOKEN_FILE', detail: /does not exist/ })
  const problems = problemsOf(() => readClientSettings({ tokenFile: '/gone' }, memorySources()))
  t.match(problems[0], { field: '--token-file', detail: /does not exist/ })
})

const refused = [
  { name: 'an unknown profile', flags: { profile: 'gone' }, detail: /no profile "gone"/ },
  { name: 'an invalid name', flags: { profile: '../x' }, detail: /is not a name/ },
  { name: 'a file that is not JSON', content: '{', detail: /not a file of profiles/ },
  {
    name: 'a profile without a token',
    content: { profiles: { a: { api_url: 'x' } } },
    detail: /not a file of profiles/,
  },
]
for (const { name, flags = {}, content = PROFILES, detail } of refused) {
  t.test(`${name} is refused`, async t => {
    t.match(
      problemsOf(() => readClientSettings(flags, sourcesOf({}, content))),
      [{ detail }],
    )
  })
}

t.test('a file of profiles that other users can read is refused', async t => {
  const sources = memorySources({ files: { [FILE]: JSON.stringify(PROFILES) }, openFiles: [FILE] })
  const problems = problemsOf(() => readClientSettings({}, sources))
  t.match(problems, [{ detail: /Other users can read or change .*chmod 600/ }])
  t.notMatch(JSON.stringify(problems), /tok_/)
})

t.test('the configuration shows the origin of each part, and no secret', async t => {
  const { shown } = readConfiguration({}, sourcesOf({ EVENT_API_TOKEN: 'tok_env', BOARD_API_KEY: 'key-1' }))
  t.match(shown, {
    profile: 'work',
    api_url: 'https://work.example.org',
    api_url_from: 'profile work',
    credential_from: 'EVENT_API_TOKEN',
    board_key: true,
    profiles_file: FILE,
  })
  t.same(shown.profiles, [
    { name: 'work', api_url: 'https://work.example.org', username: 'ada', is_default: true },
    { name: 'lab', api_url: 'https://lab.example.org', username: null, is_default: false },
  ])
  t.notMatch(JSON.stringify(shown), /tok_|key-1/)
})
