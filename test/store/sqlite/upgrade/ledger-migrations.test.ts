import { join } from 'node:path'
import sqlite, { type Database } from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { openSqliteStore } from '../../../../src/store/sqlite/store.js'
import { SCHEMA_VERSION } from '../../../../src/store/sqlite/upgrade/ledger-migrations.js'
import { keysOf, messageCreated, readStored, untilIndexed } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'
import { userNamed } from '../../user-store-conformance.js'

function openAt(t: Test, path: string) {
  return openSqliteStore({ path, clock: () => 1_800_000_000_000_000, onFailure: error => t.fail(String(error)) })
}

/** Opens the file of a closed ledger. */
function inFile<Result>(path: string, work: (connection: Database) => Result): Result {
  const connection = new sqlite.Database(path)
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE')
    return work(connection)
  } finally {
    connection.close()
  }
}

/** The table of events as version 9 had it. */
const WITHOUT_ERASING = `ALTER TABLE events DROP COLUMN content_digest; DROP TABLE prunings;
  DROP TABLE event_changes;
  DROP TABLE sources;
  DROP TABLE source_secrets;
  DROP TABLE notes;
  DELETE FROM meta WHERE name LIKE 'pruned%'`
const WITHOUT_DIGESTS = `${WITHOUT_ERASING}; DROP TABLE consumers; DROP TABLE dead_letters;
  ALTER TABLE events DROP COLUMN digest`

/** A ledger of the release before there were users, with one event. */
async function writeVersionOne(t: Test, path: string): Promise<void> {
  const store = await openAt(t, path)
  await store.events.record([messageCreated('chat:1')])
  await store.close()
  inFile(path, connection => {
    connection.exec('DROP TABLE users; DROP TABLE api_tokens; DROP TABLE source_marks; DROP TABLE account_log')
    connection.exec(`${WITHOUT_DIGESTS}; DELETE FROM meta WHERE name = 'closed'; PRAGMA user_version = 1`)
  })
}

t.test('a ledger from before there were users keeps its events and is open', async t => {
  const path = join(testFolder(t), 'events.db')
  await writeVersionOne(t, path)
  const store = await openAt(t, path)
  t.equal(store.schemaVersion, SCHEMA_VERSION)
  t.match(await readStored(store.events, 'chat:1'), { dedupe_key: 'chat:1' })
  t.same(await store.users.list(), [])
  t.equal(await store.users.isClosed(), false)
  await store.users.create(userNamed('ada'))
  t.same(await store.check(), [])
  await store.close()
  t.match(
    inFile(path, connection => connection.all('PRAGMA user_version')),
    [{ user_version: SCHEMA_VERSION }],
  )
})

/** The tables as version 8 had them. */
const WITHOUT_TOKEN_NAMES = `${WITHOUT_DIGESTS};
  ALTER TABLE api_tokens DROP COLUMN name; ALTER TABLE api_tokens DROP COLUMN expires_at`

/** The tables as version 3 had them. */
const WITHOUT_TOKEN_RIGHTS = `${WITHOUT_TOKEN_NAMES};
  ALTER TABLE api_tokens DROP COLUMN may; ALTER TABLE api_tokens DROP COLUMN sources`

const HASH = `pbkdf2_sha256$1000$${'ab'.repeat(16)}$${'cd'.repeat(32)}`
const digestOf = (n: number) => n.toString(16).padStart(64, '0')

/** Tables as older releases had them; `@` is before each name of a table. */
const WITH_COLUMNS = `
  CREATE TABLE @users (id INTEGER PRIMARY KEY, username TEXT UNIQUE, role TEXT, enabled INTEGER, password_hash TEXT,
    created_at TEXT);
  CREATE INDEX by_name ON @users (username);
  INSERT INTO @users VALUES (7, 'Ada', 'admin', 1, '${HASH}', '2025-01-01T00:00:00Z'),
    (8, 'bob', 'member', 0, '${HASH}', 'long ago');
  CREATE TABLE @Api_Tokens (user_id INTEGER REFERENCES @users (id), token_hash TEXT, revoked_at TEXT);
  INSERT INTO @Api_Tokens VALUES (7, '${digestOf(1)}', NULL)`

const body = (members: object) => JSON.stringify(members)
const WITH_BODIES = `
  CREATE TABLE @users (id TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID;
  INSERT INTO @users VALUES
    ('7', '${body({ id: '7', username: 'Ada', role: 'admin', enabled: true, password_hash: HASH, tokens: [{ digest: digestOf(1) }], created_at: '2025-01-01T00:00:00Z' })}'),
    ('8', '${body({ id: '8', username: 'bob', role: 'member', enabled: false, password_hash: HASH })}')`

