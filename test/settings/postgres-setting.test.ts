import t from 'tap'
import { shownAddress } from '../../src/model/postgres-address.js'
import { findBoard } from '../../src/settings/board/board-settings.js'
import { readLocalSettings } from '../../src/settings/local-settings.js'
import { readServeSettings } from '../../src/settings/serve-settings.js'
import { HOME, memorySources } from './memory-sources.js'
import { problemsOf } from './refusal.js'

type Sources = Parameters<typeof memorySources>[0]

function readAddress(url: string, { env, files }: NonNullable<Sources> = {}) {
  const sources = memorySources({ env: { ...env, EVENT_DB: url }, ...(files ? { files } : {}) })
  const { postgres } = readLocalSettings({}, sources).database
  if (!postgres) throw new Error('no address')
  const { password, ...others } = postgres
  return { ...others, passwords: postgres.hosts.map(password), shown: shownAddress(postgres) }
}

t.test('an address of one server has the defaults of PostgreSQL', async t => {
  t.match(readAddress('postgres://ada@db.example.org'), {
    hosts: [{ host: 'db.example.org', port: 5432 }],
    database: 'ada',
    user: 'ada',
    sslMode: 'prefer',
    schema: 'daybook',
    poolSize: 10,
    passwords: [undefined],
    shown: 'postgres://ada@db.example.org:5432/ada',
  })
})

t.test('several hosts, ports, parts in percent encoding and parameters are read', async t => {
  const url =
    'postgresql://a%40b:se%2Fcret@one,two:5433,[::1]:5434/led%20ger?sslmode=verify-full&sslrootcert=/ca.pem&schema=x'
  t.match(readAddress(url, { files: { '/ca.pem': 'PEM' } }), {
    hosts: [
      { host: 'one', port: 5432 },
      { host: 'two', port: 5433 },
      { host: '::1', port: 5434 },
    ],
    database: 'led ger',
    user: 'a@b',
    sslMode: 'verify-full',
    sslRootCertificate: 'PEM',
    schema: 'x',
    passwords: ['se/cret', 'se/cret', 'se/cret'],
    shown: 'postgres://a%40b@one:5432,two:5433,[::1]:5434/led%20ger?schema=x',
  })
  t.match(readAddress('postgres://ada@/ledger?host=/run/postgresql&port=5433'), {
    hosts: [{ host: '/run/postgresql', port: 5433 }],
  })
  t.match(readAddress('postgres://ada@%2Frun%2Fpg:1/ledger'), { hosts: [{ host: '/run/pg', port: 1 }] })
})

t.test('parameters take precedence over the part before the path, as in libpq', async t => {
  const hostsOf = (url: string) => readAddress(url).hosts
  t.same(hostsOf('postgres://ada@db:5433/ledger?host=/run/postgresql'), [{ host: '/run/postgresql', port: 5433 }])
  t.same(hostsOf('postgres://ada@db:5433/ledger?host='), [{ host: 'db', port: 5433 }], 'an empty one is absent')
  t.same(hostsOf('postgres://ada@db:5433/ledger?host=%3A%3A1,other'), [
    { host: '::1', port: 5433 },
    { host: 'other', port: 5433 },
  ])
  t.same(hostsOf('postgres://ada@one:5433,two/ledger?port=5434'), [
    { host: 'one', port: 5434 },
    { host: 'two', port: 5434 },
  ])
  t.equal(readAddress('postgres://ada@db/ledger?user=eve').user, 'eve')
})

t.test('a certificate that is given is used to verify the server, as in libpq', async t => {
  const modeOf = (parameters: string) => {
    return readAddress(`postgres://ada@db/ledger?${parameters}`, { files: { '/ca.pem': 'PEM' } }).sslMode
  }
  t.equal(modeOf('sslmode=require'), 'require')
  t.equal(modeOf('sslmode=require&sslrootcert=/ca.pem'), 'verify-ca')
  t.equal(modeOf('sslmode=verify-full&sslrootcert=/ca.pem'), 'verify-full')
  t.equal(modeOf('sslmode=prefer&sslrootcert=/ca.pem'), 'prefer')
  t.equal(modeOf('sslrootcert=system'), 'verify-full')
})

t.test('the password comes from the URL, or else from the named file, or else from the password file', async t => {
  const passFile =
    'other:*:*:*:wrong\n# none\none:5432:ledger:ada:of\\:one\\\\\nlocalhost:*:*:ada:of the socket\n*:5433:*:*:of two'
  const files = { [`${HOME}/.pgpass`]: passFile, '/secret': 'of the file\n', '/pass': '*:*:*:*:named' }
  const url = 'postgres://ada@one,two:5433,three/ledger'
  t.same(readAddress(url, { files }).passwords, ['of:one\\', 'of two', undefined])
  t.same(readAddress('postgres://ada@/ledger?host=/run', { files }).passwords, ['of the socket'])
  t.same(readAddress(url, { files, env: { PGPASSFILE: '/pass' } }).passwords, ['named', 'named', 'named'])
  const env = { EVENT_DB_PASSWORD_FILE: '/secret' }
  t.same(readAddress(url, { files, env }).passwords[0], 'of the file')
  t.same(readAddress('postgres://ada:own@one/ledger', { files, env }).passwords, ['own'])
})

