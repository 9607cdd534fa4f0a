import fc from 'fast-check'
import t from 'tap'
import { formFields } from '../../../src/platforms/deliveries/delivery-body.js'

const fieldsOf = (text: string) => [...formFields({ headers: {}, body: Buffer.from(text) })]

t.test('a form is decoded into its fields', async () => {
  const pairs = fc.array(fc.tuple(fc.string({ minLength: 1, unit: 'grapheme' }), fc.string({ unit: 'grapheme' })))
  fc.assert(
    fc.property(pairs, sent => {
      const fields = fieldsOf(new URLSearchParams(sent).toString())
      return JSON.stringify(fields) === JSON.stringify(sent)
    }),
  )
})

t.test('a plus is decoded as a space, also beside unencoded letters', async t => {
  t.same(fieldsOf('a=1+2%2B3&bö=+é+'), [
    ['a', '1 2+3'],
    ['bö', ' é '],
  ])
})