for (const [form, sql] of Object.entries({ columns: WITH_COLUMNS, bodies: WITH_BODIES })) {
  for (const prefix of ['', 'older_']) {
    const since = prefix === '' ? '' : ', set aside by an earlier release,'
    t.test(`users of an older ledger${since} are migrated unchanged from ${form}, with their tokens`, async t => {
      const path = join(testFolder(t), 'events.db')
      await writeOlderUsers(t, path, prefix, sql)
      const store = await openAt(t, path)
      t.match(await store.users.list(), [
        { id: '7', username: 'Ada', role: 'admin', enabled: true, password_hash: HASH, token_count: 1 },
        { id: '8', username: 'bob', role: 'member', enabled: false, password_hash: HASH, token_count: 0 },
      ])
      t.equal((await store.users.findById('7'))?.created_at, '2025-01-01T00:00:00.000000Z')
      t.equal((await store.users.findByTokenDigest(digestOf(1)))?.user.id, '7')
      t.equal(await store.users.isClosed(), true)
      t.same(store.leftovers, [])
      t.match(await store.users.listLog(10), [
        { action: 'ledger.user_created', by: { identity: 'older_ledger' }, user: { id: '8', username: 'bob' } },
        { user: { id: '7', username: 'Ada' } },
      ])
      await store.close()
    })
  }
}

t.test('rows that cannot be migrated stay with the reason, and are not interpreted', async t => {
  const path = join(testFolder(t), 'events.db')
  const user = (members: object) => `('${body({ role: 'member', password_hash: HASH, ...members })}')`
  const token = (members: object) => `('${body({ user_id: 'u1', ...members })}')`
  await writeOlderUsers(
    t,
    path,
    '',
    `CREATE TABLE users (body TEXT);
     INSERT INTO users VALUES ${user({ id: 'u1', username: 'ada' })}, ('{'), ('[]'), ${user({ id: 'u2', username: 'ADA' })},
       ${user({ id: 'u1', username: 'eve' })}, ${user({ username: 'two words' })}, ${user({ username: 'a', role: 'owner' })},
       ${user({ username: 'b', enabled: 'perhaps' })}, ${user({ username: 'd', disabled_at: '2025-01-01' })},
       ${user({ username: 'e', is_active: 0 })},
       ${user({ id: 'u9', username: 'gina', tokens: [{ digest: digestOf(8), revoked: 1 }, { digest: digestOf(9) }] })}, ${user({ username: 'c', password_hash: 'secret' })},
       ${user({ username: 'd', id: 'x\u0007y' })};
     CREATE TABLE api_tokens (body TEXT);
     INSERT INTO api_tokens VALUES ${token({ digest: digestOf(1) })}, ${token({ digest: digestOf(1) })},
       ${token({ digest: digestOf(2), revoked_at: '2025-01-01' })}, ${token({ digest: digestOf(3), expires_at: 'later' })},
       ${token({ digest: digestOf(4), scopes: ['read'] })}, ${token({ digest: digestOf(5), enabled: 0 })},
       ${token({ digest: digestOf(6), revoked: false, scopes: [] })}, ${token({ digest: 'short' })},
       ${token({ digest: digestOf(7), user_id: 'c' })}`,
  )
  const store = await openAt(t, path)
  t.match(await store.users.list(), [
    { id: 'u1', username: 'ada', token_count: 2 },
    { id: 'u9', username: 'gina', token_count: 1 },
  ])
  t.same(store.leftovers, [
    {
      table: 'older_api_tokens',
      reasons: {
        'it was revoked, ends or is limited': 4,
        'a token of this id or digest exists': 1,
        'it has no SHA-256 digest': 1,
        'its user was not carried over': 1,
      },
    },
    {
      table: 'older_users',
      reasons: {
        'its body is not a JSON object': 2,
        'a user of this id exists': 1,
        'a user of this name exists': 1,
        'it was disabled, deleted or ends': 2,
        'its enabled state is neither true nor false': 1,
        'its id is not 1 to 128 printable characters': 1,
        'its name is not a valid username': 1,
        'its password hash has another form than pbkdf2_sha256$iterations$salt$digest': 1,
        'its role is neither admin nor member': 1,
        'the user was carried over, but 1 of its tokens not: it was revoked, ends or is limited': 1,
      },
    },
  ])
  await store.close()
  const again = await openAt(t, path)
  t.equal(again.leftovers.length, 2, 'reported at each start')
  await again.close()
})

