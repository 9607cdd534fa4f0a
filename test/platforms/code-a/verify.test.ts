import { createHmac } from 'node:crypto'
import t from 'tap'
import { codeA } from '../../../src/platforms/code-a/adapter.js'

const SECRET = 'difference-engine'
const BODY = Buffer.from('{"action":"opened","issue":{"title":"Ünïcödé ☕ \\ud83d\\ude00"}}')
const REFUSED = { name: 'AppError', category: 'unauthenticated', code: 'signature_invalid' }

function sign(algorithm: 'sha1' | 'sha256', secret: string, body: Uint8Array): string {
  return createHmac(algorithm, secret).update(body).digest('hex')
}

const right = sign('sha256', SECRET, BODY)
const wrong = sign('sha256', 'another', BODY)
const rightSha1 = sign('sha1', SECRET, BODY)

function verify(headers: Record<string, string>, secrets: string[] = [SECRET], body: Uint8Array = BODY) {
  return codeA.verify({ headers, body }, secrets)
}

t.test('a valid signature is accepted', async t => {
  const cases = [
    { name: 'GitHub', headers: { 'x-hub-signature-256': `sha256=${right}` } },
    { name: 'GitHub, in capitals', headers: { 'x-hub-signature-256': `SHA256=${right.toUpperCase()}` } },
    { name: 'Gitea', headers: { 'x-gitea-signature': right } },
    { name: 'Forgejo', headers: { 'x-forgejo-signature': right } },
    { name: 'Gogs', headers: { 'x-gogs-signature': right } },
    {
      name: 'several forms that agree',
      headers: { 'x-hub-signature-256': `sha256=${right}`, 'x-gitea-signature': right, 'x-gogs-signature': right },
    },
    { name: 'SHA-1 without a stronger signature', headers: { 'x-hub-signature': `sha1=${rightSha1}` } },
    {
      name: 'SHA-256 beside a wrong SHA-1',
      headers: { 'x-hub-signature-256': `sha256=${right}`, 'x-hub-signature': `sha1=${'0'.repeat(40)}` },
    },
  ]
  for (const { name, headers } of cases) t.equal(verify(headers), 'signature', name)
})

t.test('an invalid or missing signature is refused', async t => {
  const cases = [
    { name: 'no signature', headers: {} },
    { name: 'an empty signature', headers: { 'x-hub-signature-256': '' } },
    { name: 'another secret', headers: { 'x-hub-signature-256': `sha256=${wrong}` } },
    { name: 'too short', headers: { 'x-hub-signature-256': `sha256=${right.slice(1)}` } },
    { name: 'too long', headers: { 'x-hub-signature-256': `sha256=${right}0` } },
    { name: 'very long', headers: { 'x-hub-signature-256': `sha256=${right.repeat(200)}` } },
    { name: 'not hex', headers: { 'x-hub-signature-256': 'sha256=ÿ☕' } },
    { name: 'only the prefix, as Gitea sends it without a secret', headers: { 'x-hub-signature-256': 'sha256=' } },
    { name: 'without its prefix', headers: { 'x-hub-signature-256': right } },
    { name: 'the header sent twice', headers: { 'x-hub-signature-256': `sha256=${wrong}, sha256=${right}` } },
    { name: 'SHA-1 under the name of SHA-256', headers: { 'x-hub-signature-256': `sha1=${rightSha1}` } },
    { name: 'a wrong SHA-1', headers: { 'x-hub-signature': `sha1=${sign('sha1', 'another', BODY)}` } },
    {
      name: 'a wrong SHA-256 beside a right SHA-1',
      headers: { 'x-hub-signature-256': `sha256=${wrong}`, 'x-hub-signature': `sha1=${rightSha1}` },
    },
    {
      name: 'two SHA-256 forms of which one is wrong',
      headers: { 'x-hub-signature-256': `sha256=${right}`, 'x-gitea-signature': wrong },
    },
  ]
  for (const { name, headers } of cases) t.throws(() => verify(headers), REFUSED, name)
})

t.test('during a rotation, each secret is accepted', async t => {
  const headers = { 'x-hub-signature-256': `sha256=${right}` }
  t.equal(verify(headers, ['older', SECRET]), 'signature')
  t.equal(verify(headers, [SECRET, 'newer']), 'signature')
  t.throws(() => verify(headers, ['older', 'newer']), REFUSED)
})

t.test('two signatures must match the same secret', async t => {
  const headers = { 'x-hub-signature-256': `sha256=${right}`, 'x-gitea-signature': wrong }
  t.throws(() => verify(headers, [SECRET, 'another']), REFUSED)
})

t.test('the signature covers the exact bytes of the body', async t => {
  const headers = { 'x-hub-signature-256': `sha256=${right}` }
  const reserialised = Buffer.from(JSON.stringify(JSON.parse(BODY.toString())))
  t.notSame(reserialised, BODY)
  t.throws(() => verify(headers, [SECRET], reserialised), REFUSED)
  for (const at of [0, 20, BODY.length - 1]) {
    const changed = Buffer.from(BODY)
    changed[at] = (changed[at] ?? 0) ^ 1
    t.throws(() => verify(headers, [SECRET], changed), REFUSED, `byte ${at}`)
  }
})

t.test('the signature covers a form as it was sent', async t => {
  const form = Buffer.from('payload=%7B%22action%22%3A%22opened%22%7D')
  const signature = `sha256=${sign('sha256', SECRET, form)}`
  t.equal(verify({ 'x-hub-signature-256': signature }, [SECRET], form), 'signature')
})

t.test('signatures of invalid UTF-8, of an empty body and with a non-ASCII secret are verified', async t => {
  for (const body of [Buffer.from([0xff, 0xfe, 0, 0x80]), Buffer.alloc(0)]) {
    const secret = 'sésame ☕ 秘密'
    const headers = { 'x-forgejo-signature': sign('sha256', secret, body) }
    t.equal(verify(headers, [secret], body), 'signature')
  }
})

t.test('the signature of a view into a larger buffer covers only the view', async t => {
  const larger = Buffer.concat([Buffer.from('before'), BODY, Buffer.from('after')])
  const view = new Uint8Array(larger.buffer, larger.byteOffset + 6, BODY.length)
  t.equal(verify({ 'x-gitea-signature': right }, [SECRET], view), 'signature')
})

t.test('without a secret no delivery is verified', async t => {
  t.equal(verify({}, []), 'none')
  t.equal(verify({ 'x-hub-signature-256': `sha256=${wrong}` }, []), 'none')
  t.equal(verify({ 'x-hub-signature-256': `sha256=${sign('sha256', '', BODY)}` }, ['']), 'none', 'nor by an empty one')
})

t.test('a refusal explains what to do and reveals no secret', async t => {
  t.throws(() => verify({}), { message: /not signed.*secret/su })
  try {
    verify({ 'x-hub-signature-256': `sha256=${wrong}` })
    t.fail('should have been refused')
  } catch (error) {
    const { message } = error as Error
    t.notMatch(message, SECRET)
    t.notMatch(message, right)
  }
})
