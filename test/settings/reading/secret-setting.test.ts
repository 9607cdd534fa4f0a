import t from 'tap'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { memorySources, SHARED } from '../memory-sources.js'
import { problemsOf } from '../refusal.js'

const NAME = 'EVENT_WEBHOOK_SECRET_FORUM'
const FILE = `${NAME}_FILE`

function secretsOf(sources: Parameters<typeof memorySources>[0]): readonly string[] {
  return readServeSettings({ only: 'ledger' }, memorySources(sources)).ledger?.webhooks.secrets.forum ?? []
}

t.test('secrets are in a setting or in a file, one per line', async t => {
  t.same(secretsOf({}), [])
  t.same(secretsOf({ env: { [NAME]: ' old \r\n\nnew\n' } }), ['old', 'new'])
  t.same(secretsOf({ env: { [FILE]: '/run/secret' }, files: { '/run/secret': 'word\n' } }), ['word'])
  t.same(secretsOf({ files: { [SHARED]: `${FILE}=/run/secret\n`, '/run/secret': 'word' } }), ['word'])
  t.same(secretsOf({ env: { [NAME]: '', [FILE]: '/run/secret' }, files: { '/run/secret': 'word' } }), ['word'])
})

const refused = [
  { name: 'a missing file', env: { [FILE]: '/s' }, files: {}, expected: /does not exist/ },
  {
    name: 'a file that may not be read',
    env: { [FILE]: '/s' },
    files: { '/s': { code: 'EACCES' } },
    expected: /may not be read/,
  },
  { name: 'an empty file', env: { [FILE]: '/s' }, files: { '/s': ' \n' }, expected: /is empty/ },
  {
    name: 'a file too large for a secret',
    env: { [FILE]: '/s' },
    files: { '/s': 'x'.repeat(70_000) },
    expected: /64 KiB/,
  },
  { name: 'an empty setting', env: { [NAME]: '' }, files: {}, expected: /is empty/ },
  { name: 'a setting of blanks', env: { [NAME]: ' \n ' }, files: {}, expected: /is empty/ },
  { name: 'an empty file setting', env: { [FILE]: '' }, files: {}, expected: /is empty/ },
  { name: 'both together', env: { [NAME]: 'word', [FILE]: '/s' }, files: { '/s': 'word' }, expected: /are both set/ },
]
for (const { name, env, files, expected } of refused) {
  t.test(`${name} is refused as a secret`, async t => {
    const problems = problemsOf(() => secretsOf({ env, files }))
    t.match(problems, [{ detail: expected }])
    t.equal(problems.length, 1)
  })
}

t.test('a message about a secret never contains it', async t => {
  const env = { [NAME]: 'secret-word', [FILE]: '/s', EVENT_PORT: 'x' }
  t.notMatch(JSON.stringify(problemsOf(() => secretsOf({ env, files: { '/s': 'secret-word' } }))), /secret-word/)
})
