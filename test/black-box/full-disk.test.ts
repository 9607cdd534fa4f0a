import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { entry, toLines } from './entries.js'
import { FillingLedger, keysIn } from './filling-ledger.js'
import { fillDisk, mounting, mountSmallDisk } from './mounts.js'
import { refusedStart } from './running-server.js'

const FULL = { type: 'about:blank', status: 503, code: 'store_full', detail: /full/ }
const READS = [
  '/api/events',
  '/api/events?q=green',
  '/api/events?source=chat',
  '/api/events/event-1',
  '/api/stats',
  '/api/subscriptions',
]

t.setTimeout(600_000)

t.test('a full disk', mounting(), async t => {
  t.test(
    'the server refuses writes and serves reads while the disk is full, and accepts writes once there is room',
    async t => {
      const disk = mountSmallDisk(t, '6m')
      const ledger = new FillingLedger(t, disk)
      const server = await ledger.startHere()
      for (let n = 1; n <= 40; n += 1) t.equal((await ledger.post(server.http)).status, 201)
      fillDisk(join(disk.folder, 'filler'))
      await ledger.postUntilRefused(server.http)

      const batch = toLines([entry('batch-1'), entry('batch-2')])
      const refused = [
        await server.http.post('/api/events', entry('one-more')),
        await server.http.post('/api/events', batch, { type: 'application/x-ndjson' }),
        await server.http.post('/api/subscriptions', { id: 'watch', source: 'chat', target: 'stream:eng' }),
      ]
      for (const answer of refused) {
        t.equal(answer.headers['content-type'], 'application/problem+json')
        t.match(answer.json(), FULL)
      }
      const health = await server.http.get('/api/health')
      t.match(health.json(), { status: 'unavailable', code: 'store_full', database: ledger.database })
      for (const answer of [...refused, health]) {
        t.equal(answer.status, 503)
        t.match(answer.headers['retry-after'], /^\d+$/)
      }
      for (const path of READS) t.equal((await server.http.get(path)).status, 200, path)

      rmSync(join(disk.folder, 'filler'))
      t.equal((await ledger.post(server.http)).status, 201, 'it recovers automatically')
      t.equal((await server.http.get('/api/health')).status, 200)
      t.same(await keysIn(server.http), ledger.acknowledged, 'what was acknowledged is there, what was refused is not')
      await ledger.stop(server)
    },
  )

  t.test('a disk that large batches have filled loses no acknowledged event', async t => {
    const disk = mountSmallDisk(t, '20m')
    const ledger = new FillingLedger(t, disk)
    const ballast = join(disk.folder, 'ballast')
    writeFileSync(ballast, Buffer.alloc(12 * 1024 * 1024))
    const server = await ledger.startHere()
    let answer = await ledger.postBatch(server.http)
    while (answer.status === 200) answer = await ledger.postBatch(server.http)
    t.match(answer.json(), FULL)
    t.ok(ledger.acknowledged.length > 0, 'batches have filled it')
    t.same(await keysIn(server.http), ledger.acknowledged)
    rmSync(ballast)
    t.equal((await ledger.postBatch(server.http)).status, 200)
    t.same(await keysIn(server.http), ledger.acknowledged)
    await ledger.stop(server)
  })

  t.test(
    'after a kill on a full disk, no server starts until there is room, and then every event is there',
    async t => {
      const disk = mountSmallDisk(t, '6m')
      const ledger = new FillingLedger(t, disk)
      const killed = await ledger.start()
      for (let n = 1; n <= 40; n += 1) await ledger.post(killed.http)
      fillDisk(join(disk.folder, 'filler'))
      await ledger.postUntilRefused(killed.http)
      await killed.kill()
      const refusal = await refusedStart(t, ledger.options)
      t.match(refusal, { code: 75, error: { code: 'store_full', detail: /full/ }, err: '' })
      rmSync(join(disk.folder, 'filler'))
      const server = await ledger.startHere()
      t.same(await keysIn(server.http), ledger.acknowledged)
      await ledger.stop(server)
    },
  )
})
