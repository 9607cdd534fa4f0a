import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { FillingLedger, keysIn } from './filling-ledger.js'
import type { HttpClient } from './http-client.js'
import { type LoopDisk, mounting, mountLoopDisk, mountSmallDisk } from './mounts.js'
import { refusedStart } from './running-server.js'

const READ_ONLY = { status: 503, code: 'store_read_only', detail: /cannot be written/ }
const READS = ['/api/events', '/api/events?q=green', '/api/events/event-1', '/api/stats', '/api/subscriptions']

t.setTimeout(600_000)

t.test('a disk that cannot be written', mounting(), async t => {
  const loop = mounting({ loop: true })

  t.test(
    'while the disk is frozen, the server refuses writes and serves reads, and accepts writes after that',
    loop,
    async t => {
      const disk = mountLoopDisk(t, '24M')
      const ledger = new FillingLedger(t, disk)
      const server = await ledger.startHere()
      for (let n = 1; n <= 20; n += 1) await ledger.post(server.http)
      freeze(disk)
      const refused = [await ledger.post(server.http), await ledger.post(server.http)]
      for (const answer of refused) {
        t.match(answer.json(), READ_ONLY)
        t.match(answer.headers['retry-after'], /^\d+$/)
      }
      t.match((await server.http.get('/api/health')).json(), { status: 'unavailable', code: 'store_read_only' })
      await canBeRead(t, server)
      thaw(disk)
      t.equal((await ledger.post(server.http)).status, 201)
      t.equal((await server.http.get('/api/health')).status, 200)
      t.same(await keysIn(server.http), ledger.acknowledged)
      await ledger.stop(server)
    },
  )

  t.test(
    'after a failure of the disk, the server serves reads, and after the repair every event is there',
    loop,
    async t => {
      const disk = mountLoopDisk(t, '24M')
      const ledger = new FillingLedger(t, disk)
      const failing = await ledger.start()
      for (let n = 1; n <= 20; n += 1) await ledger.post(failing.http)
      disk.fail()
      t.match((await ledger.post(failing.http)).json(), READ_ONLY)
      await canBeRead(t, failing)
      t.same(await keysIn(failing.http), ledger.acknowledged)
      const { code, out } = await failing.stop()
      t.equal(code, 78, 'the owner file cannot be removed')
      t.match(JSON.parse(out.split('\n')[1] ?? ''), { error: { code: 'ledger_folder_read_only' } })
      disk.mend()
      const server = await ledger.startHere()
      t.same(await keysIn(server.http), ledger.acknowledged)
      await ledger.stop(server)
    },
  )

  t.test('a server that starts on a read-only disk reports it and changes nothing', async t => {
    const disk = mountSmallDisk(t, '24m')
    const ledger = new FillingLedger(t, disk)
    const killed = await ledger.start()
    for (let n = 1; n <= 20; n += 1) await ledger.post(killed.http)
    await killed.kill()
    disk.remount('ro')
    const before = readdirSync(disk.folder)
    const refusal = await refusedStart(t, ledger.options)
    t.match(refusal, { code: 78, error: { code: 'ledger_folder_read_only', detail: /mounted read-only/ }, err: '' })
    t.same(readdirSync(disk.folder), before)
    disk.remount('rw')
    const server = await ledger.startHere()
    t.same(await keysIn(server.http), ledger.acknowledged)
    await ledger.stop(server)
  })
})

/**
 * From now on no process may change the ledger's files, not even one that has them open. (A disk with files open for
 * writing cannot be mounted read-only by hand: the system refuses.)
 */
function freeze({ folder }: LoopDisk): void {
  execFileSync('chattr', ['+i', join(folder, 'events.db'), join(folder, 'events.db-wal'), folder])
}

function thaw({ folder }: LoopDisk): void {
  execFileSync('chattr', ['-i', folder, join(folder, 'events.db'), join(folder, 'events.db-wal')])
}

async function canBeRead(t: Test, { http }: { http: HttpClient }): Promise<void> {
  for (const path of READS) t.equal((await http.get(path)).status, 200, path)
}
