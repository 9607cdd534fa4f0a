import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import type { EventPage } from '../../../src/model/event-query.js'
import { Engine } from '../../../src/store/sqlite/engine.js'
import type { PackedRows } from '../../../src/store/sqlite/packed-rows.js'
import type { StoreReply, StoreRequest, WriteTask } from '../../../src/store/sqlite/protocol.js'
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

t.test('what was sent before a large write, or after it, has a commit of its own', async t => {
  const commits: string[][] = []
  const LARGE = 5 * 1024 * 1024
  class Committing extends Engine {
    override commit(tasks: readonly WriteTask[]): unknown[] {
      commits.push(tasks.map(task => task.task))
      return tasks.map(() => undefined)
    }
  }
  const { port1: here, port2: there } = new MessageChannel()
  new Scheduler(new Committing(join(t.testdir(), 'events.db')), there)
  const rows: PackedRows = {
    ...{ count: 1, texts: '', buffer: new ArrayBuffer(LARGE), start: 0 },
    ...{ unanswered: [], matches: '[]' },
  }
  here.on('message', () => {}) // or nothing would keep the test alive
  const tasks: WriteTask[] = [{ task: 'probe' }, { task: 'probe' }, { task: 'record', rows, now: 1 }, { task: 'probe' }]
  for (const [id, task] of tasks.entries()) here.postMessage({ id, kind: 'write', task } satisfies StoreRequest)
  here.postMessage({ id: 99, kind: 'close' } satisfies StoreRequest)
  await new Promise(resolve => here.once('close', resolve))
  t.same(commits, [['probe', 'probe'], ['record'], ['probe']])
})

t.test('whoever came during a long commit has an answer before the search index goes on', async t => {
  const happened: string[] = []
  class Slow extends Engine {
    override get unindexed(): number {
      return happened.includes('commit') && !happened.includes('index') ? 1 : 0
    }
    override commit(tasks: readonly WriteTask[]): unknown[] {
      const until = performance.now() + 100
      while (performance.now() < until);
      happened.push('commit')
      here.postMessage({ id: 2, kind: 'read', task: { task: 'stats' } } satisfies StoreRequest)
      return tasks.map(() => undefined)
    }
    override read(): unknown {
      happened.push('read')
      return undefined
    }
    override advanceIndex(): number {
      happened.push('index')
      return 1
    }
  }
  const { port1: here, port2: there } = new MessageChannel()
  new Scheduler(new Slow(join(t.testdir(), 'events.db')), there)
  here.postMessage({ id: 1, kind: 'write', task: { task: 'probe' } } satisfies StoreRequest)
  while (happened.length < 3) await new Promise(setImmediate)
  here.on('message', () => {}) // or nothing would keep the test alive
  here.postMessage({ id: 99, kind: 'close' } satisfies StoreRequest)
  await new Promise(resolve => here.once('close', resolve))
  t.same(happened, ['commit', 'read', 'index'])
})

t.test('where every turn is long, the search index goes on all the same', async t => {
  let indexed = 0
  let isOver = false
  class Burdened extends Engine {
    override get unindexed(): number {
      return 1_000
    }
    override get appended(): number {
      return indexed
    }
    override commit(tasks: readonly WriteTask[]): unknown[] {
      if (!isOver) write() // one always waits
      const until = performance.now() + 15
      while (performance.now() < until);
      return tasks.map(() => undefined)
    }
    override advanceIndex(): number {
      return ++indexed
    }
  }
  const { port1: here, port2: there } = new MessageChannel()
  const write = () => here.postMessage({ id: 1, kind: 'write', task: { task: 'probe' } } satisfies StoreRequest)
  here.on('message', () => {}) // or nothing would keep the test alive
  new Scheduler(new Burdened(join(t.testdir(), 'events.db')), there)
  write()
  while (indexed < 3) await new Promise(setImmediate)
  t.pass('while writes went on')
  isOver = true
  here.postMessage({ id: 2, kind: 'close' } satisfies StoreRequest)
  await new Promise(resolve => here.once('close', resolve))
})
