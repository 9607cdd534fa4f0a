import t from 'tap'
import { sharedLook } from '../../src/model/shared-look.js'

/** A look that ends when the test says so, with what was there when it began. */
function rig() {
  const ends: (() => void)[] = []
  const seen = { value: 0, looks: 0, atOnce: 0, most: 0 }
  const look = sharedLook(async () => {
    seen.looks++
    seen.most = Math.max(seen.most, ++seen.atOnce)
    const { value } = seen
    await new Promise<void>(resolve => ends.push(resolve))
    seen.atOnce--
    if (value < 0) throw new Error('not there')
    return value
  })
  return { look, seen, end: () => ends.shift()?.() }
}

const turn = () => new Promise(setImmediate)

t.test('looks that are asked for during one share the next, and see what has changed by then', async t => {
  const { look, seen, end } = rig()
  const first = look()
  seen.value = 1
  const second = look()
  seen.value = 2
  const third = look()
  end()
  t.equal(await first, 0)
  await turn()
  end()
  t.same(await Promise.all([second, third]), [2, 2])
  t.match(seen, { looks: 2, most: 1 })
})

t.test('what one look fails of is no matter of the next', async t => {
  const { look, seen, end } = rig()
  seen.value = -1
  const first = look()
  const second = look()
  seen.value = 5
  end()
  await t.rejects(first, { message: 'not there' })
  await turn()
  end()
  t.equal(await second, 5)
  const third = look()
  end()
  t.equal(await third, 5)
  t.match(seen, { looks: 3, most: 1 })
})
