import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import t, { type Test } from 'tap'
import { openSessionDatabase } from '../../../../src/store/sqlite/board/session-database.js'
import { Database } from '../../../../src/store/sqlite/files/database.js'
import { testFolder } from '../../../support/test-folder.js'

const NOW = 1_800_000_000
const KEY = 'digest of the key in use'
const digest = (i: number) => i.toString(16).padStart(64, '0')

function open(t: Test, path = join(testFolder(t), 'sessions.sqlite3')) {
  const kept: string[] = []
  const database = openSessionDatabase(path, { onCorrupt: file => kept.push(file), now: () => NOW * 1000 })
  t.teardown(() => database.close())
  return { ...database, kept, path }
}

t.test('sessions and the salt survive a restart', async t => {
  const { sessions, path, close, kept } = open(t)
  t.match(sessions.salt, /^[0-9a-f]{32}$/)
  sessions.add({ digest: digest(1), key: KEY, expiresAt: NOW + 60 }, { now: NOW, max: 10 })
  close()
  const again = open(t, path)
  t.equal(again.sessions.salt, sessions.salt)
  t.equal(again.sessions.isLive(digest(1), KEY, NOW), true)
  t.not(open(t, `${path}-other`).sessions.salt, sessions.salt)
  t.same(kept, [])
})

t.test('a copy is complete, and readable only by its owner', async t => {
  const { sessions, copyTo, path } = open(t)
  sessions.add({ digest: digest(1), key: KEY, expiresAt: NOW + 60 }, { now: NOW, max: 10 })
  await copyTo(`${path}-copy`)
  t.equal(statSync(`${path}-copy`).mode & 0o777, 0o600)
  sessions.add({ digest: digest(2), key: KEY, expiresAt: NOW + 60 }, { now: NOW, max: 10 })
  await t.rejects(copyTo(`${path}-copy`), { category: 'conflict', code: 'file_exists' })
  const copy = open(t, `${path}-copy`)
  t.same([copy.sessions.count(), copy.sessions.salt], [1, sessions.salt])
})

/** A file as the release wrote it that kept no key with a session. */
function olderFile(t: Test, sessions: number): string {
  const path = join(testFolder(t), 'sessions.sqlite3')
  const older = new sqlite.Database(path)
  older.exec(`
    CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
    CREATE TABLE sessions (
      digest TEXT PRIMARY KEY, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO meta (name, value) VALUES ('salt', '${'5a'.repeat(16)}');
    PRAGMA user_version = 1`)
  for (let i = 0; i < sessions; i++) {
    older.run('INSERT INTO sessions VALUES (?, ?, ?)', [digest(i), NOW - sessions + i, NOW + 60])
  }
  older.close()
  return path
}

t.test(
  'sessions of a release that kept no key stay live after the upgrade, under the key of the first start',
  async t => {
    const { sessions, kept } = open(t, olderFile(t, 3))
    t.equal(sessions.salt, '5a'.repeat(16))
    t.equal(sessions.isLive(digest(0), KEY, NOW), false, 'not before it is known which key that is')
    sessions.keepSignedBy(KEY)
    t.equal(sessions.count(), 3)
    t.equal(sessions.isLive(digest(0), KEY, NOW), true)
    sessions.keepSignedBy('another')
    t.equal(sessions.count(), 0, 'and end with it')
    t.same(kept, [])
  },
)

t.test('in a store that was full before the upgrade, logins replace the oldest sessions', async t => {
  const { sessions } = open(t, olderFile(t, 3))
  sessions.keepSignedBy(KEY)
  const add = (i: number) => sessions.add({ digest: digest(i), key: KEY, expiresAt: NOW + 60 }, { now: NOW, max: 3 })
  t.same([add(10), add(11)], [true, true])
  t.same(
    [0, 1, 2, 10, 11].map(i => sessions.isLive(digest(i), KEY, NOW)),
    [false, false, true, true, true],
  )
  t.same([add(12), add(13)], [true, false], 'sessions whose key is known keep their place')
  t.equal(sessions.count(), 3)
})

/** A whole file of a few sessions. */
async function wholeFile(t: Test): Promise<Buffer> {
  const { sessions, close, path } = open(t)
  for (let i = 0; i < 200; i++)
    sessions.add({ digest: digest(i), key: KEY, expiresAt: NOW + 60 }, { now: NOW, max: 1024 })
  close()
  return readFileSync(path)
}

t.test('a damaged file is moved together with its WAL, and the board starts with a new one', async t => {
  const whole = await wholeFile(t)
  const damaged: [name: string, bytes: Buffer][] = [
    ['text', Buffer.from('these are not sessions')],
    ['noise', Buffer.alloc(9000, 7)],
    ['cut short', whole.subarray(0, 9000)],
    ['a beginning without its rest', Buffer.concat([whole.subarray(0, 100), Buffer.alloc(whole.length - 100, 0xff)])],
    ['pages that are empty', Buffer.concat([whole.subarray(0, 8192), Buffer.alloc(whole.length - 8192)])],
    ['no salt', Buffer.from(whole.toString('latin1').replaceAll('salt', 'tlas'), 'latin1')],
  ]
  for (const [name, bytes] of damaged) {
    await t.test(name, async t => {
      const path = join(testFolder(t), 'sessions.sqlite3')
      writeFileSync(path, bytes)
      const { sessions, kept } = open(t, path)
      t.same(kept, [`${path}.corrupt-${NOW}`])
      t.same(readFileSync(kept[0] ?? '').subarray(0, 50), bytes.subarray(0, 50), 'nothing is thrown away')
      t.equal(sessions.count(), 0)
      t.equal(sessions.add({ digest: digest(1), key: KEY, expiresAt: NOW + 60 }, { now: NOW, max: 1 }), true)
    })
  }
})

t.test('files that are moved in the same second have different names', async t => {
  const path = join(testFolder(t), 'sessions.sqlite3')
  const kept: string[] = []
  for (let i = 0; i < 3; i++) {
    writeFileSync(path, `damage ${i} `.repeat(100))
    const opened = open(t, path)
    kept.push(...opened.kept)
    opened.close()
  }
  t.same(
    kept,
    [0, 1, 2].map(later => `${path}.corrupt-${NOW + later}`),
  )
  for (const [i, file] of kept.entries()) t.match(readFileSync(file, 'utf8'), `damage ${i}`)
  t.equal(readdirSync(join(path, '..')).filter(name => name.includes('corrupt')).length, 3)
})

t.test('a file of another program, or of a newer release, is not changed', async t => {
  const path = join(testFolder(t), 'sessions.sqlite3')
  const other = new sqlite.Database(path)
  other.exec('CREATE TABLE sessions (sid TEXT, data TEXT); CREATE TABLE meta (x)')
  other.close()
  t.throws(() => open(t, path), { category: 'configuration', code: 'store_foreign' })

  const newer = `${path}-newer`
  open(t, newer).close()
  const raised = new Database(newer, { noun: 'session', refuseForeign: () => {} })
  raised.exec('PRAGMA user_version = 99')
  raised.close()
  t.throws(() => open(t, newer), { category: 'configuration', code: 'store_newer' })
  t.notOk(existsSync(`${newer}.corrupt-${NOW}`))
})
