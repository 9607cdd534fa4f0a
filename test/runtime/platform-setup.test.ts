import t from 'tap'
import { AppError } from '../../src/model/app-error.js'
import { PLATFORM_SOURCES } from '../../src/model/platforms/platform-source.js'
import { ADAPTERS } from '../../src/platforms/adapters.js'
import { platformSetup, type ReachedLedger } from '../../src/runtime/platform-setup.js'
import { readSetupSettings } from '../../src/settings/webhook-settings.js'
import { memorySources } from '../settings/memory-sources.js'

const LOCAL = { address: 'http://127.0.0.1:8765' }

type Files = Record<string, string>
type Source = (typeof PLATFORM_SOURCES)[number]

function setupOf(
  source: Source,
  env: Record<string, string> = {},
  { ledger = LOCAL, chatUrl, files = {} }: { ledger?: ReachedLedger; chatUrl?: string | undefined; files?: Files } = {},
) {
  return platformSetup(source, readSetupSettings(source, { chatUrl }, memorySources({ env, files })), ledger)
}

t.test('every platform has its own address, texts and setting', async t => {
  t.strictSame(
    [...PLATFORM_SOURCES],
    ADAPTERS.map(({ catalogue }) => catalogue.source),
  )
  for (const source of PLATFORM_SOURCES) {
    const setup = setupOf(source)
    t.equal(setup.url, `http://127.0.0.1:8765/webhooks/${source}`)
    t.equal(setup.secret.setting, `EVENT_WEBHOOK_SECRET_${source.toUpperCase()}`)
    t.ok(setup.delivery_log)
    t.ok(setup.place.length > 0 && setup.fields.some(({ value }) => value === setup.url), source)
    t.equal(setup.events.length > 0, source !== 'chat')
    t.notMatch(JSON.stringify(setup), /<url>|<secret>/)
  }
})

t.test('a new secret is suggested if none is known and the platform does not generate one', async t => {
  for (const source of PLATFORM_SOURCES) {
    const [one, other] = [setupOf(source).secret, setupOf(source).secret]
    if (source === 'chat') {
      t.strictSame(one, { setting: 'EVENT_WEBHOOK_SECRET_CHAT', configured: false })
    } else {
      t.match(one.suggestion, /^[0-9a-f]{64}$/)
      t.not(one.suggestion, other.suggestion)
      const text = JSON.stringify(setupOf(source))
      t.equal(text.match(/[0-9a-f]{64}/g)?.length, 1, 'it is shown once')
    }
  }
})

t.test('an existing secret of the server or of the command is never shown', async t => {
  const env = { EVENT_WEBHOOK_SECRET_FORUM: 'hunter2' }
  const here = setupOf('forum', env)
  t.strictSame(here.secret, { setting: 'EVENT_WEBHOOK_SECRET_FORUM', configured: true })
  const there = setupOf('forum', {}, { ledger: { ...LOCAL, webhook: { isSecretConfigured: true } } })
  t.strictSame(there.secret, { setting: 'EVENT_WEBHOOK_SECRET_FORUM', configured: true })
  const notYet = setupOf('forum', env, { ledger: { ...LOCAL, webhook: { isSecretConfigured: false } } })
  t.strictSame(notYet.secret, { setting: 'EVENT_WEBHOOK_SECRET_FORUM', configured: false })
  t.match(notYet.notes.join(' '), /the server does not have it yet/)
  for (const setup of [here, there, notYet]) t.notMatch(JSON.stringify(setup), /hunter2/)
})

t.test('the address is the public one if it is configured, including the root path', async t => {
  const env = { EVENT_PUBLIC_URL: 'https://ledger.example.org', EVENT_ROOT_PATH: '/book' }
  const setup = setupOf('code_a', env)
  t.equal(setup.url, 'https://ledger.example.org/book/webhooks/code_a')
  t.notMatch(setup.notes.join(' '), /EVENT_PUBLIC_URL/)
  t.match(setupOf('code_a').notes.join(' '), /Only this machine can reach.*EVENT_PUBLIC_URL/)
  t.match(
    setupOf('code_a', {}, { ledger: { ...LOCAL, address: 'http://[::1]:8765' } }).notes.join(' '),
    /Only this machine/,
  )
})

