import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { csrfTokenOf, digestOf, isEnvelope, openEnvelope, sealToken } from '../../src/gate/cookie-envelope.js'
import { newSecret, SECRET_PATTERN } from '../../src/login/new-secret.js'

const KEY = 'the-signing-key-of-the-tests'
const TOKEN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP0'
const SEALED = sealToken(TOKEN, KEY)

t.test('a cookie is a version, a token and the HMAC over their text', async t => {
  const hmac = createHmac('sha256', KEY).update(`board_session.v2.${TOKEN}`, 'ascii').digest('hex')
  t.equal(SEALED, `v2.${TOKEN}.${hmac}`)
  t.equal(openEnvelope(SEALED, KEY), TOKEN)
  t.equal(openEnvelope(sealToken(TOKEN, Buffer.from(KEY)), KEY), TOKEN, 'a text key is its UTF-8')
})

t.test('a sealed cookie opens with its own key, and with no other', async t => {
  const key = fc.string({ minLength: 1 })
  fc.assert(
    fc.property(key, key, (one, other) => {
      const token = newSecret()
      const sealed = sealToken(token, one)
      t.equal(isEnvelope(sealed), true)
      if (openEnvelope(sealed, one) !== token) return false
      return one === other || isSameHmacKey(one, other) || openEnvelope(sealed, other) === undefined
    }),
  )
})

t.test('a changed cookie is invalid', async t => {
  for (let at = 0; at < SEALED.length; at++) {
    for (const other of ['', 'A', 'a', '0', '.', '-', ' ', '\0', '\n', 'é', SEALED[at]?.toUpperCase() ?? '']) {
      if (other === SEALED[at]) continue
      t.equal(openEnvelope(SEALED.slice(0, at) + other + SEALED.slice(at + 1), KEY), undefined, `${at} ${other}`)
    }
    t.equal(openEnvelope(`${SEALED.slice(0, at)}A${SEALED.slice(at)}`, KEY), undefined, `one more at ${at}`)
  }
})

t.test('a credential in another spelling is invalid', async t => {
  const [, token = '', hmac = ''] = SEALED.split('.')
  const padded = `${token}=`
  // Decoded it is the same: the last character's lowest bits are dropped.
  const sameBytes = `${token.slice(0, -1)}1`
  t.same(Buffer.from(sameBytes, 'base64url'), Buffer.from(token, 'base64url'))
  const hostile = [
    ...['', 'v2', 'v2..', `v2.${token}`, `v2.${token}.`, `.${token}.${hmac}`, hmac, token],
    ...[`v1.${token}.${hmac}`, `v3.${token}.${hmac}`, `V2.${token}.${hmac}`, `v02.${token}.${hmac}`],
    ...[
      `v2.${padded}.${hmac}`,
      `v2.${sameBytes}.${hmac}`,
      `v2.${token}.${hmac.toUpperCase()}`,
      `v2.${token}.${hmac}00`,
    ],
    ...[`"${SEALED}"`, ` ${SEALED}`, `${SEALED} `, `${SEALED}\n`, `${SEALED}.${SEALED}`, SEALED + SEALED, `${SEALED};`],
    ...[encodeURIComponent(`${SEALED}=`), `v2.${token}.${Buffer.from(hmac, 'hex').toString('base64url')}`],
    // A signed timestamp, as 0.1.x made them.
    ...[`1700000000.${hmac}`, `1700000000:${hmac}`, `v1.1700000000.${hmac}`],
  ]
  for (const text of hostile) t.equal(openEnvelope(text, KEY), undefined, text)
})

t.test('a signature for another purpose is invalid', async t => {
  for (const text of [TOKEN, `v2.${TOKEN}`, `board_session.v1.${TOKEN}`, `board_session.v2.${TOKEN}.`]) {
    const hmac = createHmac('sha256', KEY).update(text).digest('hex')
    t.equal(openEnvelope(`v2.${TOKEN}.${hmac}`, KEY), undefined, text)
  }
})

t.test('the CSRF token is derived from the session token, and does not reveal it', async t => {
  t.equal(csrfTokenOf(TOKEN), createHmac('sha256', TOKEN).update('board-csrf-v2').digest('base64url'))
  t.match(csrfTokenOf(TOKEN), SECRET_PATTERN)
  t.not(csrfTokenOf(TOKEN), csrfTokenOf(newSecret()))
  t.match(digestOf(TOKEN), /^[0-9a-f]{64}$/)
})

/** HMAC pads a short key with zeros. */
function isSameHmacKey(one: string, other: string): boolean {
  return one.replace(/\0+$/, '') === other.replace(/\0+$/, '')
}
