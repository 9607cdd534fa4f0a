import t from 'tap'
import { readHistorySettings } from '../../src/settings/history-settings.js'
import { memorySources } from './memory-sources.js'

const accountFor = (env: Record<string, string>, named?: string) =>
  readHistorySettings('code_a', { named }, memorySources({ env })).account

t.test('an address of GitHub and that of its API have one token, which no other server gets', async t => {
  const token = { EVENT_HISTORY_TOKEN_CODE_A: 'ghp_s3cr3t' }
  for (const url of ['https://github.com', 'https://api.github.com', 'https://www.github.com/']) {
    const env = { ...token, EVENT_HISTORY_URL_CODE_A: url }
    const expected = { source: 'code_a', baseUrl: 'https://github.com', token: 'ghp_s3cr3t' } as const
    t.same(accountFor(env), expected, url)
    t.same(accountFor(env, 'https://github.com'), expected, `${url}, for the address of a page`)
  }
  const other = { ...token, EVENT_HISTORY_URL_CODE_A: 'https://git.example.org' }
  t.same(accountFor(other, 'https://github.com'), { source: 'code_a', baseUrl: 'https://github.com' })
})

t.test('the token for an enterprise on ghe.com counts for its pages and its API', async t => {
  for (const url of ['https://acme.ghe.com', 'https://api.acme.ghe.com']) {
    const env = { EVENT_HISTORY_URL_CODE_A: url, EVENT_HISTORY_TOKEN_CODE_A: 'ghp_x' }
    t.match(accountFor(env, 'https://acme.ghe.com'), { baseUrl: 'https://acme.ghe.com', token: 'ghp_x' }, url)
  }
})
