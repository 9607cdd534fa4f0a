import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { BackupSchedule, type BackupScheduleParts } from '../../../src/runtime/backup/backup-schedule.js'
import { openSqliteStore } from '../../../src/store/sqlite/store.js'
import { messageCreated } from '../../support/events.js'
import { testFolder } from '../../support/test-folder.js'
import { until } from '../../support/until.js'

const NINE = Date.UTC(2031, 4, 4, 9)
const HOUR_MS = 3_600_000

interface Options {
  /** Names and texts of files that are in the folder of the backups. */
  files?: Record<string, string>
  /** Names of folders that are there. */
  folders?: string[]
  settings?: Partial<BackupScheduleParts['settings']>
  /** How long the clock moves between two readings. */
  stepMs?: number
  copyTo?: BackupScheduleParts['copyTo']
}

/** A schedule of a ledger with one event, which begins at nine o'clock. */
async function schedule(t: Test, { files = {}, folders = [], settings = {}, stepMs = 0, copyTo }: Options = {}) {
  const folder = testFolder(t, files)
  for (const name of folders) mkdirSync(join(folder, name))
  const path = join(testFolder(t), 'events.db')
  const store = await openSqliteStore({ path, clock: () => NINE * 1_000, onFailure: error => t.fail(`${error}`) })
  t.teardown(() => store.close())
  await store.events.record([messageCreated('1')])
  const log: [level: string, about: Record<string, unknown>, text: string][] = []
  const write = (level: string) => (about: Record<string, unknown>, text: string) => void log.push([level, about, text])
  const logger = { info: write('info'), warn: write('warn'), error: write('error') }
  let readings = 0
  const started = new BackupSchedule({
    settings: { folder, everyMs: HOUR_MS, keep: 2, ...settings },
    copyTo: copyTo ?? store.copyTo,
    logger: logger as unknown as BackupScheduleParts['logger'],
    now: () => NINE + readings++ * stepMs,
  })
  t.teardown(() => started.stop())
  const backups = () => readdirSync(folder).filter(name => name.startsWith('ledger-'))
  return { folder, log, backups, readings: () => readings, stop: () => started.stop(), newest: () => started.newest }
}

t.test('the schedule makes the first backup immediately, and names it after its time', async t => {
  const { folder, log, backups, newest } = await schedule(t)
  t.equal(newest(), undefined)
  await until(() => log.length > 0)
  t.equal(newest(), NINE)
  t.match(log, [['info', { events: 1, head: '2031-05-04T09:00:00.000000Z' }, 'backed the ledger up']])
  t.same(backups(), ['ledger-20310504T090000Z.db.gz'])
  const bytes = gunzipSync(readFileSync(join(folder, 'ledger-20310504T090000Z.db.gz')))
  t.equal(bytes.subarray(0, 15).toString(), 'SQLite format 3')
})

t.test('a backup folder that cannot be created is reported with its setting', async t => {
  const { log } = await schedule(t, { settings: { folder: '/proc/nowhere/backups' } })
  await until(() => log.length > 0)
  const detail = /^The folder \/proc\/nowhere\/backups, .* cannot be created or read \(ENOENT\).*EVENT_BACKUP_DIR/
  t.match(log, [['error', { code: 'backup_folder_unusable', detail }, 'the backup failed']])
  const { log: ofFile } = await schedule(t, { settings: { folder: process.execPath } })
  await until(() => ofFile.length > 0)
  t.match(ofFile, [['error', { code: 'backup_folder_unusable', detail: /ENOTDIR/ }, 'the backup failed']])
})

t.test('the schedule keeps the newest backups and files of other names', async t => {
  const files = { 'ledger-notes.txt': 'mine', 'ledger-20310501T090000Z.db.gz': 'old' }
  const { log, backups, stop } = await schedule(t, { files, settings: { everyMs: 1 }, stepMs: 10_000 })
  await until(() => log.length > 3)
  await stop()
  const names = backups()
  t.equal(names.length, 3)
  t.ok(names.includes('ledger-notes.txt'))
  const made = log.map(([, { path }]) => String(path))
  t.same(
    names.slice(0, 2),
    made.slice(-2).map(path => path.slice(path.lastIndexOf('/') + 1)),
  )
})

