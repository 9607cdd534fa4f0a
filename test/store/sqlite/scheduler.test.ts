import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import type { EventPage } from '../../../src/model/event-query.js'
import { Engine } from '../../../src/store/sqlite/engine.js'
import type { StoreReply, StoreRequest } from '../../../src/store/sqlite/protocol.js'
import { Scheduler } from '../../../src/store/sqlite/scheduler.js'

const SEARCHES = 40
const SLICE_MS = 5

t.test('a write waits for a few slices, however many searches go on', async t => {
  let slices = 0
  class Searching extends Engine {
    override *query(): Generator<void, EventPage> {
      for (;;) {
        const until = performance.now() + SLICE_MS
        while (performance.now() < until);
        slices++
        yield
      }
    }
  }
  const engine = new Searching(join(t.testdir(), 'events.db'))
  const { port1: here, port2: there } = new MessageChannel()
  new Scheduler(engine, there)
  const ask = (request: StoreRequest) => here.postMessage(request)
  const answered = new Promise<number>(resolve => {
    here.on('message', ([reply]: StoreReply[]) => {
      if (reply?.id === 0) resolve(slices)
    })
  })
  for (let id = 1; id <= SEARCHES; id++) {
    ask({ id, kind: 'query', task: { task: 'query', query: { order: 'asc', limit: 1 } } })
  }
  while (slices === 0) await new Promise(setImmediate)
  const before = slices
  ask({ id: 0, kind: 'write', task: { task: 'probe' } })
  t.ok((await answered) - before < SEARCHES / 2)

  for (let id = 1; id <= SEARCHES; id++) ask({ id, kind: 'abort' })
  ask({ id: 99, kind: 'close' })
  await new Promise(resolve => here.once('close', resolve))
})
