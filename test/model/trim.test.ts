import fc from 'fast-check'
import t from 'tap'
import { trimEndOf, trimOf } from '../../src/model/trim.js'

t.test('characters are removed only at the ends', async t => {
  t.equal(trimEndOf('/a//b///', '/'), '/a//b')
  t.equal(trimEndOf('///', '/'), '')
  t.equal(trimOf(' \t a b\t ', ' \t'), 'a b')
  t.equal(trimOf('\u00a0a\u00a0', ' \t'), '\u00a0a\u00a0')
})

t.test('the result equals that of a regular expression, for every text', async t => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('_', 'a', ' ') }), text => {
      t.equal(trimEndOf(text, '_'), text.replace(/(?<!_)_+$/, ''))
      t.equal(trimOf(text, '_ '), trimEndOf(text, '_ ').replace(/^[_ ]+/, ''))
    }),
  )
})
