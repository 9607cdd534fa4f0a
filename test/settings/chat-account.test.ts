import t from 'tap'
import { readCaptureSettings } from '../../src/settings/capture-settings.js'
import { findZulipSite } from '../../src/settings/chat-account.js'
import { SettingReader } from '../../src/settings/reading/setting-reader.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { HOME, type MemorySources, memorySources, SHARED } from './memory-sources.js'
import { problemsOf } from './refusal.js'

const ZULIPRC = `${HOME}/.zuliprc`
const OWN = '[api]\nemail=own-bot@chat.example.org\nkey=own-key\nsite=https://chat.example.org\n'
const EVENT = {
  EVENT_CHAT_URL: 'https://event.example.org',
  EVENT_CHAT_EMAIL: 'event@example.org',
  EVENT_CHAT_API_KEY: 'event-key',
}

const accountOf = (sources: MemorySources, flags: { chatUrl?: string; chatEmail?: string } = {}) => {
  const { chat } = readCaptureSettings(flags, memorySources(sources)).accounts
  if (!chat) throw new Error('There is no account.')
  return chat
}
const problems = (sources: MemorySources, flags: { chatUrl?: string; chatEmail?: string } = {}) =>
  problemsOf(() => readCaptureSettings(flags, memorySources(sources)))

t.test('the account comes from the configuration file of the platform if no setting names it', async t => {
  const own = { site: 'https://chat.example.org', email: 'own-bot@chat.example.org', api_key: 'own-key' }
  t.same(accountOf({ files: { [ZULIPRC]: OWN } }), own)
  t.same(accountOf({ env: { ZULIP_CONFIG: '~/bot.ini' }, files: { [`${HOME}/bot.ini`]: OWN } }), own)
  const written =
    '\ufeff# a bot\r\n[other]\r\nkey=wrong\r\n[api]\r\nEmail : own-bot@chat.example.org\r\n; old\r\nkey= own-key \r\n'
  t.same(accountOf({ files: { [ZULIPRC]: `${written}site = chat.example.org/api/v1\r\n` } }), own)
})

t.test('a server names the chat server like captures do, even if it does not capture', async t => {
  const serve = (sources: MemorySources) => {
    const { ledger, warnings } = readServeSettings({ only: 'ledger' }, memorySources(sources))
    const { chatSite, chatFallbackSite } = ledger?.webhooks ?? {}
    return { chatSite, chatFallbackSite, warnings }
  }
  const none = { chatSite: undefined, chatFallbackSite: undefined, warnings: [] }
  const files = { [ZULIPRC]: OWN }
  t.same(serve({ files }), { ...none, chatFallbackSite: accountOf({ files }).site })
  t.same(serve({ files, env: { ZULIP_SITE: 'https://zulip.example.org' } }), {
    ...none,
    chatFallbackSite: 'https://zulip.example.org',
  })
  t.same(serve({ files, env: { EVENT_CHAT_URL: 'https://event.example.org' } }), {
    ...none,
    chatSite: 'https://event.example.org',
  })
  t.same(serve({}), none, 'nothing is there')
  t.same(serve({ files: { [ZULIPRC]: 'no configuration' } }), none)
  for (const broken of [`${OWN.replace('https:', 'ftp:')}`, { code: 'EACCES' }]) {
    const { warnings, ...sites } = serve({ files: { [ZULIPRC]: broken } })
    t.match({ ...sites, warnings }, { ...none, warnings: [/zuliprc.* EVENT_CHAT_URL takes its place\.$/] })
    t.notMatch(warnings.join(), /own-key/)
  }
  const shared = memorySources({ env: { ARCH_ENV_FILE: '/shared' }, files: { '/shared': 'no setting' } })
  const reader = new SettingReader(shared)
  t.same(
    [findZulipSite(reader), reader.warnings],
    [undefined, []],
    'the shared environment is not of the chat platform',
  )
})

t.test(
  'flags take precedence over settings, these over variables of the platform, and these over its file',
  async t => {
    const files = { [ZULIPRC]: OWN }
    const zulip = {
      ZULIP_SITE: 'https://zulip.example.org',
      ZULIP_EMAIL: 'zulip@example.org',
      ZULIP_API_KEY: 'zulip-key',
    }
    t.same(accountOf({ env: zulip, files }), {
      site: 'https://zulip.example.org',
      email: 'zulip@example.org',
      api_key: 'zulip-key',
    })
    const event = { site: 'https://event.example.org', email: 'event@example.org', api_key: 'event-key' }
    t.same(accountOf({ env: { ...zulip, ...EVENT }, files }), event)
    t.same(accountOf({ env: EVENT, files }, { chatUrl: 'http://127.0.0.1:9991/', chatEmail: 'me@example.org' }), {
      site: 'http://127.0.0.1:9991',
      email: 'me@example.org',
      api_key: 'event-key',
    })
  },
)

