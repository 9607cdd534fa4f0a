import fc from 'fast-check'
import t from 'tap'
import { safeEqual } from '../../src/login/safe-equal.js'

t.test('only the identical text equals a secret', async t => {
  const cases: [string, string, boolean][] = [
    ['secret', 'secret', true],
    ['sécret 🔑', 'sécret 🔑', true],
    ['secret', 'Secret', false],
    ['secret', 'secret ', false],
    ['secret', 'secre', false],
    ['secret', 'secretsecret', false],
    ['secret', '', false],
    ['caf\u00e9', 'cafe\u0301', false],
    ['a'.repeat(100_000), 'a', false],
  ]
  for (const [expected, shown, equal] of cases) t.equal(safeEqual(expected, shown), equal, `${shown.slice(0, 20)}`)
})

t.test('a secret that is not set equals nothing', async t => {
  for (const shown of ['', 'undefined', 'null', ' ']) {
    t.equal(safeEqual(undefined, shown), false)
    t.equal(safeEqual('', shown), false)
  }
})

t.test('any two texts compare without failing', async t => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 })
  fc.assert(
    fc.property(text, text, (left, right) => safeEqual(left, right) === (left === right) && safeEqual(left, left)),
  )
  t.pass()
})