t.test('the address names the chat server if the ledger does not know it', async t => {
  t.match(setupOf('chat').notes.join(' '), /EVENT_CHAT_URL/)
  const configured = setupOf('chat', { EVENT_CHAT_URL: 'chat.example.org' })
  t.equal(configured.url, 'http://127.0.0.1:8765/webhooks/chat')
  t.notMatch(configured.notes.join(' '), /EVENT_CHAT_URL/)
  const given = setupOf('chat', {}, { chatUrl: 'https://chat.example.org:8443/' })
  t.equal(given.url, 'http://127.0.0.1:8765/webhooks/chat?site=https%3A%2F%2Fchat.example.org%3A8443')
  t.equal(setupOf('forum', {}, { chatUrl: 'chat.example.org' }).url, 'http://127.0.0.1:8765/webhooks/forum')
})

t.test("the server's chat settings take precedence over those of the command, which reports that", async t => {
  const webhook = { isSecretConfigured: true, site: 'https://chat.example.org' }
  const ledger = { ...LOCAL, webhook }
  const other = setupOf('chat', {}, { ledger, chatUrl: 'other.example.org' })
  t.equal(other.url, 'http://127.0.0.1:8765/webhooks/chat')
  t.match(
    other.notes.join(' '),
    /--chat-url is https:\/\/other.example.org, but EVENT_CHAT_URL of the server is https:\/\/chat/,
  )
  const otherHere = setupOf('chat', { EVENT_CHAT_URL: 'other.example.org' }, { ledger })
  t.match(otherHere.notes.join(' '), /EVENT_CHAT_URL here is https:\/\/other.example.org/)
  for (const chatUrl of [undefined, 'chat.example.org']) {
    const same = setupOf('chat', {}, { ledger, chatUrl })
    t.equal(same.url, 'http://127.0.0.1:8765/webhooks/chat')
    t.notMatch(same.notes.join(' '), /EVENT_CHAT_URL/)
  }
  const untold = { ...LOCAL, webhook: { isSecretConfigured: true } }
  const notYet = setupOf('chat', { EVENT_CHAT_URL: 'chat.example.org' }, { ledger: untold })
  t.match(notYet.notes.join(' '), /EVENT_CHAT_URL is set here, but the server does not have it yet/)
  t.match(setupOf('chat', {}, { ledger: untold, chatUrl: 'chat.example.org' }).url, /\?site=https/)
})

t.test('the setting that is named is the one that is set', async t => {
  const files = { '/run/secret': 'hunter2' }
  const setup = setupOf('forum', { EVENT_WEBHOOK_SECRET_FORUM_FILE: '/run/secret' }, { files })
  t.strictSame(setup.secret, { setting: 'EVENT_WEBHOOK_SECRET_FORUM_FILE', configured: true })
  t.match(setup.fields, [{}, {}, { value: 'the one in the file that EVENT_WEBHOOK_SECRET_FORUM_FILE names' }, {}])
  const there = setupOf('forum', {}, { ledger: { ...LOCAL, webhook: { isSecretConfigured: true } } })
  t.match(there.fields[2]?.value, /the one that the server has in EVENT_WEBHOOK_SECRET_FORUM or .*_FILE/)
})

t.test('certificates are mentioned only for https addresses', async t => {
  const names = (env: Record<string, string>) => setupOf('code_b', env).fields.map(({ name }) => name)
  t.notOk(names({}).includes('SSL verification'))
  t.ok(names({ EVENT_PUBLIC_URL: 'https://ledger.example.org' }).includes('SSL verification'))
})

t.test('settings of the server that could not be read are reported', async t => {
  const trouble = new AppError('not_found', 'not_found', 'There is nothing here.')
  const setup = setupOf('forum', {}, { ledger: { ...LOCAL, trouble } })
  t.match(setup.notes.join(' '), /could not be read.*There is nothing here.*include the root path/)
})

t.test('invalid settings are reported together', async t => {
  const env = {
    EVENT_PUBLIC_URL: 'nonsense',
    EVENT_ROOT_PATH: 'x/',
    EVENT_CHAT_URL: 'ftp://x',
    EVENT_WEBHOOK_SECRET_CHAT: '',
  }
  t.throws(() => setupOf('chat', env), {
    code: 'settings_invalid',
    errors: [
      ...[{ field: 'EVENT_PUBLIC_URL' }, { field: 'EVENT_ROOT_PATH' }, { field: 'EVENT_CHAT_URL' }],
      { field: 'EVENT_WEBHOOK_SECRET_CHAT' },
    ],
  })
})
