import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { claimFile, parseClaim } from '../../../../src/store/sqlite/owner/claim.js'
import { parseOwner, readOwner } from '../../../../src/store/sqlite/owner/owner-record.js'
import { SilenceWatch } from '../../../../src/store/sqlite/owner/silence-watch.js'
import { testFolder } from '../../../support/test-folder.js'
import { own, recordWith, refusalOf, runProgram, shortFolder } from './owner-rig.js'

/** On a busy machine a candidate may need several tries to be elected. */
const PATIENT_MS = 20_000
const fresh = (t: Test) => join(shortFolder(t), 'events.db')
const beside = (database: string) => readdirSync(dirname(database)).sort()
const plant = async (database: string, changes: Parameters<typeof recordWith>[0]) =>
  writeFileSync(`${database}.owner`, JSON.stringify(await recordWith(changes)))

t.test('a ledger without an owner is acquired immediately, and a release leaves no file', async t => {
  const database = join(testFolder(t), 'new', 'folder', 'events.db')
  const ownership = await own(t, { database, role: 'server', socket: `${database}.sock` })
  t.match(await readOwner(database), { pid: process.pid, role: 'server', socket: `${database}.sock` })
  t.match(ownership.record.since, /^2031-05-04T09:00:00\.\d{6}Z$/)
  t.same(beside(database), ['events.db-shm', 'events.db.owner'])
  t.equal(statSync(`${database}.owner`).mode & 0o777, 0o600)
  t.equal(statSync(dirname(database)).mode & 0o777, 0o700)
  await ownership.release()
  await ownership.release()
  t.same(beside(database), [])
})

t.test('a server that owns the ledger is reported immediately, with its address', async t => {
  const database = fresh(t)
  const server = await own(t, { database, role: 'server' })
  await server.announce({ address: 'http://127.0.0.1:8765' })
  await t.rejects(own(t, { database, waitMs: 3_600_000 }), {
    category: 'conflict',
    code: 'ledger_owned',
    message: `The database ${database} is open in process ${process.pid} (server at http://127.0.0.1:8765). Use that server, stop it first, or choose another database.`,
  })
  t.same(beside(database), ['events.db-shm', 'events.db.owner'])
})

t.test('a starter waits for a command that owns the ledger', async t => {
  const database = fresh(t)
  const command = await own(t, { database })
  t.equal(await refusalOf(own(t, { database, waitMs: 50 })), 'conflict/ledger_owned')
  const next = own(t, { database, waitMs: 60_000 })
  await sleep(100)
  await command.release()
  t.not((await next).record.nonce, command.record.nonce)
})

t.test('two spellings of a path are one ledger, even before the file exists', async t => {
  const folder = testFolder(t)
  mkdirSync(join(folder, 'real'))
  symlinkSync('real', join(folder, 'linked-folder'))
  symlinkSync(join('real', 'events.db'), join(folder, 'linked.db'))
  const ownership = await own(t, { database: join(folder, 'linked.db') })
  t.equal(ownership.database, join(folder, 'real', 'events.db'))
  for (const spelling of ['real/events.db', 'linked-folder/events.db', 'real/../linked.db']) {
    t.equal(await refusalOf(own(t, { database: join(folder, spelling) })), 'conflict/ledger_owned', spelling)
  }
  symlinkSync('nowhere/../loop.db', join(folder, 'loop.db'))
  t.equal(await refusalOf(own(t, { database: join(folder, 'loop.db') })), 'configuration/ledger_path_loop')
})

t.test('a dead owner is replaced immediately', async t => {
  const gone = spawnSync(process.execPath, ['-e', '0'])
  const deaths = [
    { name: 'its process is gone', changes: { pid: gone.pid } },
    { name: 'its pid was given to a process that started later', changes: { started: '1' } },
    { name: 'the machine was started again', changes: { boot: 'b'.repeat(12) } },
  ]
  for (const { name, changes } of deaths) {
    const database = fresh(t)
    await plant(database, changes)
    const ownership = await own(t, { database, silenceMs: 3_600_000 })
    t.equal((await readOwner(database))?.nonce, ownership.record.nonce, name)
    await ownership.release()
  }
})

