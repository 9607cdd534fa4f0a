import fc from 'fast-check'
import t from 'tap'
import { RowHeights } from '../../assets/shared/row-heights.js'

t.test('the position of a row is the sum of the heights before it', async t => {
  const heights = new RowHeights([80, 50, 50])
  t.same([heights.total, heights.topOf(1), heights.topOf(2), heights.topOf(9)], [180, 80, 130, 180])
  t.same([heights.indexAt(-1), heights.indexAt(79), heights.indexAt(80), heights.indexAt(999)], [0, 0, 1, 2])
})

t.test('the row found at a height covers that height', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }),
      fc.integer({ min: 0, max: 9000 }),
      (all, at) => {
        const heights = new RowHeights(all)
        const index = heights.indexAt(at)
        if (at >= heights.total) return index === all.length - 1
        return heights.topOf(index) <= at && at < heights.topOf(index + 1)
      },
    ),
  )
})

t.test('an empty list has no height', async t => {
  const heights = new RowHeights([])
  t.same([heights.total, heights.indexAt(0), heights.topOf(5)], [0, 0, 0])
})
