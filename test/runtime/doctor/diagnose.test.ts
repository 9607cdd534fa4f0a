import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import type { Diagnosis } from '../../../src/model/diagnosis.js'
import type { Subscription } from '../../../src/model/subscriptions/subscription.js'
import { diagnose } from '../../../src/runtime/doctor/diagnose.js'
import { serve } from '../../../src/runtime/serve/serve.js'
import { readDoctorSettings } from '../../../src/settings/doctor-settings.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { ownIdentity } from '../../../src/store/sqlite/owner/process-identity.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { SCHEMA_VERSION } from '../../../src/store/sqlite/upgrade/ledger-migrations.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { memorySources } from '../../settings/memory-sources.js'
import { messageCreated } from '../../support/events.js'
import { until } from '../../support/until.js'

/** No program listens there. */
const NOWHERE = 'http://127.0.0.1:9'

type Env = Record<string, string>

/** A home, and what the doctor finds there. */
function start(t: Test) {
  const home = join(ownFolder(t), 'home')
  mkdirSync(join(home, 'event'), { recursive: true, mode: 0o700 })
  const database = join(home, 'event', 'events.db')
  const sourcesOf = (env: Env, files = {}) =>
    memorySources({ env: { ARCH_HOME: home, EVENT_LOG_LEVEL: 'silent', ...env }, files })
  return {
    home,
    database,
    sourcesOf,
    look: (env: Env = {}, files = {}) => diagnose(readDoctorSettings({}, sourcesOf(env, files))),
    record: async () => {
      const clock = () => Date.now() * 1000
      const store = await openSqliteStore({ path: database, clock, onFailure: error => t.fail(String(error)) })
      await store.events.record(['1', '2', '3'].map(key => messageCreated(key)))
      await store.close()
      chmodSync(database, 0o600)
    },
    change: (sql: string) => {
      const connection = new sqlite.Database(database)
      connection.exec(`PRAGMA locking_mode = EXCLUSIVE; ${sql}`)
      connection.close()
    },
  }
}

function of(diagnosis: Diagnosis, check: string) {
  return diagnosis.checks.filter(found => found.check === check)
}

t.test('a new machine has no problem, and the doctor changes no file', async t => {
  const { home, look } = start(t)
  const diagnosis = await look()
  // Any program may listen at the usual ports.
  const own = diagnosis.checks.filter(({ check }) => check !== 'server' && check !== 'board')
  t.same(
    own.filter(({ state }) => state === 'fail'),
    [],
  )
  t.match(of(diagnosis, 'ledger'), [{ state: 'warn', detail: /no ledger at .*events\.db yet/ }])
  t.same([readdirSync(home), readdirSync(join(home, 'event'))], [['event'], []])
})

t.test(
  'the doctor shows the newest event of a running server with its digest, and that ledger and board answer',
  async t => {
    const { database, look, record, sourcesOf } = start(t)
    await record()
    const sources = sourcesOf({ BOARD_API_KEY: 'a-key-of-sixteen-characters' })
    const running = await serve(readServeSettings({ port: '0', boardPort: '0' }, sources), sources)
    t.teardown(() => running.close())
    const [ledger = '', board = ''] = [running.ledger?.url, running.board?.url]
    const env = { EVENT_API_URL: ledger, BOARD_API_URL: board, EVENT_BACKUP_DIR: join(database, '..', 'copies') }
    const diagnosis = await look({ ...env, BOARD_API_KEY: 'a-key-of-sixteen-characters' })
    t.match(of(diagnosis, 'owner'), [
      { state: 'ok', detail: ledger },
      { state: 'ok', detail: board },
    ])
    t.match(of(diagnosis, 'ledger'), [{ state: 'ok', detail: /newest event is of 2.* with the digest [0-9a-f]{64}/ }])
    t.match(of(diagnosis, 'server'), [{ state: 'ok', detail: `The ledger at ${ledger} answers.` }])
    t.match(of(diagnosis, 'board'), [{ state: 'ok', detail: `The board at ${board} answers and accepts the key.` }])
    t.match(of(diagnosis, 'backups'), [{ state: 'warn', detail: 'There is no backup in' }])

    const elsewhere = await look({ EVENT_API_URL: NOWHERE, BOARD_API_URL: board })
    t.match(of(elsewhere, 'server'), [{ state: 'fail', fault: 'unreachable', advice: `Set EVENT_API_URL=${ledger}.` }])
    t.match(of(elsewhere, 'board'), [{ state: 'ok', detail: 'needs a login' }])
    const refused = await look({
      EVENT_API_URL: ledger,
      EVENT_API_TOKEN: 'tok_wrong',
      BOARD_API_URL: board,
      BOARD_API_KEY: 'other',
    })
    t.match(of(refused, 'board'), [{ state: 'fail', fault: 'refused' }])
    t.match(of(refused, 'server'), [{ state: 'ok', detail: 'answers and needs no credential.' }], 'it has no users')
  },
)

