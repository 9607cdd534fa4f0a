import fc from 'fast-check'
import t from 'tap'
import { Random } from '../../src/demo/random.js'

t.test('numbers depend only on the seed, and are within the requested range', async () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: -1000, max: 1000 }), fc.nat(1000), (seed, first, span) => {
      const [one, other] = [new Random(seed), new Random(seed)]
      const numbers = Array.from({ length: 20 }, () => one.integer(first, first + span))
      return (
        numbers.every(number => number === other.integer(first, first + span) && number >= first) &&
        Math.max(...numbers) <= first + span
      )
    }),
  )
})

t.test('several returns different items, at most all of them', async t => {
  const random = new Random(1)
  t.same(random.several([1, 2, 3], 5).sort(), [1, 2, 3])
  t.equal(new Set(random.several([1, 2, 3, 4, 5], 4)).size, 4)
  t.match(random.uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
})
