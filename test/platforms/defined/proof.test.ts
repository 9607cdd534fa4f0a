import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import type { AppError } from '../../../src/model/app-error.js'
import type { SourceProof } from '../../../src/model/sources/source-definition.js'
import { readSourceDefinition } from '../../../src/platforms/defined/adapter.js'
import { compileProof } from '../../../src/platforms/defined/proof.js'

const NOW = 1_935_000_000_000
const SECONDS = String(NOW / 1_000)
const SECRET = 'a-secret-of-the-tests'
const BODY = '{"id":1}'
const REFUSED = { category: 'unauthenticated', code: 'signature_invalid' }

function verifier(proof: SourceProof) {
  const verify = compileProof({ name: 'own', proof })
  return (headers: Record<string, string>, { body = BODY, secrets = ['other', SECRET], now = NOW } = {}) =>
    verify({ headers, body: Buffer.from(body) }, secrets, now)
}

function hmac(text: string, algorithm = 'sha256', encoding: 'hex' | 'base64' = 'hex'): string {
  return createHmac(algorithm, SECRET).update(text).digest(encoding)
}

t.test('a signature of every algorithm and encoding is verified over the body', async t => {
  for (const algorithm of ['sha1', 'sha256', 'sha512'] as const) {
    for (const encoding of ['hex', 'base64'] as const) {
      const verify = verifier({ type: 'hmac', algorithm, header: 'X-Sig', encoding, prefix: 'v=' })
      const shown = hmac(BODY, algorithm, encoding)
      t.equal(verify({ 'x-sig': `v=${shown}` }), 'signature', `${algorithm} ${encoding}`)
      t.throws(() => verify({ 'x-sig': shown }), REFUSED, 'without the prefix')
      t.throws(() => verify({ 'x-sig': `v=${shown}` }, { body: `${BODY} ` }), REFUSED, 'another body')
      t.throws(() => verify({ 'x-sig': `v=${shown}` }, { secrets: ['other'] }), REFUSED, 'another secret')
      t.throws(() => verify({}), REFUSED, 'no signature')
    }
  }
})

t.test('a signed time is part of the proof and limits its validity', async t => {
  const verify = verifier({
    ...({ type: 'hmac', algorithm: 'sha256', header: 'Stripe-Signature', encoding: 'hex' } as const),
    prefix: 'v1=',
    separator: ',',
    signed: '{timestamp}.{body}',
    timestamp: { header: 'Stripe-Signature', prefix: 't=' },
  })
  const header = `t=${SECONDS},v1=${'0'.repeat(64)}, v1=${hmac(`${SECONDS}.${BODY}`)},v0=x`
  t.equal(verify({ 'stripe-signature': header }), 'signature')
  t.throws(() => verify({ 'stripe-signature': header }, { now: NOW + 301_000 }), REFUSED, 'too old')
  t.throws(() => verify({ 'stripe-signature': header }, { now: NOW - 301_000 }), REFUSED, 'in the future')
  t.throws(() => verify({ 'stripe-signature': header.replace(SECONDS, String(NOW / 1_000 + 1)) }), REFUSED)
  t.throws(() => verify({ 'stripe-signature': `v1=${hmac(`.${BODY}`)}` }), REFUSED, 'a time that is missing')
})

t.test('a time may be written as RFC 3339', async t => {
  const verify = verifier({
    ...({ type: 'hmac', algorithm: 'sha256', header: 'X-Sig', encoding: 'base64' } as const),
    signed: '{timestamp}{body}',
    timestamp: { header: 'X-Time' },
  })
  const at = new Date(NOW).toISOString()
  const headers = { 'x-time': at, 'x-sig': hmac(`${at}${BODY}`, 'sha256', 'base64') }
  t.equal(verify(headers), 'signature')
  t.throws(() => verify(headers, { now: NOW + 301_000 }), REFUSED)
  t.throws(() => verify({ 'x-time': 'today', 'x-sig': hmac(`today${BODY}`, 'sha256', 'base64') }), REFUSED)
})

