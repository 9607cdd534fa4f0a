import fc from 'fast-check'
import t from 'tap'
import { Agenda } from '../../src/demo/agenda.js'
import { Random } from '../../src/demo/random.js'

t.test('items are returned in order of time, and those of one moment in the order of planning', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), times => {
      const agenda = new Agenda<number>()
      for (const [index, at] of times.entries()) agenda.add(at, index)
      const taken: [at: number, index: number][] = []
      for (let next = agenda.takeNext(); next; next = agenda.takeNext()) taken.push([next.at, next.item])
      const expected = times.map((at, index): [number, number] => [at, index])
      expected.sort(([at, index], [otherAt, otherIndex]) => at - otherAt || index - otherIndex)
      return JSON.stringify(taken) === JSON.stringify(expected)
    }),
  )
})

t.test('takeAny returns each item once', async t => {
  const agenda = new Agenda<string>()
  const random = new Random(1)
  t.equal(agenda.nextAt, undefined)
  for (const item of ['a', 'b', 'c']) agenda.add(1, item)
  t.same([1, 2, 3].map(() => agenda.takeAny(random)?.item).sort(), ['a', 'b', 'c'])
  t.equal(agenda.takeAny(random), undefined)
})
