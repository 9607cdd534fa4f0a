import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t from 'tap'
import { serve } from '../../src/runtime/serve/serve.js'
import { verifyLedger } from '../../src/runtime/verify-ledger.js'
import { readLocalSettings } from '../../src/settings/local-settings.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { ownFolder } from '../black-box/own-folder.js'
import { memorySources } from '../settings/memory-sources.js'
import { messageCreated } from '../support/events.js'
import { storedSubscription } from '../support/subscription.js'

const NOON = 1_800_000_000_000_000
const FIRST = '2027-01-15T08:00:00.000000Z'
const LAST = '2027-01-15T08:00:00.000003Z'
const LATER = '2027-01-15T09:00:00.000000Z'
const SUBSCRIPTION = storedSubscription({ id: 'sub_1', last_event_at: LAST, created_at: FIRST, updated_at: FIRST })
const sources = memorySources({ env: { EVENT_LOG_LEVEL: 'silent' } })

t.test('a verification of a ledger', async t => {
  const folder = ownFolder(t)
  const at = (name: string) => join(folder, `${name}.db`)
  const verify = (name: string, start = {}) => verifyLedger(readLocalSettings({ db: at(name) }, sources), start)
  const write = async (name: string, text: string) => {
    const store = await openSqliteStore({ path: at(name), clock: () => NOON, onFailure: error => t.fail(`${error}`) })
    const events = ['a', 'b', 'c', 'd'].map(key => messageCreated(key, { conversation: { text } }))
    await store.events.record(events)
    await store.events.record([messageCreated('b')])
    await store.subscriptions.save(SUBSCRIPTION)
    const mail = { name: 'mail', owner_user_id: null, position: 'now' as const }
    await store.consumers.save(mail, { most: 10, now: NOON })
    const { head } = await store.events.health()
    await store.close()
    return head?.digest ?? ''
  }
  const noted = await write('original', 'all green')

  const TAMPERED: Record<string, { sql: string; details: string[] }> = {
    'nothing wrong': { sql: '', details: [] },
    'changed counters': {
      sql: 'UPDATE source_counters SET events = 5, duplicates = 0; UPDATE kind_counters SET events = 7',
      details: [
        'The counter of events is 5, but there are 4.',
        'The counter of events of chat is 5, but there are 4.',
        'The counter of repeats of chat is 0, but there are 1.',
        'The counter of message.created events is 7, but there are 4.',
      ],
    },
    'a counter of repeats that was raised': {
      sql: 'UPDATE source_counters SET duplicates = 9',
      details: ['The counter of repeats of chat is 9, but there are 1.'],
    },
    'a removed newest event': {
      sql: 'DELETE FROM events WHERE seq = 4',
      details: [
        'The counter of events is 4, but there are 3.',
        'The counter of events of chat is 4, but there are 3.',
        'The counter of message.created events is 4, but there are 3.',
        `The last event of the subscription sub_1 is of ${LAST}, and the newest event is of 2027-01-15T08:00:00.000002Z.`,
        `The consumer mail has read up to ${LAST}, and the newest event is of 2027-01-15T08:00:00.000002Z.`,
      ],
    },
    'a subscription that is ahead of the events': {
      sql: `UPDATE subscriptions SET body = json_set(body, '$.last_event_at', '${LATER}')`,
      details: [`The last event of the subscription sub_1 is of ${LATER}, and the newest event is of ${LAST}.`],
    },
    'a consumer that is ahead of the events': {
      sql: `UPDATE consumers SET checkpoint = ${NOON + 3_600_000_000}`,
      details: [`The consumer mail has read up to ${LATER}, and the newest event is of ${LAST}.`],
    },
    'no fault in a consumer of a ledger from before a restore': {
      sql: `UPDATE consumers SET checkpoint = ${NOON + 3_600_000_000}, epoch = 'another'`,
      details: [],
    },
  }
  for (const [what, { sql, details }] of Object.entries(TAMPERED)) {
    t.test(`a verification finds ${what}`, async t => {
      copyFileSync(at('original'), at(what))
      const connection = new sqlite.Database(at(what))
      connection.exec('PRAGMA locking_mode = EXCLUSIVE')
      connection.exec(sql)
      connection.close()
      const { problems } = await verify(what)
      t.same(
        problems.map(({ detail }) => detail),
        details,
      )
    })
  }

  t.test('a verification compares with a noted digest, even of a completely rewritten chain', async t => {
    await write('rewritten', 'all red')
    t.match(await verify('rewritten'), { events: 4, problems: { length: 0 } }, 'the chain itself is right')
    t.match((await verify('rewritten', { since: LAST, digest: noted })).problems, [
      {
        captured_at: LAST,
        detail: /^The event of 2027-01-15T08:00:00.000003Z has another digest: [0-9a-f]{64}\. It or an/,
      },
    ])
    t.match(await verify('original', { since: LAST, digest: noted }), { events: 0, problems: { length: 0 } })
    t.match((await verify('original', { since: LATER, digest: noted })).problems, [
      { detail: `No event was captured at ${LATER}: it was removed, or is of another ledger.` },
    ])
  })

  t.test('a verification through a server finds the same problems', async t => {
    const name = 'a consumer that is ahead of the events'
    const settings = readServeSettings({ only: 'ledger', port: '0', db: at(name) }, sources)
    const { close } = await serve(settings, sources)
    t.teardown(close)
    t.match((await verify(name)).problems, [{ detail: TAMPERED[name]?.details[0] }])
  })
})
