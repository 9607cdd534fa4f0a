import { createHmac } from 'node:crypto'
import t from 'tap'
import { forum } from '../../../src/platforms/forum/adapter.js'

const SECRET = 'difference-engine'
const BODY = Buffer.from('{"post":{"raw":"Ünïcödé ☕ \\ud83d\\ude00"}}')
const HEADER = 'x-discourse-event-signature'
const REFUSED = { name: 'AppError', category: 'unauthenticated', code: 'signature_invalid' }

function sign(secret: string, body: Uint8Array = BODY): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

const right = sign(SECRET)
const wrong = sign('another secret')

function verify(signature: string | undefined, secrets: string[] = [SECRET], body: Uint8Array = BODY) {
  return forum.verify({ headers: { [HEADER]: signature }, body }, secrets)
}

t.test('a valid signature is accepted, with each secret during a rotation', async t => {
  t.equal(verify(right), 'signature')
  t.equal(verify(right.toUpperCase()), 'signature')
  t.equal(verify(right, ['older secret', SECRET]), 'signature')
  t.equal(verify(right, [SECRET, 'newer secret']), 'signature')
  t.throws(() => verify(right, ['older secret', 'newer secret']), REFUSED)
})

t.test('an invalid or missing signature is refused', async t => {
  const cases = [
    { name: 'no signature', signature: undefined },
    { name: 'an empty signature', signature: '' },
    { name: 'blanks', signature: '  ' },
    { name: 'another secret', signature: wrong },
    { name: 'too short', signature: right.slice(0, -1) },
    { name: 'too long', signature: `${right}0` },
    { name: 'very long', signature: right.repeat(200) },
    { name: 'not hex', signature: 'sha256=ÿ☕' },
    { name: 'only the prefix', signature: 'sha256=' },
    { name: 'without its prefix', signature: right.slice('sha256='.length) },
    { name: 'another algorithm', signature: right.replace('sha256', 'sha1') },
    { name: 'two values, the second right', signature: `${wrong}, ${right}` },
    { name: 'two values, both right', signature: `${right}, ${right}` },
    { name: 'of an empty body', signature: sign(SECRET, Buffer.alloc(0)) },
    { name: 'of an empty secret', signature: sign('') },
  ]
  for (const { name, signature } of cases) t.throws(() => verify(signature), REFUSED, name)
})

t.test('the signature covers the exact bytes of the body', async t => {
  const reserialised = Buffer.from(JSON.stringify(JSON.parse(BODY.toString())))
  t.notSame(reserialised, BODY)
  t.throws(() => verify(right, [SECRET], reserialised), REFUSED)
  for (const at of [0, 20, BODY.length - 1]) {
    const changed = Buffer.from(BODY)
    changed[at] = (changed[at] ?? 0) ^ 1
    t.throws(() => verify(right, [SECRET], changed), REFUSED, `byte ${at}`)
  }
})

t.test(
  'signatures of invalid UTF-8, of an empty body, of a view into a larger buffer and with a non-ASCII secret are verified',
  async t => {
    const larger = Buffer.concat([Buffer.from('before'), BODY, Buffer.from('after')])
    const view = new Uint8Array(larger.buffer, larger.byteOffset + 6, BODY.length)
    for (const body of [Buffer.from([0xff, 0xfe, 0, 0x80]), Buffer.alloc(0), view]) {
      const secret = 'sésame ☕ 秘密'
      t.equal(verify(sign(secret, body), [secret], body), 'signature')
    }
  },
)

t.test('without a secret no delivery is verified', async t => {
  t.equal(verify(undefined, []), 'none')
  t.equal(verify(wrong, []), 'none')
  t.equal(verify(sign(''), ['']), 'none', 'nor by an empty one')
})

t.test('a refusal explains what to do and reveals no secret', async t => {
  t.throws(() => verify(undefined), { message: /not signed.*secret/su })
  try {
    verify(wrong)
    t.fail('should have been refused')
  } catch (error) {
    const { message } = error as Error
    t.notMatch(message, SECRET)
    t.notMatch(message, right)
  }
})
