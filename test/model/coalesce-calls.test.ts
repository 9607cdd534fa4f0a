import t from 'tap'
import { coalesceCalls } from '../../src/model/coalesce-calls.js'

/** A read that ends when the test ends it, with the value that was current when it began. */
function rig() {
  const ends: (() => void)[] = []
  const seen = { value: 0, reads: 0, running: 0, most: 0, now: 0 }
  const read = coalesceCalls(
    async () => {
      seen.reads++
      seen.most = Math.max(seen.most, ++seen.running)
      const { value } = seen
      await new Promise<void>(resolve => ends.push(resolve))
      seen.running--
      if (value < 0) throw new Error('not there')
      return value
    },
    10,
    () => seen.now,
  )
  return { read, seen, end: () => ends.shift()?.() }
}

const turn = () => new Promise(setImmediate)

t.test('calls during a read share the next read, which sees every change made before them', async t => {
  const { read, seen, end } = rig()
  const first = read()
  seen.value = 1
  const second = read()
  seen.value = 2
  const third = read()
  end()
  t.equal(await first, 0)
  await turn()
  end()
  t.same(await Promise.all([second, third]), [2, 2])
  t.match(seen, { reads: 2, most: 1 })
})

t.test('a call at the moment when a read ends shares the next read', async t => {
  const { read, seen, end } = rig()
  const first = read()
  const atEnd = first.then(read)
  const waiting = read()
  end()
  await first
  await turn()
  t.match(seen, { reads: 2, running: 1 })
  end()
  await Promise.all([atEnd, waiting])
  t.match(seen, { reads: 2, most: 1 })
})

t.test('a failed read does not affect the next one', async t => {
  const { read, seen, end } = rig()
  seen.value = -1
  const first = read()
  const second = read()
  seen.value = 5
  end()
  await t.rejects(first, { message: 'not there' })
  await turn()
  end()
  t.equal(await second, 5)
  const third = read()
  end()
  t.equal(await third, 5)
  t.match(seen, { reads: 3, most: 1 })
})

t.test(
  'a read for many callers also serves the calls of the next 10 milliseconds, and a read for few does not',
  async t => {
    for (const [callers, expected] of [
      [3, 3],
      [4, 2],
    ] as const) {
      const { read, seen, end } = rig()
      const first = read()
      const waiting = Array.from({ length: callers }, read)
      end()
      await first
      await turn()
      end()
      await Promise.all(waiting)
      seen.now = 9
      const soon = read()
      end()
      await soon
      t.equal(seen.reads, expected)
      seen.now = 10
      const later = read()
      end()
      await later
      t.equal(seen.reads, expected + 1)
    }
  },
)