t.test('a read replica has the schema of its database, and is ignored for a ledger that a flag names', async t => {
  const read = (env: Record<string, string>, db?: string) => {
    return readLocalSettings(db === undefined ? {} : { db }, memorySources({ env })).database
  }
  const EVENT_DB_READ = 'postgres://ada@two/ledger'
  const { replica } = read({ EVENT_DB: 'postgres://ada@one/ledger?schema=x', EVENT_DB_READ, EVENT_DB_TIMEOUT: '7' })
  t.match(replica, { hosts: [{ host: 'two', port: 5432 }], schema: 'x', timeoutSeconds: 7 })
  t.equal(read({ EVENT_DB: 'postgres://ada@one/ledger', EVENT_DB_READ }, '/srv/events.db').replica, undefined)
  t.match(
    problemsOf(() => read({ EVENT_DB: '/srv/events.db', EVENT_DB_READ })),
    [{ detail: /no database in PostgreSQL/ }],
  )
  const wrong = { EVENT_DB: 'postgres://ada@one/ledger', EVENT_DB_READ: '/srv/events.db' }
  t.match(
    problemsOf(() => read(wrong)),
    [{ detail: /EVENT_DB_READ is not an address/ }],
  )
})

t.test('an invalid address is refused, and no refusal shows it', async t => {
  const refused: [string, RegExp][] = [
    ['postgres://ada:secret@/ledger', /names no host/],
    ['postgres://ada:secret@/ledger?host=', /names no host/],
    ['postgres://ada:secret@db/ledger?port=1,2', /has 2 ports for 1 host\. Give one port/],
    ['postgres://ada:secret@a,b,c/ledger?port=1,2', /has 2 ports for 3 hosts\. Give one port/],
    ['postgres://ada:secret@db:0/ledger', /port that is not a number/],
    ['postgres://ada:secret@db:99999/ledger', /port that is not a number/],
    ['postgres://ada:secret@db/ledger?sslmode=maybe', /sslmode that is not one of/],
    ['postgres://ada:secret@db/ledger?sslmode=require&sslrootcert=system', /weaker than verify-full/],
    ['postgres://ada:secret@db/ledger?sslrootcert=/gone', /sslrootcert that does not exist/],
    ['postgres://ada:secret@db/ledger?target_session_attrs=standby', /other than read-write or primary/],
    ['postgres://ada:secret@db/ledger?application_name=x', /has the parameter application_name/],
    [`postgres://ada:secret@db/ledger?schema=${'é'.repeat(28)}x`, /longer than 56 bytes/],
    ['postgres:ada:secret@db/ledger', /is not an address/],
    ['postgres://ada:top@secret@db/ledger', /Encode an @ of a password as %40/],
    ['postgres://ada:top/secret@db/ledger', /Encode special characters of a password: \/ as %2F/],
    ['postgres://ada:1/secret@db/ledger', /Encode special characters/],
    ['postgres://ada:top?secret@db/ledger', /\? as %3F/],
    ['postgres://ada:1?secret=1@db/ledger', /\? as %3F/],
  ]
  for (const [url, expected] of refused) {
    const problems = problemsOf(() => readLocalSettings({}, memorySources({ env: { EVENT_DB: url } })))
    t.match(problems, [{ field: 'EVENT_DB', detail: expected }], url)
    t.notMatch(JSON.stringify(problems), /secret/)
  }
})

t.test('scheduled backups need a ledger in a file', async t => {
  const env = { EVENT_DB: 'postgres://ada@db/ledger', EVENT_BACKUP_DIR: '/backups' }
  const problems = problemsOf(() => readServeSettings({}, memorySources({ env })))
  t.match(problems, [{ field: 'EVENT_BACKUP_DIR', detail: /ledger is in PostgreSQL/ }])
})

t.test('a board has its own database and schema, and settings of the same kind', async t => {
  const env = {
    BOARD_DB: 'postgres://ada@db/ledger',
    BOARD_DB_PASSWORD_FILE: '/secret',
    BOARD_DB_POOL: '7',
    EVENT_DB: 'postgres://bob@other/ledger',
    EVENT_DB_POOL: '3',
  }
  const { board, ledger } = readServeSettings({}, memorySources({ env, files: { '/secret': 'of the board' } }))
  t.match(board?.postgres, { user: 'ada', schema: 'daybook_board', poolSize: 7 })
  t.match(ledger?.database.postgres, { user: 'bob', schema: 'daybook', poolSize: 3 })
  const [host] = board?.postgres?.hosts ?? []
  t.equal(host && board?.postgres?.password(host), 'of the board')
  t.equal(findBoard(memorySources({ env: { BOARD_HOME: '/b' } })).postgres, undefined)
})

t.test('BOARD_DB must be an address of PostgreSQL, and no refusal shows its password', async t => {
  for (const BOARD_DB of [
    '/var/board.sqlite3',
    'mysql://ada:secret@db/x',
    'postgres://ada:secret@db/x?sslmode=maybe',
    `postgres://ada:secret@db/x?schema=${'x'.repeat(59)}`,
  ]) {
    const problems = problemsOf(() => findBoard(memorySources({ env: { BOARD_DB } })))
    t.match(problems, [{ field: 'BOARD_DB' }], BOARD_DB)
    t.notMatch(JSON.stringify(problems), /secret/)
  }
})
