import t from 'tap'
import { readClientSettings } from '../../../src/settings/client-settings.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { readTerminalSettings } from '../../../src/settings/terminal-settings.js'
import { memorySources, SHARED } from '../memory-sources.js'
import { problemsOf } from '../refusal.js'

const portOf = (env: Record<string, string>, shared = '') =>
  readServeSettings({}, memorySources({ env, files: { [SHARED]: shared } })).ledger?.port

t.test('a setting has another name, in the environment and in the shared environment', async t => {
  t.equal(portOf({ DAYBOOK_PORT: '9001' }), 9001)
  t.equal(portOf({}, 'DAYBOOK_PORT=9002'), 9002)
  t.equal(portOf({ DAYBOOK_PORT: '9001' }, 'EVENT_PORT=9002'), 9001, 'the environment takes precedence')
  t.equal(portOf({ EVENT_PORT: '9001', DAYBOOK_PORT: '9001' }), 9001, 'twice the same is not a conflict')
  t.equal(portOf({ EVENT_PORT: '9001', DAYBOOK_PORT: '' }), 9001, 'an empty value is none')
  t.equal(readTerminalSettings({ env: { DAYBOOK_LOG_LEVEL: 'debug' } }).stacks, true)
})

t.test('secrets also have another name, and an empty one is refused under the name that was used', async t => {
  const credential = (env: Record<string, string>) => readClientSettings({}, memorySources({ env })).credential
  t.same(credential({ DAYBOOK_ADMIN_TOKEN: 'word' }), { kind: 'admin', secret: 'word' })
  t.same(credential({ DAYBOOK_API_TOKEN: 'tok_x' }), { kind: 'token', secret: 'tok_x' })
  t.match(
    problemsOf(() => readClientSettings({}, memorySources({ env: { DAYBOOK_ADMIN_TOKEN: '' } }))),
    [{ detail: /^DAYBOOK_ADMIN_TOKEN is empty/ }],
  )
})

t.test('two names with different values are refused, once, without the values', async t => {
  const problems = problemsOf(() =>
    readClientSettings(
      {},
      memorySources({ env: { EVENT_API_TOKEN: 'tok_secret1', DAYBOOK_API_TOKEN: 'tok_secret2' } }),
    ),
  )
  t.same(problems, [
    {
      field: 'DAYBOOK_API_TOKEN',
      detail: 'DAYBOOK_API_TOKEN and EVENT_API_TOKEN are both set, and differ. Keep one of them.',
    },
  ])
})

t.test('an invalid value is reported under the name that was used', async t => {
  t.match(
    problemsOf(() => portOf({ DAYBOOK_PORT: 'x' })),
    [{ field: 'DAYBOOK_PORT', detail: /^DAYBOOK_PORT "x" is not a whole number/ }],
  )
})
