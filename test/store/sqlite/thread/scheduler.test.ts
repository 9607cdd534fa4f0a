import { join } from 'node:path'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import t from 'tap'
import type { EventPage, EventQuery } from '../../../../src/model/events/event-query.js'
import { Engine } from '../../../../src/store/sqlite/engine.js'
import type { StoreReply, StoreRequest, TaskCall } from '../../../../src/store/sqlite/thread/protocol.js'
import { Scheduler } from '../../../../src/store/sqlite/thread/scheduler.js'
import {
  encodeWithoutInstants,
  type PackedEvents,
  packEvents,
} from '../../../../src/store/sqlite/write/packed-events.js'
import { messageCreated } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'
import { userNamed } from '../../user-store-conformance.js'

const SEARCHES = 40
const SLICE_MS = 5

t.test('a write waits for a few slices, regardless of the number of searches', async t => {
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
  const engine = new Searching(join(testFolder(t), 'events.db'))
  const { port1: here, port2: there } = new MessageChannel()
  new Scheduler(engine, there)
  const ask = (request: StoreRequest) => here.postMessage(request)
  const answered = new Promise<number>(resolve => {
    here.on('message', ([reply]: StoreReply[]) => {
      if (reply?.id === 0) resolve(slices)
    })
  })
  for (let id = 1; id <= SEARCHES; id++) {
    ask({ id, kind: 'query', task: 'events.query', args: [{ order: 'asc', limit: 1 }] })
  }
  while (slices === 0) await new Promise(setImmediate)
  const before = slices
  ask({ id: 0, kind: 'write', task: 'events.probe', args: [] })
  t.ok((await answered) - before < SEARCHES / 2)

  for (let id = 1; id <= SEARCHES; id++) ask({ id, kind: 'abort' })
  ask({ id: 99, kind: 'close' })
  await new Promise(resolve => here.once('close', resolve))
})

t.test(
  'a quick query waits for a few slices of slow ones, which advance regardless of the number of quick ones',
  async t => {
    const slices: string[] = []
    class Searching extends Engine {
      override *query({ args }: TaskCall): Generator<void, EventPage> {
        const [{ limit }] = args as [EventQuery]
        const isSlow = limit === 500
        for (let slice = 0; isSlow || slice < 4; slice++) {
          slices.push(isSlow ? 'slow' : 'quick')
          const until = performance.now() + (isSlow ? SLICE_MS : 0)
          while (performance.now() < until);
          yield
        }
        return {} as EventPage
      }
    }
    const { port1: here, port2: there } = new MessageChannel()
    new Scheduler(new Searching(join(testFolder(t), 'events.db')), there)
    const ask = (id: number, limit: number) =>
      here.postMessage({
        id,
        kind: 'query',
        task: 'events.query',
        args: [{ order: 'asc', limit }],
      } satisfies StoreRequest)
    const replies = collectReplies(here)
    for (let id = 1; id <= SEARCHES; id++) ask(id, 500)
    while (slices.length <= SEARCHES) await new Promise(setImmediate)
    const waits: number[] = []
    for (let id = SEARCHES + 1; id <= SEARCHES + 9; id++) {
      const before = slices.length
      ask(id, 1)
      while (!replies.has(id)) await new Promise(setImmediate)
      waits.push(slices.slice(before).filter(slice => slice === 'slow').length)
    }
    t.ok(
      waits.every(wait => wait > 0),
      'slow ones advance',
    )
    // A busy machine may stop the thread in a slice of any of them.
    const median = waits.toSorted((left, right) => left - right)[4] as number
    t.ok(median < SEARCHES / 2, `${median} slices of slow ones until the answer`)
    for (let id = 1; id <= SEARCHES; id++) here.postMessage({ id, kind: 'abort' } satisfies StoreRequest)
    here.postMessage({ id: 99, kind: 'close' } satisfies StoreRequest)
    await new Promise(resolve => here.once('close', resolve))
  },
)

t.test('an aborted query runs no further slice', async t => {
  const slices = new Map<number, number>()
  class Searching extends Engine {
    override *query({ args }: TaskCall): Generator<void, EventPage> {
      const [{ from = 0 }] = args as [EventQuery]
      for (;;) {
        slices.set(from, (slices.get(from) ?? 0) + 1)
        yield
      }
    }
  }
  const { port1: here, port2: there } = new MessageChannel()
  new Scheduler(new Searching(join(testFolder(t), 'events.db')), there)
  const ask = (request: StoreRequest) => here.postMessage(request)
  for (const id of [1, 2]) {
    ask({ id, kind: 'query', task: 'events.query', args: [{ order: 'asc', limit: 1, from: id }] })
  }
  while (!slices.get(1)) await new Promise(setImmediate)
  ask({ id: 1, kind: 'abort' })
  const replies = collectReplies(here)
  ask({ id: 3, kind: 'read', task: 'users.isClosed', args: [] }) // arrives after the abort
  while (!replies.has(3)) await new Promise(setImmediate)
  const [aborted = 0, other = 0] = [slices.get(1), slices.get(2)]
  while ((slices.get(2) ?? 0) < other + 10) await new Promise(setImmediate)
  t.equal(slices.get(1), aborted, 'while the other continued')

  ask({ id: 2, kind: 'abort' })
  ask({ id: 4, kind: 'close' })
  await new Promise(resolve => here.once('close', resolve))
})