t.test('the fields of a form are signed by name, after the address', async t => {
  const signed = 'https://ledger.example.org/in{form}'
  const verify = verifier({ type: 'hmac', algorithm: 'sha1', header: 'X-Sig', encoding: 'base64', signed })
  const isForm = { 'content-type': 'application/x-www-form-urlencoded' }
  const shown = { ...isForm, 'x-sig': hmac('https://ledger.example.org/inAb1 2a3a4', 'sha1', 'base64') }
  t.equal(verify(shown, { body: 'a=3&Ab=1+2&a=4' }), 'signature')
  t.throws(() => verify(shown, { body: 'a=4&Ab=1+2&a=4' }), REFUSED)
  t.throws(() => verify({ 'x-sig': shown['x-sig'] }, { body: 'a=3&Ab=1+2&a=4' }), REFUSED, 'no form')
  const long = 'x'.repeat(1024 * 1024)
  const large = { ...isForm, 'x-sig': hmac(`https://ledger.example.org/ina${long}`, 'sha1', 'base64') }
  t.equal(verify(large, { body: `a=${long}` }), 'signature')
  const refused = [`a=${long}${long}`, 'a=1&'.repeat(1_000)]
  for (const body of refused) t.throws(() => verify({ ...isForm, 'x-sig': 'aa' }, { body }), { code: 'body_too_large' })
  const both = { type: 'hmac', algorithm: 'sha1', header: 'X-Sig', encoding: 'hex', signed: '{form}{body}' } as const
  t.throws(() => verifier(both), { code: 'invalid_field' })
})

t.test('a signature by a key pair is verified by the public key', async t => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url')
  for (const encoding of ['hex', 'base64'] as const) {
    const verify = verifier({ type: 'ed25519', header: 'X-Sig', encoding })
    const secrets = ['no key', raw.toString(encoding)]
    const shown = { 'x-sig': sign(null, Buffer.from(BODY), privateKey).toString(encoding) }
    t.equal(verify(shown, { secrets }), 'signature')
    t.throws(() => verify(shown, { secrets, body: `${BODY} ` }), REFUSED)
    t.throws(() => verify(shown, { secrets: ['no key', raw.subarray(1).toString(encoding)] }), REFUSED)
    t.throws(() => verify({ 'x-sig': 'aa' }, { secrets }), REFUSED)
    t.throws(() => verify(shown, { secrets, body: 'x'.repeat(1024 * 1024 + 1) }), { code: 'body_too_large' })
  }
})

t.test(
  'of the signatures of one delivery, a few are compared, so that an unverified delivery costs little time',
  async t => {
    const form = { header: 'X-Sig', encoding: 'hex', prefix: 'v1=', separator: ',' } as const
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('hex')
    const cases: [SourceProof, string, string, number][] = [
      [{ type: 'hmac', algorithm: 'sha256', ...form }, SECRET, hmac(BODY), 10],
      [{ type: 'ed25519', ...form }, raw, sign(null, Buffer.from(BODY), privateKey).toString('hex'), 2],
    ]
    for (const [proof, secret, right, most] of cases) {
      const shownAfter = (wrong: number) => ({ 'x-sig': [...Array(wrong).fill('v0=x,v1=00'), `v1=${right}`].join(',') })
      t.equal(verifier(proof)(shownAfter(most - 1), { secrets: [secret] }), 'signature', proof.type)
      t.throws(() => verifier(proof)(shownAfter(most), { secrets: [secret] }), REFUSED, proof.type)
    }
  },
)

t.test('other headers may be signed too', async t => {
  const verify = verifier({
    ...({ type: 'hmac', algorithm: 'sha256', header: 'X-Sig', encoding: 'hex' } as const),
    signed: '{header:X-Id}:{body}',
  })
  t.equal(verify({ 'x-id': '7', 'x-sig': hmac(`7:${BODY}`) }), 'signature')
  t.throws(() => verify({ 'x-id': '8', 'x-sig': hmac(`7:${BODY}`) }), REFUSED)
})

