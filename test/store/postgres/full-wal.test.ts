import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { mounting, mountSmallDisk } from '../../black-box/mounts.js'
import { messageCreated } from '../../support/events.js'
import { giveToServer, TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { checkAll, keepWriting } from '../../support/postgres/keep-writing.js'

const programs = findPostgres()
const { skip } = mounting()
t.setTimeout(600_000)

t.test(
  'PostgreSQL whose disk for the WAL is full refuses events, and records them again when there is room',
  { skip: programs === undefined ? 'there is no PostgreSQL server' : skip },
  async t => {
    // No checkpoint frees a segment of the WAL.
    const settings = ['fsync=on', 'recovery_init_sync_method=syncfs', 'checkpoint_timeout=1h', 'max_wal_size=1GB']
    const cluster = await TestCluster.start(t, programs as string, settings)
    const store = await openPostgresStore({ address: cluster.newAddress() })
    await cluster.stop('SIGINT')
    const disk = mountSmallDisk(t, '33m')
    const wal = join(cluster.folder, 'data', 'pg_wal')
    cpSync(wal, disk.folder, { recursive: true })
    rmSync(wal, { recursive: true })
    symlinkSync(disk.folder, wal)
    const moved = readdirSync(disk.folder).map(name => join(disk.folder, name))
    for (const path of [disk.beside, disk.folder, ...moved]) await giveToServer(path)
    await cluster.launch()

    const acknowledged: string[] = []
    const codes = new Set<string>()
    const record = async (key: string) => {
      const payload = { text: randomBytes(300_000).toString('base64') }
      try {
        await store.events.record([messageCreated(key, { payload })])
        acknowledged.push(key)
        return true
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        codes.add(`${error.category}/${error.code}`)
        return false
      }
    }
    let at = 0
    while (await record(`large ${at}`)) at++
    t.ok(at > 10, `${at} events fit`)
    // PostgreSQL may end all connections, and end itself when it cannot recover for want of room.
    for (let tries = 0; tries < 10; tries++) {
      t.notOk(await record(`large ${at}`), 'it stays full')
      await sleep(50)
    }
    t.comment([...codes].join(', '))
    for (const code of codes) t.match(code, /^unavailable\/store_(?:full|failed)$/)

    execFileSync('mount', ['-o', 'remount,size=400m', disk.folder])
    // PostgreSQL ends itself, or still recovers: then its service manager starts it again.
    await cluster.stop('SIGINT')
    await cluster.launch()
    const writer = keepWriting([store], 'small')
    while (!(await record(`large ${at}`))) await sleep(50)
    await writer.stop()
    await checkAll(t, store, [...acknowledged, ...writer.acknowledged])
    await store.close()
  },
)