t.test('the doctor shows why a running server cannot capture a watch', async t => {
  const { look, sourcesOf } = start(t)
  const sources = sourcesOf({
    EVENT_CHAT_URL: NOWHERE,
    EVENT_CHAT_EMAIL: 'bot@example.org',
    EVENT_CHAT_API_KEY: 'of-chat',
  })
  const running = await serve(readServeSettings({ port: '0', only: 'ledger', capture: true }, sources), sources)
  t.teardown(() => running.close())
  const api = `${running.ledger?.url}/api/subscriptions`
  t.same(of(await look(), 'watches'), [])
  const watch = { id: 'deploys', source: 'chat', target: 'stream:eng/topic:deploys', capture_modes: ['poll'] }
  await fetch(api, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(watch) })
  await until(async () => Boolean(((await (await fetch(`${api}/deploys`)).json()) as Subscription).capture?.failures))
  t.match(of(await look(), 'watches'), [{ state: 'warn', detail: /^The watch deploys could not be captured\. / }])
})

t.test('a credential that the ledger refuses is a failure', async t => {
  const { look, sourcesOf } = start(t)
  const adminToken = 'a-token-of-sixteen-characters'
  const sources = sourcesOf({ EVENT_ADMIN_TOKEN: adminToken })
  const running = await serve(readServeSettings({ only: 'ledger', port: '0' }, sources), sources)
  t.teardown(() => running.close())
  const url = running.ledger?.url ?? ''
  const lookWith = async (env: Env) => of(await look({ EVENT_API_URL: url, ...env }), 'server')
  const detail = `The ledger at ${url} refuses the credential.`
  t.match(await lookWith({ EVENT_API_TOKEN: 'tok_wrong' }), [
    { state: 'fail', fault: 'refused', detail, advice: /mistyped, revoked or expired/ },
  ])
  t.match(await lookWith({ EVENT_ADMIN_TOKEN: 'another-one-of-sixteen' }), [
    { fault: 'refused', advice: /admin token/ },
  ])
  t.match(await lookWith({ EVENT_ADMIN_TOKEN: adminToken }), [{ state: 'ok', detail: 'accepts the credential.' }])
})

t.test('the doctor reads a closed ledger without changing it, and finds damage of its newest events', async t => {
  const { database, look, record, change } = start(t)
  await record()
  const before = readFileSync(database)
  t.match(of(await look(), 'ledger'), [{ state: 'ok', detail: /newest event is of 2.* digest [0-9a-f]{64}/ }])
  t.ok(readFileSync(database).equals(before))
  change(`UPDATE events SET body = replace(body, 'all green', 'all red') WHERE seq = 2`)
  const diagnosis = await look()
  t.match(of(diagnosis, 'ledger'), [{ state: 'fail', fault: 'damaged', detail: /^2, captured at / }])
  t.equal(diagnosis.state, 'fail')
})

t.test('a ledger of another release is reported and not upgraded', async t => {
  const { database, look, record, change } = start(t)
  await record()
  change(`DROP TABLE notes; PRAGMA user_version = ${SCHEMA_VERSION - 1}`)
  t.match(of(await look(), 'ledger'), [{ state: 'warn', detail: `the next start upgrades it to ${SCHEMA_VERSION}` }])
  t.notOk(existsSync(`${database}.schema-${SCHEMA_VERSION - 1}`))
  change('PRAGMA user_version = 999')
  t.match(of(await look(), 'ledger'), [{ state: 'fail', fault: 'configuration', detail: 'has schema 999' }])
})

t.test('after a kill of the server, the doctor opens no file, because the next start repairs them', async t => {
  const { database, look, record } = start(t)
  await record()
  const dead = {
    ...(await ownIdentity()),
    started: '1',
    nonce: 'ab'.repeat(8),
    role: 'server',
    since: '2031-05-04T09:00:00.000000Z',
  }
  const owner = JSON.stringify(dead)
  writeFileSync(`${database}.owner`, owner)
  const diagnosis = await look()
  t.match(of(diagnosis, 'owner')[0], { state: 'warn', detail: 'ended without closing it' })
  t.match(of(diagnosis, 'ledger'), [{ state: 'ok', detail: 'The ledger was not opened' }])
  t.equal(readFileSync(`${database}.owner`, 'utf8'), owner)
  writeFileSync(`${database}.owner`, JSON.stringify({ ...dead, lost: { database: '1:1', journal: null } }))
  t.match(of(await look(), 'owner')[0], { state: 'fail', fault: 'conflict' })
})

