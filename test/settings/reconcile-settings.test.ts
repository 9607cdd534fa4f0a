import t from 'tap'
import { readReconcileSettings } from '../../src/settings/reconcile-settings.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { memorySources } from './memory-sources.js'
import { problemsOf } from './refusal.js'

const GITHUB = 'https://api.github.com/repos/acme/site/hooks/1'
const FORUM = 'https://forum.example.org/community/admin/api/web_hooks/3'
const ENV = {
  ...{
    EVENT_RECONCILE_HOOKS_CODE_A: `${GITHUB}, https://api.github.com/orgs/acme/hooks/2/`,
    EVENT_RECONCILE_TOKEN_CODE_A: 'a',
  },
  ...{ EVENT_RECONCILE_HOOKS_FORUM: FORUM, EVENT_RECONCILE_TOKEN_FORUM: 'f' },
}

t.test('hooks of all sources, or of one', async t => {
  const read = (wanted: 'all' | 'forum') => readReconcileSettings(wanted, {}, memorySources({ env: ENV })).hooks
  const forum = { source: 'forum', url: FORUM, token: 'f', username: 'system' }
  t.same(read('all'), [
    { source: 'code_a', url: GITHUB, token: 'a' },
    { source: 'code_a', url: 'https://api.github.com/orgs/acme/hooks/2', token: 'a' },
    forum,
  ])
  t.same(read('forum'), [forum])
})

t.test('a server compares only when it is asked to', async t => {
  t.equal(readServeSettings({}, memorySources({ env: ENV })).ledger?.reconcile, undefined)
  const { ledger } = readServeSettings({}, memorySources({ env: { ...ENV, EVENT_RECONCILE: '1' } }))
  t.equal(ledger?.reconcile?.length, 3)
})

t.test('an address that is no hook, a missing token and no hook at all are refused', async t => {
  const problems = (env: Record<string, string>) =>
    problemsOf(() => readReconcileSettings('code_a', {}, memorySources({ env })))
  const hooks = 'EVENT_RECONCILE_HOOKS_CODE_A'
  for (const address of [
    ...[
      'https://github.com/acme/site',
      `${GITHUB}/deliveries`,
      `${GITHUB}?token=x`,
      'https://you:pw@api.github.com/orgs/a/hooks/1',
    ],
    ...['ftp://api.github.com/orgs/a/hooks/1', 'repos/acme/site/hooks/1', 'https://api.github.com/repos/../hooks/1'],
  ]) {
    const found = problems({ [hooks]: address, EVENT_RECONCILE_TOKEN_CODE_A: 'a' })
    t.match(found, [{ field: hooks, detail: /is not a list of at most 100 addresses/ }], address)
    t.notMatch(JSON.stringify(found), 'pw')
  }
  t.match(problems({ [hooks]: GITHUB }), [{ field: 'EVENT_RECONCILE_TOKEN_CODE_A', detail: /is not set/ }])
  t.match(problems({}), [{ field: hooks, detail: /no hook is set/ }])
  t.match(problems({ [hooks]: GITHUB, EVENT_RECONCILE_TOKEN_CODE_A: 'two words' }), [{ detail: /not one word/ }])
})