t.test('a write waits for a few reads, regardless of their number and size', async t => {
  let read = 0
  class Reading extends Engine {
    override read(): unknown {
      read++
      return new Uint8Array(4 * 1024 * 1024)
    }
  }
  const { port1: here, port2: there } = new MessageChannel()
  new Scheduler(new Reading(join(testFolder(t), 'events.db')), there)
  const answered = new Promise<number>(resolve => {
    here.on('message', (replies: StoreReply[]) => {
      if (replies.some(({ id }) => id === 0)) resolve(read)
    })
  })
  for (let id = 1; id <= 40; id++)
    here.postMessage({ id, kind: 'read', task: 'events.stats', args: [] } satisfies StoreRequest)
  while (read === 0) await new Promise(setImmediate)
  here.postMessage({ id: 0, kind: 'write', task: 'events.probe', args: [] } satisfies StoreRequest)
  t.ok((await answered) < 20)
  here.postMessage({ id: 99, kind: 'close' } satisfies StoreRequest)
  await new Promise(resolve => here.once('close', resolve))
  t.equal(read, 40, 'all are answered before it closes')
})

t.test('a large write has its own commit', async t => {
  const commits: string[][] = []
  const LARGE = 5 * 1024 * 1024
  class Committing extends Engine {
    override commit(tasks: readonly TaskCall[]): unknown[] {
      commits.push(tasks.map(task => task.task))
      return tasks.map(() => undefined)
    }
  }
  const { port1: here, port2: there } = new MessageChannel()
  new Scheduler(new Committing(join(testFolder(t), 'events.db')), there)
  const rows: PackedEvents = {
    count: 1,
    texts: '',
    buffer: new ArrayBuffer(LARGE),
    start: 0,
    answered: [],
    matches: '[]',
  }
  here.on('message', () => {}) // or nothing would keep the test alive
  const probe = { task: 'events.probe', args: [] }
  const calls = [probe, probe, { task: 'events.record', args: [rows, 1] }, probe]
  for (const [id, call] of calls.entries()) here.postMessage({ id, kind: 'write', ...call } satisfies StoreRequest)
  here.postMessage({ id: 99, kind: 'close' } satisfies StoreRequest)
  await new Promise(resolve => here.once('close', resolve))
  t.same(commits, [['events.probe', 'events.probe'], ['events.record'], ['events.probe']])
})