t.test('all problems of a broken configuration are reported together, without secrets', async t => {
  const { look } = start(t)
  const secrets = ['first-secret', 'second-secret', 'third-secret', 'fourth-secret', 'fifth-secret', 'sixth-secret']
  const env = {
    EVENT_PORT: 'abc',
    EVENT_DB: `mysql://ada:${secrets[0]}@db/x`,
    BOARD_HOME: 'relative',
    EVENT_LOG_LEVEL: 'loud',
    EVENT_ADMIN_TOKEN: `two words ${secrets[1]}`,
    EVENT_WEBHOOK_SECRET_CHAT: secrets[2] ?? '',
    BOARD_PASSWORD: secrets[3] ?? '',
    EVENT_API_URL: `http://ada:${secrets[4]}@host/`,
    EVENT_CHAT_API_KEY: secrets[5] ?? '',
    EVENT_WEBHOOK_SECRET_FORUM_FILE: '/missing',
    EVENT_WEBHOOK_SECRET_CODE_A: secrets[2] ?? '',
  }
  const diagnosis = await look(env)
  const failed = of(diagnosis, 'settings').filter(({ state }) => state === 'fail')
  const named = ['EVENT_PORT', 'EVENT_DB', 'BOARD_HOME', 'EVENT_LOG_LEVEL', 'EVENT_ADMIN_TOKEN', 'EVENT_API_URL']
  for (const name of [...named, 'EVENT_WEBHOOK_SECRET_FORUM_FILE', 'EVENT_CHAT_EMAIL', 'EVENT_CHAT_URL']) {
    t.equal(failed.filter(({ detail }) => detail.startsWith(name)).length, 1, name)
  }
  const text = JSON.stringify(diagnosis)
  for (const secret of secrets) t.notOk(text.includes(secret))
  t.match(of(diagnosis, 'node'), [{ state: 'ok' }], 'what needs no setting is checked')
})

t.test('for a ledger in PostgreSQL, the doctor checks the connection, and no file', async t => {
  const { look } = start(t)
  const diagnosis = await look({ EVENT_DB: 'postgres://ada:the-password@127.0.0.1:9/ledger?sslmode=disable' })
  t.match(of(diagnosis, 'ledger'), [{ state: 'fail', fault: 'temporary' }])
  t.equal(of(diagnosis, 'owner').length, 1, 'that of the board')
  t.notOk(JSON.stringify(diagnosis).includes('the-password'))
})

t.test('for a board in PostgreSQL, the doctor checks the connection, and no files', async t => {
  const { look } = start(t)
  const diagnosis = await look({ BOARD_DB: 'postgres://ada:the-password@127.0.0.1:9/board?sslmode=disable' })
  t.match(of(diagnosis, 'board'), [{ state: 'fail', fault: 'temporary' }, {}])
  t.equal(of(diagnosis, 'owner').length, 1, 'that of the ledger')
  t.notOk(JSON.stringify(diagnosis).includes('the-password'))
})

t.test('files that this user cannot access, and files that others can access, are reported', async t => {
  const { home, database, look, record } = start(t)
  await record()
  chmodSync(database, 0o644)
  writeFileSync(`${database}.rescued-20310504T090000000Z`, '')
  const [open, kept] = of(await look(), 'files')
  t.match(
    [open, kept],
    [
      { state: 'warn', advice: `Run \`chmod 600 ${database}\`.` },
      { state: 'warn', detail: 'rescued-' },
    ],
  )
  chmodSync(home, 0)
  const asOther = process.geteuid?.() === 0
  try {
    if (asOther) process.seteuid?.(65_534)
    const diagnosis = await look({}, { [join(home, 'event/secrets/admin-token')]: { code: 'EACCES' } })
    t.match(of(diagnosis, 'settings'), [{ state: 'fail', detail: 'may not be read by this user' }])
    t.match(of(diagnosis, 'files')[0], { state: 'fail', fault: 'configuration', detail: /may not read and write/ })
    t.match(of(diagnosis, 'owner')[0], { state: 'fail', fault: 'configuration' })
    t.equal(diagnosis.state, 'fail')
  } finally {
    if (asOther) process.seteuid?.(0)
    chmodSync(home, 0o700)
  }
})