t.test(
  'the schedule removes backups in the order in which they were made, even after the clock was set back',
  async t => {
    const files = { 'ledger-20320501T090000Z.db.gz': 'ahead', 'ledger-20320501T100000Z.db.gz': 'ahead' }
    const { log, backups, stop } = await schedule(t, { files, settings: { everyMs: 1 }, stepMs: 10_000 })
    await until(() => log.length > 2)
    await stop()
    t.same(backups().length, 2)
    t.same(
      backups().filter(name => name.startsWith('ledger-2032')),
      [],
    )
  },
)

t.test('a complete backup succeeds even if an old one cannot be removed', async t => {
  const folders = ['ledger-20310501T090000Z.db.gz']
  const { log, newest } = await schedule(t, { folders, settings: { keep: 1 } })
  await until(() => log.length > 1)
  t.match(log, [
    ['info', {}, 'backed the ledger up'],
    ['warn', { path: /ledger-20310501T090000Z/, detail: /EISDIR|directory/i }, 'an old backup cannot be removed'],
  ])
  t.equal(newest(), NINE)
})

t.test('a backup of an earlier server counts for the interval', async t => {
  const files = { 'ledger-20310504T083000Z.db.gz': 'recent' }
  const { backups, readings, stop, newest } = await schedule(t, { files })
  await until(() => readings() > 1)
  await stop()
  t.same(backups(), ['ledger-20310504T083000Z.db.gz'])
  t.equal(newest(), NINE - HOUR_MS / 2)
})

t.test('the schedule removes the files of an interrupted backup', async t => {
  const name = 'ledger-20310504T083000Z.db.gz'
  const files = { [name]: '', [`${name}.part`]: 'half', [`${name}.part.db`]: 'half', [`${name}.part.db.part`]: '' }
  const { log, backups } = await schedule(t, { files })
  await until(() => log.length > 0)
  t.same(backups(), ['ledger-20310504T090000Z.db.gz'])
})

t.test('the schedule removes the files of a server that was killed during the check of a backup', async t => {
  const name = 'ledger-20310504T083000Z.db.gz'
  const copy = `${name}.part.db`
  const files = { [name]: '', [copy]: 'half', [`${copy}-journal`]: 'a journal' }
  const { log, backups } = await schedule(t, { files, folders: [`${copy}.lock`] })
  await until(() => log.length > 0)
  t.match(log, [['info', { events: 1 }, 'backed the ledger up']])
  t.same(backups(), ['ledger-20310504T090000Z.db.gz'])
})

t.test('a failed backup is logged and retried, and the older ones stay', async t => {
  const files = { 'ledger-20310501T090000Z.db.gz': 'old' }
  let tries = 0
  const copyTo = async () => {
    tries++
    throw new AppError('unavailable', 'store_full', 'The disk is full.')
  }
  const { log, backups, stop, newest } = await schedule(t, { files, copyTo, settings: { everyMs: 1, keep: 1 } })
  await until(() => tries > 1)
  await stop()
  t.match(log[0], ['error', { code: 'store_full', detail: 'The disk is full.' }, 'the backup failed'])
  t.same(backups(), ['ledger-20310501T090000Z.db.gz'])
  t.equal(newest(), NINE - 3 * 24 * HOUR_MS, 'a failure is not a backup')
})

t.test('a stopped schedule leaves no incomplete backup', async t => {
  let hasBegun = false
  const copyTo: BackupScheduleParts['copyTo'] = (path, signal) => {
    writeFileSync(path, 'half')
    hasBegun = true
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const { log, backups, stop } = await schedule(t, { copyTo })
  await until(() => hasBegun)
  await stop()
  t.same([log, backups()], [[], []])
})

t.test('a schedule that is stopped during the check of a copy leaves no file', async t => {
  let stopped: Promise<void> | undefined
  const copyTo: BackupScheduleParts['copyTo'] = async path => {
    writeFileSync(path, 'whole')
    // SQLite's, which outlive a thread that ends in the middle of its work.
    mkdirSync(`${path}.lock`)
    writeFileSync(`${path}-journal`, 'a journal')
    await until(() => stopped !== undefined)
  }
  const { log, backups, stop } = await schedule(t, { copyTo })
  await until(() => backups().some(name => name.endsWith('-journal')))
  stopped = stop()
  await stopped
  t.same([log, backups()], [[], []])
})
