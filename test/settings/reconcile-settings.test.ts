import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { readReconcileSettings } from '../../src/settings/reconcile-settings.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { type MemorySources, memorySources } from './memory-sources.js'
import { problemsOf } from './refusal.js'

const GITHUB = 'https://api.github.com/repos/acme/site/hooks/1'
const FORUM = 'https://forum.example.org/community/admin/api/web_hooks/3'
const ENV = {
  EVENT_RECONCILE_HOOKS_CODE_A: `${GITHUB}, https://api.github.com/orgs/acme/hooks/2/`,
  EVENT_RECONCILE_TOKEN_CODE_A: 'a',
  EVENT_RECONCILE_HOOKS_FORUM: FORUM,
  EVENT_RECONCILE_TOKEN_FORUM: 'f',
}

t.test('the settings give hooks of all sources, or of one', async t => {
  const read = (wanted: 'all' | 'forum') => readReconcileSettings(wanted, {}, memorySources({ env: ENV })).hooks
  const forum = { source: 'forum', url: FORUM, token: 'f', username: 'system' }
  t.same(read('all'), [
    { source: 'code_a', url: GITHUB, token: 'a' },
    { source: 'code_a', url: 'https://api.github.com/orgs/acme/hooks/2', token: 'a' },
    forum,
  ])
  t.same(read('forum'), [forum])
})

t.test('a server compares deliveries only if it is configured to', async t => {
  t.equal(readServeSettings({}, memorySources({ env: ENV })).ledger?.reconcile, undefined)
  const { ledger } = readServeSettings({}, memorySources({ env: { ...ENV, EVENT_RECONCILE: '1' } }))
  t.equal(ledger?.reconcile?.length, 3)
})

t.test('an address that is not a hook, a missing token and no hook at all are refused', async t => {
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

t.test('the hook of a GitHub App needs its id and its private key, and no token', async t => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const url = 'https://api.github.com/app/hook'
  const env = {
    EVENT_RECONCILE_HOOKS_CODE_A: url,
    EVENT_RECONCILE_APP_CODE_A: '12345',
    EVENT_RECONCILE_APP_KEY_CODE_A_FILE: '/run/app.pem',
  }
  const files = { '/run/app.pem': pem }
  const read = (sources: MemorySources) => readReconcileSettings('code_a', {}, memorySources(sources))
  t.same(read({ env, files }).hooks, [{ source: 'code_a', url, app: { id: '12345', key: pem.trim() } }])

  const both = { ...env, EVENT_RECONCILE_HOOKS_CODE_A: `${url},${GITHUB}`, EVENT_RECONCILE_TOKEN_CODE_A: 'a' }
  t.match(read({ env: both, files }).hooks, [{ url: GITHUB, token: 'a' }, { url }])

  const problems = (sources: MemorySources) => problemsOf(() => read(sources))
  t.match(problems({ env: { EVENT_RECONCILE_HOOKS_CODE_A: url } }), [
    { field: 'EVENT_RECONCILE_APP_CODE_A', detail: /is not set/ },
    { field: 'EVENT_RECONCILE_APP_KEY_CODE_A', detail: /_FILE is not set/ },
  ])
  const wrong = problems({ env, files: { '/run/app.pem': pem.replace('PRIVATE', 'SECRET') } })
  t.match(wrong, [{ field: 'EVENT_RECONCILE_APP_KEY_CODE_A', detail: /is not an RSA private key in PEM/ }])
  t.notMatch(JSON.stringify(wrong), pem.slice(40, 60))
  const two = { ...env, EVENT_RECONCILE_HOOKS_CODE_A: `${url},https://git.example.org/api/v3/app/hook` }
  t.match(problems({ env: two, files }), [{ detail: /more than one webhook of a GitHub App/ }])
})