t.test('an older table of users that is empty leaves the ledger open', async t => {
  const path = join(testFolder(t), 'events.db')
  await writeOlderUsers(t, path, '', 'CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT)')
  const store = await openAt(t, path)
  t.equal(await store.users.isClosed(), false)
  t.same(store.leftovers, [])
  t.match(await readStored(store.events, 'chat:1'), { dedupe_key: 'chat:1' })
  await store.close()
})

/** A ledger of version 1 with such tables; or one in which an earlier release has set them aside. */
async function writeOlderUsers(t: Test, path: string, prefix: string, sql: string): Promise<void> {
  await writeVersionOne(t, path)
  if (prefix !== '') await (await openAt(t, path)).close()
  inFile(path, connection => {
    connection.exec(sql.replaceAll('@', prefix))
    if (prefix !== '') {
      connection.exec(
        `${WITHOUT_TOKEN_RIGHTS}; DROP TABLE account_log; UPDATE meta SET value = 1 WHERE name = 'closed'`,
      )
      connection.exec('PRAGMA user_version = 3')
    }
  })
}

t.test('a ledger from before counts by source counts its existing events, and new ones', async t => {
  const path = join(testFolder(t), 'events.db')
  const record = async (from: number, to: number) => {
    const store = await openAt(t, path)
    const numbers = Array.from({ length: to - from }, (_, at) => from + at)
    await store.events.record(numbers.map(at => messageCreated(String(at), { source: at % 3 ? 'chat' : 'forum' })))
    const { count, bySource } = await store.events.histogram({ buckets: 1, now: 0 })
    await store.close()
    return { count, bySource }
  }
  await record(0, 700)
  inFile(path, connection => {
    connection.exec(`${WITHOUT_TOKEN_RIGHTS}; DROP TABLE source_marks; PRAGMA user_version = 2`)
  })
  t.match(await record(700, 900), {
    count: 900,
    bySource: [
      { source: 'chat', count: 600 },
      { source: 'forum', count: 300 },
    ],
  })
})

t.test('a filter finds the outcomes of events that were indexed before outcomes existed', async t => {
  const path = join(testFolder(t), 'events.db')
  const action = { kind: 'job.ended', object_type: 'job', verb: 'ended', outcome: 'failed', metadata: {} }
  const before = await openAt(t, path)
  await before.events.record([messageCreated('1', { action }), messageCreated('2')])
  await before.close()
  inFile(path, connection => {
    connection.exec(`INSERT INTO event_facets (event_facets) VALUES ('delete-all')`)
    for (const seq of [1, 2]) connection.exec(`INSERT INTO event_facets (rowid, facets) VALUES (${seq}, 'source:chat')`)
    connection.exec(`UPDATE meta SET value = 2 WHERE name = 'indexed_seq'`)
    connection.exec(`${WITHOUT_TOKEN_NAMES}; PRAGMA user_version = 7`)
  })
  const store = await openAt(t, path)
  for (const settled of [false, true]) {
    if (settled) await untilIndexed(store.events)
    t.same(keysOf(await store.events.query({ order: 'asc', limit: 9, outcomes: ['failed'] })), ['1'])
  }
  await store.close()
})

/** A ledger with one token, as an older version stored it. */
async function writeOlderToken(
  path: string,
  t: Test,
  version: number,
  { drop, rights }: { drop: string; rights: object },
) {
  const before = await openAt(t, path)
  const ada = userNamed('ada')
  await before.users.create(ada)
  await before.close()
  const row = {
    id: 'token',
    user_id: ada.id,
    digest: 'digest',
    prefix: 'tok_abcd',
    created_at: ada.created_at,
    ...rights,
  }
  const values = Object.values(row).map(value => `'${value}'`)
  inFile(path, connection => {
    connection.exec(drop)
    connection.exec(`INSERT INTO api_tokens (${Object.keys(row)}) VALUES (${values}); PRAGMA user_version = ${version}`)
  })
}

const OLDER_TOKENS = [
  { version: 3, drop: WITHOUT_TOKEN_RIGHTS, rights: {}, expected: { may: 'all', sources: [] } },
  {
    version: 8,
    drop: WITHOUT_TOKEN_NAMES,
    rights: { may: 'write', sources: '["ci"]' },
    expected: { may: 'write', sources: ['ci'] },
  },
]

for (const { version, expected, ...older } of OLDER_TOKENS) {
  t.test(`tokens of version ${version} keep their rights, and have neither a name nor an expiry`, async t => {
    const path = join(testFolder(t), 'events.db')
    await writeOlderToken(path, t, version, older)
    const store = await openAt(t, path)
    t.match(await store.users.findByTokenDigest('digest'), { token: { ...expected, name: null, expires_at: null } })
    await store.close()
  })
}