t.test('a killed owner leaves no file that needs manual repair', async t => {
  const database = fresh(t)
  const holder = runProgram(t, 'holder', [database, 'server', `${database}.sock`])
  t.equal(await holder.line('owned'), 'owned')
  mkdirSync(`${database}.lock`)
  t.equal(await refusalOf(own(t, { database })), 'conflict/ledger_owned')
  holder.child.kill('SIGKILL')
  await holder.end
  t.same(beside(database), ['events.db-shm', 'events.db.lock', 'events.db.owner', 'events.db.sock'])
  const ownership = await own(t, { database, role: 'server', socket: `${database}.sock` })
  t.same(beside(database), ['events.db-shm', 'events.db.owner'])
  await ownership.release()
  t.same(beside(database), [])
})

t.test('claims of dead processes and half-written owner files are removed', async t => {
  const database = fresh(t)
  const dead = await recordWith({ started: '1' })
  writeFileSync(claimFile(database, { ...dead, nonce: '0000000000000001' }), '')
  writeFileSync(claimFile(database, { ...dead, nonce: 'ffffffffffffffff' }), '')
  writeFileSync(`${database}.owner.0123456789abcdef.tmp`, '{"pid":12')
  writeFileSync(`${database}.owner.notes`, 'not ours')
  const ownership = await own(t, { database })
  t.same(beside(database), ['events.db-shm', 'events.db.owner', 'events.db.owner.notes'])
  await ownership.release()
  t.same(beside(database), ['events.db.owner.notes'])
})

t.test('a living rival that does not finish is reported by its pid', async t => {
  const database = fresh(t)
  writeFileSync(claimFile(database, { ...(await recordWith({})), nonce: '0000000000000000' }), '')
  await t.rejects(own(t, { database }), { code: 'ledger_contended', message: new RegExp(`${process.pid}`) })
  t.equal(beside(database).length, 1, 'its own claim is withdrawn')
})

t.test('an owner of another container or machine', async t => {
  const elsewhere = { namespace: '1' }
  t.test('an owner on another machine counts as dead after a long enough silence, and not before', async t => {
    const database = fresh(t)
    await plant(database, elsewhere)
    const before = performance.now()
    await own(t, { database, waitMs: PATIENT_MS })
    t.ok(performance.now() - before >= 290, 'timers may be a little early')
  })
  t.test('an owner is alive while its heartbeat continues', async t => {
    const database = fresh(t)
    await plant(database, { machine: 'a'.repeat(12), boot: 'b'.repeat(12) })
    let at = 1_900_000_000
    const heart = setInterval(() => {
      at += 1
      utimesSync(`${database}.owner`, at, at)
    }, 30)
    t.equal(await refusalOf(own(t, { database, silenceMs: 1_000 })), 'conflict/ledger_owned')
    clearInterval(heart)
  })
  t.test('an owner is alive while its socket answers, even without a heartbeat', async t => {
    const database = fresh(t)
    const server = createServer(connection => connection.end()).listen(join(dirname(database), 's'))
    t.teardown(() => server.close())
    await plant(database, { ...elsewhere, socket: join(dirname(database), 's') })
    t.equal(await refusalOf(own(t, { database })), 'conflict/ledger_owned')
  })
  t.test('a claim of another machine that does not change counts as dead', async t => {
    const database = fresh(t)
    writeFileSync(claimFile(database, { ...(await recordWith(elsewhere)), nonce: '0000000000000000' }), '')
    await own(t, { database, waitMs: PATIENT_MS })
    t.same(beside(database), ['events.db-shm', 'events.db.owner'])
  })
})

t.test('an unreadable owner file is replaced after a while', async t => {
  const garbage = [
    '',
    '{',
    'null',
    '[]',
    '{"pid":-1}',
    '\u0000'.repeat(500),
    JSON.stringify({ pid: 1, role: 'server' }),
  ]
  const folder = testFolder(t)
  await Promise.all(
    garbage.map(async (text, index) => {
      const database = join(folder, `${index}.db`)
      writeFileSync(`${database}.owner`, text)
      const ownership = await own(t, { database, waitMs: PATIENT_MS })
      t.equal((await readOwner(database))?.nonce, ownership.record.nonce, JSON.stringify(text.slice(0, 20)))
      await ownership.release()
    }),
  )
})