t.test('each part is looked up separately', async t => {
  const { site, email, api_key } = accountOf({
    env: { EVENT_CHAT_URL: 'https://event.example.org', ZULIP_EMAIL: 'zulip@example.org' },
    files: { [ZULIPRC]: OWN },
  })
  t.same([site, email, api_key], ['https://event.example.org', 'zulip@example.org', 'own-key'])
})

t.test('the key may be in a file, or in the shared environment', async t => {
  const { EVENT_CHAT_API_KEY: _, ...env } = EVENT
  const files = { '/run/key': 'key-in-a-file\n', [SHARED]: 'EVENT_CHAT_API_KEY=shared-key\n' }
  t.equal(
    accountOf({ env: { ...env, EVENT_CHAT_API_KEY_FILE: '/run/key' }, files: { '/run/key': 'k\n' } }).api_key,
    'k',
  )
  t.equal(accountOf({ env, files }).api_key, 'shared-key')
  t.match(problems({ env: { ...EVENT, EVENT_CHAT_API_KEY_FILE: '/run/key' }, files }), [
    { field: 'EVENT_CHAT_API_KEY', detail: /are both set/ },
  ])
})

t.test('missing and invalid settings are reported together, without the key', async t => {
  t.same(
    problems({}).map(({ field }) => field),
    ['EVENT_CHAT_URL', 'EVENT_CHAT_EMAIL', 'EVENT_CHAT_API_KEY'],
  )
  const wrong = {
    env: { ...EVENT, EVENT_CHAT_URL: 'ftp://x', EVENT_CHAT_EMAIL: 'a:b', EVENT_CHAT_API_KEY: 'two words hunter2' },
  }
  t.match(problems(wrong), [{ field: 'EVENT_CHAT_URL', detail: /is not the http or https address/ }])
  const others = problems({ env: { ...wrong.env, EVENT_CHAT_URL: 'https://x' } })
  t.match(others, [{ field: 'EVENT_CHAT_API_KEY' }, { field: 'EVENT_CHAT_EMAIL', detail: /"a:b" is not/ }])
  t.notMatch(JSON.stringify(others), /hunter2/)
  t.match(problems({ env: EVENT }, { chatUrl: 'nowhere at all' }), [{ field: '--chat-url' }])
})

t.test('a named configuration file must exist, and a default one must be readable', async t => {
  t.match(problems({ env: { ...EVENT, ZULIP_CONFIG: '/gone' } }), [{ field: 'ZULIP_CONFIG', detail: /does not exist/ }])
  t.match(problems({ env: EVENT, files: { [ZULIPRC]: { code: 'EACCES' } } }), [
    { field: ZULIPRC, detail: /may not be/ },
  ])
  t.match(problems({ env: EVENT, files: { [ZULIPRC]: 'x'.repeat(70_000) } }), [{ detail: /larger than 64 KiB/ }])
  const bad = '[api]\nemail=a@b\nkey=k\nsite=ftp://x\n'
  t.match(problems({ files: { [ZULIPRC]: bad } }), [{ field: `site in ${ZULIPRC}`, detail: /"ftp:\/\/x" is not/ }])
  t.same(problems({ env: EVENT, files: { [ZULIPRC]: bad } }), [], 'an unused file is not reported')
})

t.test('a trusted certificate applies to its server, and to no other', async t => {
  const files = { [ZULIPRC]: `${OWN}cert_bundle=~/ca.pem\nclient_cert=/c\nclient_cert_key=/k\ninsecure=true\n` }
  const pems = { [`${HOME}/ca.pem`]: 'CA', '/c': 'CERT', '/k': 'KEY' }
  t.same(accountOf({ files: { ...files, ...pems } }).tls, { ca: 'CA', cert: 'CERT', key: 'KEY', insecure: true })
  t.equal(accountOf({ env: EVENT, files: { ...files, ...pems } }).tls, undefined)
  t.match(problems({ files }), [{ detail: /ca\.pem" does not exist/ }, { detail: /"\/c"/ }, { detail: /"\/k"/ }])
})