t.test('a delivery of Slack is verified', async t => {
  const verify = verifier({ type: 'slack' })
  const headers = {
    'x-slack-request-timestamp': SECONDS,
    'x-slack-signature': `v0=${hmac(`v0:${SECONDS}:${BODY}`)}`,
  }
  t.equal(verify(headers), 'signature')
  t.throws(() => verify(headers, { now: NOW + 301_000 }), REFUSED)
})

t.test('a signature of the Standard Webhooks library is verified', async t => {
  const key = `whsec_${Buffer.from(SECRET).toString('base64')}`
  const verify = verifier({ type: 'standard' })
  const signature = new Webhook(key).sign('msg_1', new Date(NOW), BODY)
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': SECONDS, 'webhook-signature': signature }
  t.equal(verify(headers, { secrets: [key] }), 'signature')
  t.equal(verify(headers, { secrets: [key.slice('whsec_'.length)] }), 'signature', 'without its prefix')
  const svix = { 'svix-id': 'msg_1', 'svix-timestamp': SECONDS, 'svix-signature': signature }
  t.equal(verify(svix, { secrets: [key] }), 'signature', 'with the names of Svix')
  t.throws(() => verify({ ...svix, 'svix-id': 'msg_2' }, { secrets: [key] }), REFUSED)
  t.throws(() => verify({ ...headers, 'webhook-id': 'msg_2' }, { secrets: [key] }), REFUSED)
  t.throws(() => verify({ ...headers, 'webhook-signature': '' }, { secrets: [key] }), REFUSED)
  t.throws(() => verify(headers, { secrets: ['whsec_'] }), REFUSED, 'a key that is empty')
})

t.test('a token, a password and a secret in the payload are compared as a whole', async t => {
  const token = verifier({ type: 'token', header: 'Authorization', prefix: 'Bearer ' })
  t.equal(token({ authorization: `Bearer ${SECRET}` }), 'token')
  for (const shown of [SECRET, `Bearer ${SECRET} `, 'Bearer ', `bearer ${SECRET}`]) {
    t.throws(() => token({ authorization: shown }), REFUSED, shown)
  }
  const basic = verifier({ type: 'basic', username: 'hook' })
  const credentials = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
  t.equal(basic(credentials(`hook:${SECRET}`)), 'token')
  t.throws(() => basic(credentials(`other:${SECRET}`)), REFUSED)
  t.throws(() => basic({}), REFUSED)
  const inBody = verifier({ type: 'body', at: '/token' })
  t.equal(inBody({}, { body: JSON.stringify({ token: SECRET }) }), 'token')
  t.throws(() => inBody({}, { body: '{"token":["x"]}' }), REFUSED)
  t.throws(() => inBody({}, { body: 'no json' }), REFUSED)
})

t.test('without a secret, every form of proof except none refuses deliveries', async t => {
  const closed = { category: 'forbidden', code: 'source_closed' }
  t.throws(() => verifier({ type: 'slack' })({}, { secrets: [] }), closed)
  t.throws(() => verifier({ type: 'token', header: 'X-Token' })({ 'x-token': '' }, { secrets: [''] }), closed)
  t.equal(verifier({ type: 'none' })({}, { secrets: [] }), 'none')
})

t.test('a refused definition names the problems of its own form of proof alone', t => {
  const problemsOf = (proof: unknown) => {
    try {
      readSourceDefinition({ name: 'own', proof, rules: [] })
    } catch (error) {
      return (error as AppError).errors.map(({ detail }) => detail)
    }
    return []
  }
  t.same(problemsOf({ type: 'feed', url: 'ftp://example.org/feed' }), ['/proof/url must match pattern "^https?://".'])
  t.same(problemsOf({ type: 'token' }), ['/proof/header is required.'])
  t.match(problemsOf({ type: 'teapot' }), [/^\/proof\/type must be one of: none, token, query, .*ed25519\.$/])
  t.equal(problemsOf({}).length, 1)
  t.same(problemsOf(7), ['/proof must be object.'])
  t.end()
})
