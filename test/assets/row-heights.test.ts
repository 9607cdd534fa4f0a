import fc from 'fast-check'
import t from 'tap'
import { RowHeights } from '../../assets/shared/row-heights.js'

t.test('rows stand where the heights before them put them, measured or not', async t => {
  const heights = new RowHeights(() => 50)
  heights.setRows(['a', 'b', 'c'])
  t.same([heights.total, heights.topOf(2)], [150, 100])
  t.equal(heights.measure('a', 80), true)
  t.equal(heights.measure('a', 80), false)
  t.same([heights.total, heights.topOf(1), heights.indexAt(79), heights.indexAt(80)], [180, 80, 0, 1])
  heights.setRows(['new', 'a', 'b', 'c'])
  t.same([heights.topOf(2), heights.indexOf('a'), heights.indexOf('gone')], [130, 1, undefined])
  heights.forget()
  t.equal(heights.total, 200)
})

t.test('in any order of measurements, the row found at a height covers that height', async () => {
  const measurement = fc.tuple(fc.nat(39), fc.integer({ min: 1, max: 300 }))
  fc.assert(
    fc.property(fc.array(measurement, { maxLength: 60 }), fc.integer({ min: 0, max: 9000 }), (measured, at) => {
      const heights = new RowHeights(() => 50)
      heights.setRows(Array.from({ length: 40 }, (_, i) => `row ${i}`))
      for (const [row, height] of measured) {
        heights.measure(`row ${row}`, height)
        heights.indexAt(at)
      }
      const index = heights.indexAt(at)
      if (at >= heights.total) return index === 39
      return heights.topOf(index) <= at && at < heights.topOf(index + 1)
    }),
  )
})

t.test('an empty list has no height', async t => {
  const heights = new RowHeights(() => 50)
  t.same([heights.total, heights.indexAt(0), heights.topOf(5)], [0, 0, 0])
})
