import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import type { StoreRequest, TaskCall } from '../../../../src/store/sqlite/thread/protocol.js'
import {
  asyncStore,
  kindsOf,
  makeProxies,
  query,
  read,
  runTaskWorker,
  TaskList,
  write,
} from '../../../../src/store/sqlite/thread/task.js'

const TABLES = {
  names: {
    list: read((limit: number) => Array.from({ length: limit }, (_, at) => `name ${at}`)),
    add: write((_name: string, _by?: string) => true),
    search: query(function* (_text: string): Generator<void, string[]> {
      yield
      return []
    }),
  },
}

t.test('a proxy sends the kind, the name and the arguments of a task', async t => {
  const sent: [TaskCall, AbortSignal | undefined][] = []
  const { names } = makeProxies<typeof TABLES>(kindsOf(TABLES), async (call, signal) => {
    sent.push([call, signal])
    return new TaskList(TABLES).get(call.task).run(...call.args)
  })
  t.same(await names.list(2), ['name 0', 'name 1'])
  t.equal(await names.add('Ada', 'Grace'), true)
  const { signal } = new AbortController()
  await names.search('x', signal)
  t.strictSame(sent, [
    [{ kind: 'read', task: 'names.list', args: [2] }, undefined],
    [{ kind: 'write', task: 'names.add', args: ['Ada', 'Grace'] }, undefined],
    [{ kind: 'query', task: 'names.search', args: ['x'] }, signal],
  ])
})

t.test('an unknown task is a defect', async t => {
  t.throws(() => new TaskList(TABLES).get('names.drop'), { message: 'There is no task names.drop.' })
})

t.test('a synchronous error of a store becomes a rejection', async t => {
  class Names {
    readonly #names = ['Ada']
    find(at: number): string {
      const name = this.#names[at]
      if (name === undefined) throw new RangeError('no such name')
      return name
    }
  }
  const names = asyncStore(new Names())
  t.equal(await names.find(0), 'Ada')
  await t.rejects(names.find(1), { message: 'no such name' })
})

t.test('an unreadable message is answered under its number, and the next ones are carried out', async t => {
  const { port1: worker, port2: caller } = new MessageChannel()
  t.teardown(() => caller.close())
  runTaskWorker(worker, TABLES, () => {})
  const send = async (request: StoreRequest) => {
    caller.postMessage(request)
    const [replies] = await once(caller, 'message')
    return replies
  }
  t.match(await send({ id: 1, kind: 'read', task: 'names.list', args: [1] }), [{ id: 1, result: ['name 0'] }])
  worker.emit('messageerror', new RangeError('Maximum call stack size exceeded'))
  const [unread] = await once(caller, 'message')
  t.match(unread, [{ id: 2, error: { code: 'internal', stack: /A message to the store could not be read/ } }])
  t.match(await send({ id: 3, kind: 'read', task: 'names.list', args: [0] }), [{ id: 3, result: { length: 0 } }])
})