t.test('an owner that loses its owner file is notified once, and then changes no file', async t => {
  for (const change of ['removed', 'replaced'] as const) {
    const database = fresh(t)
    const successors: (number | undefined)[] = []
    const ownership = await own(t, { database, onLost: successor => successors.push(successor?.pid) })
    if (change === 'removed') rmSync(`${database}.owner`)
    else await plant(database, { pid: 1 })
    await t.rejects(ownership.announce({ address: 'http://127.0.0.1:1' }), { code: 'ledger_lost' })
    await sleep(150)
    t.same(successors, [change === 'removed' ? undefined : 1], change)
    const left = beside(database)
    await ownership.release()
    t.same(beside(database), left, 'the guard and the record belong to the successor')
  }
})

t.test('the heartbeat continues during the ownership', async t => {
  const database = fresh(t)
  await own(t, { database })
  const first = statSync(`${database}.owner`, { bigint: true }).mtimeNs
  while (statSync(`${database}.owner`, { bigint: true }).mtimeNs === first) await sleep(10)
  t.pass('its file has a later time')
})

t.test('an unusable folder is refused with its path', async t => {
  const folder = shortFolder(t)
  writeFileSync(join(folder, 'file'), 'not a folder')
  t.equal(
    await refusalOf(own(t, { database: join(folder, 'file', 'events.db') })),
    'configuration/ledger_folder_missing',
  )
  // Node's recursive `mkdir` never ends there.
  t.match(await refusalOf(own(t, { database: '/proc/nowhere/events.db' })), /^configuration\/ledger_folder_/)
  const long = join(folder, `${'n'.repeat(240)}.db`)
  t.equal(await refusalOf(own(t, { database: long })), 'configuration/ledger_folder_missing')
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'sub'), { mode: 0o555 })
  const root = process.geteuid?.() === 0
  // Root may do everything, so the test changes its user for a moment.
  if (root) process.seteuid?.(65_534)
  try {
    t.equal(
      await refusalOf(own(t, { database: join(folder, 'sub', 'events.db') })),
      'configuration/ledger_folder_denied',
    )
  } finally {
    if (root) process.seteuid?.(0)
  }
})

t.test('a foreign file in the way is reported and not changed', async t => {
  const database = fresh(t)
  mkdirSync(`${database}.lock/of-another-program`, { recursive: true })
  t.equal(await refusalOf(own(t, { database })), 'configuration/ledger_lock_foreign')
  rmSync(`${database}.lock`, { recursive: true })
  writeFileSync(`${database}.lock`, 'a file')
  t.match(await refusalOf(own(t, { database })), /^configuration\/ledger_lock_/)
  t.equal(readFileSync(`${database}.lock`, 'utf8'), 'a file')
  rmSync(`${database}.lock`)
  writeFileSync(`${database}.sock`, 'a file')
  t.equal(await refusalOf(own(t, { database, socket: `${database}.sock` })), 'configuration/socket_path_taken')
  t.equal(readFileSync(`${database}.sock`, 'utf8'), 'a file')
  t.same(beside(database), ['events.db.sock'], 'the refused owner has let go')
})

t.test('the write-ahead log of the last owner is not changed', async t => {
  const database = fresh(t)
  writeFileSync(`${database}-wal`, 'acknowledged events')
  const ownership = await own(t, { database })
  await ownership.release()
  t.equal(readFileSync(`${database}-wal`, 'utf8'), 'acknowledged events')
})

t.test('owner files and claims with any text are read without failure, and written ones are read back', async t => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), text => parseOwner(text) === undefined))
  fc.assert(fc.property(fc.string(), suffix => parseClaim(suffix) === undefined))
  const record = await recordWith({ socket: '/run/x.sock', address: 'http://[::1]:1' })
  t.same(parseOwner(JSON.stringify(record)), record)
  const { pid, started, machine, boot, namespace, nonce } = record
  const claim = { pid, started, machine, boot, namespace, nonce }
  t.same(parseClaim(claimFile('/x/events.db', claim).slice('/x/events.db.owner.'.length)), claim)
})

t.test('a gap between two observations does not count as silence', async t => {
  let now = 0
  const watch = new SilenceWatch(800, () => now)
  const look = (after: number, fingerprint = 'a') => {
    now += after
    return watch.observe('key', fingerprint)
  }
  t.same([look(0), look(100), look(1_000_000), look(1_000_000)], ['unknown', 'unknown', 'unknown', 'unknown'])
  t.same([look(100), look(100), look(100), look(100), look(100)].at(-1), 'silent')
  t.same([look(100, 'b'), look(100, 'b'), look(100, 'c')], ['beating', 'beating', 'beating'])
})