t.test('a read that arrives during a long commit is answered before the search index advances', async t => {
  const happened: string[] = []
  class Slow extends Engine {
    override get unindexed(): number {
      return happened.includes('commit') && !happened.includes('index') ? 1 : 0
    }
    override commit(tasks: readonly TaskCall[]): unknown[] {
      const until = performance.now() + 100
      while (performance.now() < until);
      happened.push('commit')
      here.postMessage({ id: 2, kind: 'read', task: 'events.stats', args: [] } satisfies StoreRequest)
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
  new Scheduler(new Slow(join(testFolder(t), 'events.db')), there)
  here.postMessage({ id: 1, kind: 'write', task: 'events.probe', args: [] } satisfies StoreRequest)
  while (happened.length < 3) await new Promise(setImmediate)
  here.on('message', () => {}) // or nothing would keep the test alive
  here.postMessage({ id: 99, kind: 'close' } satisfies StoreRequest)
  await new Promise(resolve => here.once('close', resolve))
  t.same(happened, ['commit', 'read', 'index'])
})

t.test('the search index advances even if every turn is long', async t => {
  let indexed = 0
  let isOver = false
  class Burdened extends Engine {
    override get unindexed(): number {
      return 1_000
    }
    override get appended(): number {
      return indexed
    }
    override commit(tasks: readonly TaskCall[]): unknown[] {
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
  const write = () => here.postMessage({ id: 1, kind: 'write', task: 'events.probe', args: [] } satisfies StoreRequest)
  here.on('message', () => {}) // or nothing would keep the test alive
  new Scheduler(new Burdened(join(testFolder(t), 'events.db')), there)
  write()
  while (indexed < 3) await new Promise(setImmediate)
  t.pass('while writes continued')
  isOver = true
  here.postMessage({ id: 2, kind: 'close' } satisfies StoreRequest)
  await new Promise(resolve => here.once('close', resolve))
})

t.test('once the search index is far behind, it falls no further behind', async t => {
  const FAR = 100_000
  let appended = FAR
  let indexed = 0
  class Burst extends Engine {
    override get appended(): number {
      return appended
    }
    override get unindexed(): number {
      return appended - indexed
    }
    override commit(tasks: readonly TaskCall[]): unknown[] {
      appended += 1_000
      return tasks.map(() => undefined)
    }
    override advanceIndex(count: number): number {
      const taken = Math.min(count, 100)
      indexed += taken
      return taken
    }
  }
  const { port1: here, port2: there } = new MessageChannel()
  new Scheduler(new Burst(join(testFolder(t), 'events.db')), there)
  for (let id = 1; id <= 5; id++) {
    const answered = new Promise(resolve => here.once('message', resolve))
    here.postMessage({ id, kind: 'write', task: 'events.probe', args: [] } satisfies StoreRequest)
    await answered
  }
  here.on('message', () => {}) // or nothing would keep the test alive
  here.postMessage({ id: 99, kind: 'close' } satisfies StoreRequest)
  await new Promise(resolve => here.once('close', resolve))
  t.ok(appended - indexed <= FAR, 'the distance is the same or smaller')
  t.ok(indexed < 20_000, 'no turn indexes all of it')
})

t.test('an unreadable message is answered under its own number', async t => {
  const { port1: here, port2: there } = new MessageChannel()
  new Scheduler(new Engine(join(testFolder(t), 'events.db')), there)
  const replies = collectReplies(here)
  const metadata: Record<string, unknown> = JSON.parse(`${'{"a":'.repeat(2_500)}1${'}'.repeat(2_500)}`)
  const tooDeep = { id: 'deep', metadata }
  here.postMessage({ id: 1, kind: 'write', task: 'subscriptions.save', args: [tooDeep] } satisfies StoreRequest)
  here.postMessage({ id: 2, kind: 'write', task: 'events.probe', args: [] } satisfies StoreRequest)
  here.postMessage({ id: 3, kind: 'read', task: 'users.isClosed', args: [] } satisfies StoreRequest)
  here.postMessage({ id: 4, kind: 'close' } satisfies StoreRequest)
  await new Promise(resolve => here.once('close', resolve))
  t.match(replies.get(1), { error: { category: 'internal' } })
  t.match(replies.get(2), { result: null })
  t.match(replies.get(3), { result: false })
})

t.test('a defect of one write does not fail others in its commit', async t => {
  class Failing extends Engine {
    override commit(tasks: readonly TaskCall[]): unknown[] {
      if (tasks.some(({ task }) => task === 'users.markClosed')) throw new TypeError('a defect')
      return super.commit(tasks)
    }
  }
  const { port1: here, port2: there } = new MessageChannel()
  new Scheduler(new Failing(join(testFolder(t), 'events.db')), there)
  const replies = collectReplies(here)
  for (const [at, task] of ['events.probe', 'users.markClosed', 'events.probe'].entries()) {
    here.postMessage({ id: at + 1, kind: 'write', task, args: [] } satisfies StoreRequest)
  }
  here.postMessage({ id: 4, kind: 'close' } satisfies StoreRequest)
  await new Promise(resolve => here.once('close', resolve))
  t.match(replies.get(1), { result: null })
  t.match(replies.get(2), { error: { category: 'internal' } })
  t.match(replies.get(3), { result: null })
})

t.test('a refused write is answered with an error, and the other writes of its commit succeed', async t => {
  const { port1: here, port2: there } = new MessageChannel()
  new Scheduler(new Engine(join(testFolder(t), 'events.db')), there)
  const replies = collectReplies(here)
  const users = [userNamed('ada'), userNamed('ADA', { id: 'other' }), userNamed('bob')]
  for (const [at, user] of users.entries()) {
    here.postMessage({ id: at + 1, kind: 'write', task: 'users.create', args: [user] } satisfies StoreRequest)
  }
  here.postMessage({ id: 4, kind: 'read', task: 'users.list', args: [] } satisfies StoreRequest)
  here.postMessage({ id: 5, kind: 'close' } satisfies StoreRequest)
  await new Promise(resolve => here.once('close', resolve))
  t.match(replies.get(2), { error: { category: 'conflict', code: 'username_taken' } })
  t.match(replies.get(4), { result: [{ username: 'ada' }, { username: 'bob' }] })
})

t.test('a search for thousands of terms in a large text takes many slices', async t => {
  const engine = new Engine(join(testFolder(t), 'events.db'))
  const words = Array.from({ length: 1_000 }, (_, at) => at.toString(36).padStart(2, '0'))
  for (const characters of [500_000, 1_100_000]) {
    const events = [
      messageCreated(`${characters}`, { payload: { text: `${'o'.repeat(characters)} ${words.join(' ')}` } }),
    ]
    const rows = packEvents(events, events.map(encodeWithoutInstants))
    engine.commit([{ task: 'events.record', args: [rows, 1] }])
  }
  const search = engine.query({ task: 'events.query', args: [{ order: 'asc', limit: 10, search: words }] })
  let slices = 0
  let step = search.next()
  for (; !step.done; step = search.next()) slices++
  t.match(step.value, { count: 2 })
  t.ok(slices > 1_000, `${slices}`)
  engine.close()
})

function collectReplies(port: MessagePort): Map<number, StoreReply> {
  const replies = new Map<number, StoreReply>()
  port.on('message', (batch: StoreReply[]) => {
    for (const reply of batch) replies.set(reply.id, reply)
  })
  return replies
}
