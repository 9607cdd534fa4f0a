import t from 'tap'
import { BoundedWork } from '../../src/store/bounded-work.js'

const turn = () => new Promise(setImmediate)

/** Work that the test ends. */
function rig(bounds: { inProgress: number; waiting: number }) {
  const work = new BoundedWork({ ...bounds, busy: 'Too many questions.' })
  const begun: string[] = []
  const ends = new Map<string, (result: string) => void>()
  const run = (name: string, signal?: AbortSignal) => {
    const begin = () => {
      begun.push(name)
      return new Promise<string>(resolve => ends.set(name, resolve))
    }
    return work.run(begin, signal)
  }
  return { run, begun, end: (name: string) => ends.get(name)?.(`${name} is done`) }
}

t.test('a limited number of calls is in progress, and the others begin in order as those end', async t => {
  const { run, begun, end } = rig({ inProgress: 2, waiting: 2 })
  const [first, second, third, fourth] = ['a', 'b', 'c', 'd'].map(name => run(name))
  t.same(begun, ['a', 'b'], 'immediately')
  end('b')
  t.equal(await second, 'b is done')
  t.same(begun, ['a', 'b', 'c'])
  end('a')
  end('c')
  t.same(await Promise.all([first, third]), ['a is done', 'c is done'])
  end('d')
  t.equal(await fourth, 'd is done')
})

t.test('a call beyond the queue is refused, and can be repeated', async t => {
  const { run, begun, end } = rig({ inProgress: 1, waiting: 1 })
  const [first, second] = [run('a'), run('b')]
  await t.rejects(run('c'), {
    category: 'unavailable',
    code: 'busy',
    retryAfterSeconds: 1,
    message: 'Too many questions. Try again in a moment.',
  })
  end('a')
  await first
  const later = run('d')
  end('b')
  await second
  end('d')
  t.equal(await later, 'd is done')
  t.same(begun, ['a', 'b', 'd'])
})

t.test('waiting work that is aborted never begins, and frees its place', async t => {
  const { run, begun, end } = rig({ inProgress: 1, waiting: 1 })
  const leaving = new AbortController()
  const first = run('a')
  const second = run('b', leaving.signal)
  leaving.abort(new Error('its client left'))
  await t.rejects(second, { message: 'its client left' })
  const third = run('c')
  end('a')
  await first
  end('c')
  t.equal(await third, 'c is done')
  t.same(begun, ['a', 'c'])
})

t.test('failing work frees its place', async t => {
  const work = new BoundedWork({ inProgress: 1, waiting: 1, busy: 'Too many questions.' })
  const failing = work.run(() => Promise.reject(new Error('the disk')))
  const next = work.run(async () => 'done')
  await t.rejects(failing, { message: 'the disk' })
  t.equal(await next, 'done')
  await turn()
  t.equal(await work.run(async () => 'again'), 'again')
})
