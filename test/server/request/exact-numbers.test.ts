import fc from 'fast-check'
import t from 'tap'
import { refuseInexactNumbers } from '../../../src/server/request/exact-numbers.js'

const kept = [
  '{"n":9007199254740992}',
  '{"n":-9007199254740992}',
  '{"n":10000000000000000000000}',
  '{"n":1e22,"m":1E+2,"k":1.5e300}',
  '{"n":0.1,"pi":3.14159265358979323846}',
  '{"n":1e-400}',
  '{"id":"9007199254740993","text":"[ 9007199254740993, 1e400 ]"}',
  '{"hash":"3e4551234567890123456789"}',
]
for (const text of kept) {
  t.test(`the number ${text} is kept`, async t => t.doesNotThrow(() => refuseInexactNumbers(text)))
}

const refused = [
  { text: '{"n":9007199254740993}', fields: ['/n'] },
  { text: '{"a":[1,-12345678901234567891],"b":{"c/d":1e400}}', fields: ['/a/1', '/b/c~1d'] },
  { text: `{"n": 1${'0'.repeat(310)}}`, fields: ['/n'] },
  { text: '{"n":\t-1E+999}', fields: ['/n'] },
]
for (const { text, fields } of refused) {
  t.test(`the number ${text.slice(0, 60)} is refused`, async t => {
    const errors = fields.map(field => ({
      field,
      detail: `${field} is a number that cannot be kept exactly. Send it as a string.`,
    }))
    t.throws(() => refuseInexactNumbers(text), { category: 'invalid', code: 'invalid_field', errors })
  })
}

t.test('an integer is refused exactly when parsing changes it', async () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), integer => {
      const kept = BigInt(Number(integer)) === integer
      return kept === passes(`{"n":${integer}}`)
    }),
  )
})

function passes(text: string): boolean {
  try {
    refuseInexactNumbers(text)
    return true
  } catch {
    return false
  }
}
