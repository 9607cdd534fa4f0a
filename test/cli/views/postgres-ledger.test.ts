import t from 'tap'
import { copiedText, migratedText } from '../../../src/cli/views/postgres-ledger.js'

t.test('a moved ledger is shown with both places, its digest, and what to do next', async t => {
  const copied = {
    from: '/srv/events.db',
    to: 'postgres://ada@db:5432/ledger',
    events: 1_234,
    subscriptions: 1,
    users: 2,
    tokens: 0,
    consumers: 1,
    sources: 3,
    head: '2031-05-04T09:00:00.000000Z',
    head_digest: 'ab'.repeat(32),
    epoch: 'e-1',
  }
  t.equal(
    copiedText(copied),
    [
      'Copied 1,234 events, 1 subscription, 2 users, 0 tokens, 1 consumer and 3 sources; both ledgers are the same.',
      '  from    /srv/events.db, which accepts no changes any more',
      '  to      postgres://ada@db:5432/ledger',
      '  head    2031-05-04T09:00:00.000000Z',
      `  digest  ${'ab'.repeat(32)}`,
      '  epoch   e-1',
      'Set EVENT_DB to the new place, and start the servers.',
    ].join('\n'),
  )
})

t.test('a migration shows the schema, new partitions, and the role that may use the tables', async t => {
  const database = 'postgres://ada@db:5432/ledger'
  const migrated = {
    database,
    from_version: 0,
    schema_version: 4,
    partitions: ['events_2031_05'],
    granted_to: 'daybook',
    epoch: 'e-2',
  }
  t.equal(
    migratedText(migrated),
    [
      `The ledger ${database} has schema 4 now.`,
      'New partitions: events_2031_05.',
      'The role daybook may use the tables.',
      'Its new epoch is e-2. All logins to the ledger have ended.',
    ].join('\n'),
  )
  const nothing = { database, from_version: 4, schema_version: 4, partitions: [], granted_to: null, epoch: null }
  t.equal(migratedText(nothing), `The ledger ${database} has schema 4 already.`)
})
