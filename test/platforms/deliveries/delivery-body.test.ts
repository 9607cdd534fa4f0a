import fc from 'fast-check'
import t from 'tap'
import { formFields } from '../../../src/platforms/deliveries/delivery-body.js'

const fieldsOf = (text: string) => [...formFields({ headers: {}, body: Buffer.from(text) })]

t.test('a form has the fields that were written into it', async () => {
  const pairs = fc.array(fc.tuple(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ unit: 'grapheme' })))
  fc.assert(
    fc.property(pairs, sent => {
      const fields = fieldsOf(new URLSearchParams(sent).toString())
      return JSON.stringify(fields) === JSON.stringify(sent)
    }),
  )
})

t.test('a plus is a space, beside letters that are not encoded, too', async t => {
  t.same(fieldsOf('a=1+2%2B3&bö=+é+'), [
    ['a', '1 2+3'],
    ['bö', ' é '],
  ])
})
