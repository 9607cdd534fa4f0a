import { createHmac, randomBytes } from 'node:crypto'
import t from 'tap'
import { createCodeB } from '../../../src/platforms/code-b/adapter.js'

const TOKEN = 'difference-engine'
const KEY = Buffer.from('0123456789abcdef0123456789abcdef')
const SIGNING_TOKEN = `whsec_${KEY.toString('base64')}`
const NOW_SECONDS = 1_935_738_000
const ID = '0c6f2a52-6d1e-4d3c-8f7a-9b1d5e3a7c10'
const BODY = Buffer.from('{"object_kind":"issue","object_attributes":{"title":"Ünïcödé ☕ \\ud83d\\ude00"}}')
const REFUSED = { name: 'AppError', category: 'unauthenticated', code: 'signature_invalid' }

const adapter = createCodeB(() => NOW_SECONDS * 1_000)

function verify(headers: Record<string, string>, secrets: string[], body: Uint8Array = BODY) {
  return adapter.verify({ headers, body }, secrets)
}

interface Signing {
  key?: Buffer
  id?: string
  timestamp?: string
  body?: Uint8Array
}

function sign({ key = KEY, id = ID, timestamp = String(NOW_SECONDS), body = BODY }: Signing = {}): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

function signed(signature: string, timestamp = String(NOW_SECONDS), id = ID): Record<string, string> {
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

t.test('a valid token is accepted as a token', async t => {
  t.equal(verify({ 'x-gitlab-token': TOKEN }, [TOKEN]), 'token')
  t.equal(verify({ 'x-gitlab-token': TOKEN }, ['older', TOKEN]), 'token')
  t.equal(
    verify({ 'x-gitlab-token': TOKEN }, [SIGNING_TOKEN, TOKEN]),
    'token',
    'while the hook is given a signing token',
  )
})

t.test('any other token is refused', async t => {
  const shown = ['', 'Difference-Engine', `${TOKEN} `, TOKEN.slice(1), TOKEN.repeat(500), 'ÿ☕', `${TOKEN}, ${TOKEN}`]
  for (const token of shown) t.throws(() => verify({ 'x-gitlab-token': token }, [TOKEN]), REFUSED, token)
  t.throws(() => verify({}, [TOKEN]), REFUSED)
  t.throws(() => verify({ 'x-gitlab-token': TOKEN }, ['older', 'newer']), REFUSED)
})

t.test('a signing token is never accepted as a token', async t => {
  t.throws(() => verify({ 'x-gitlab-token': SIGNING_TOKEN }, [SIGNING_TOKEN]), REFUSED)
})

t.test('a valid signature is accepted as a signature', async t => {
  const other = `v1,${randomBytes(32).toString('base64')}`
  const cases = [
    { name: 'alone', signature: sign() },
    { name: 'after another', signature: `${other} ${sign()}` },
    { name: 'before another', signature: `${sign()} ${other}` },
    { name: 'beside one of another version', signature: `v1a,${randomBytes(64).toString('base64')} ${sign()}` },
  ]
  for (const { name, signature } of cases) t.equal(verify(signed(signature), [SIGNING_TOKEN]), 'signature', name)
})

t.test('during a rotation, each signing token is accepted', async t => {
  const newer = `whsec_${randomBytes(32).toString('base64')}`
  t.equal(verify(signed(sign()), [newer, SIGNING_TOKEN]), 'signature')
  t.equal(verify(signed(sign()), [SIGNING_TOKEN, newer, TOKEN]), 'signature')
  t.throws(() => verify(signed(sign()), [newer]), REFUSED)
})

t.test('any other signature is refused', async t => {
  const right = sign()
  const { 'webhook-id': _id, ...withoutId } = signed(right)
  const { 'webhook-timestamp': _timestamp, ...withoutTimestamp } = signed(right)
  const cases = [
    { name: 'of another key', headers: signed(sign({ key: randomBytes(32) })) },
    { name: 'of another delivery', headers: signed(right, String(NOW_SECONDS), 'another-id') },
    { name: 'of another second', headers: signed(right, String(NOW_SECONDS + 1)) },
    { name: 'without its version', headers: signed(right.slice('v1,'.length)) },
    { name: 'under the name of another version', headers: signed(right.replace('v1,', 'v1a,')) },
    { name: 'in a header sent twice', headers: signed(`${right}, ${right}`) },
    { name: 'beside something malformed', headers: signed(`${right} v1,`) },
    { name: 'of blanks', headers: signed('  ') },
    { name: 'with its id sent twice', headers: signed(right, String(NOW_SECONDS), `${ID}, ${ID}`) },
    { name: 'with its time sent twice', headers: signed(right, `${NOW_SECONDS}, ${NOW_SECONDS}`) },
    { name: 'without an id', headers: withoutId },
    { name: 'without a time', headers: withoutTimestamp },
  ]
  for (const { name, headers } of cases) t.throws(() => verify(headers, [SIGNING_TOKEN]), REFUSED, name)
})

t.test('a signature must match, even beside a valid token', async t => {
  const headers = { ...signed(sign({ key: randomBytes(32) })), 'x-gitlab-token': TOKEN }
  t.throws(() => verify(headers, [TOKEN, SIGNING_TOKEN]), REFUSED)
  t.throws(() => verify({ ...signed(sign()), 'x-gitlab-token': TOKEN }, [TOKEN]), REFUSED, 'with no signing token here')
})

t.test('a signature is valid for five minutes before and after its time', async t => {
  for (const seconds of [-300, -1, 0, 299, 300]) {
    const timestamp = String(NOW_SECONDS + seconds)
    t.equal(verify(signed(sign({ timestamp }), timestamp), [SIGNING_TOKEN]), 'signature', `${seconds} s`)
  }
  for (const timestamp of [NOW_SECONDS - 301, NOW_SECONDS + 301, NOW_SECONDS * 1_000, 0].map(String)) {
    t.throws(() => verify(signed(sign({ timestamp }), timestamp), [SIGNING_TOKEN]), REFUSED, timestamp)
  }
  for (const timestamp of [
    '',
    'now',
    `-${NOW_SECONDS}`,
    `${NOW_SECONDS}.5`,
    `0x${NOW_SECONDS.toString(16)}`,
    ' 1',
    '1e9',
  ]) {
    t.throws(() => verify(signed(sign({ timestamp }), timestamp), [SIGNING_TOKEN]), REFUSED, JSON.stringify(timestamp))
  }
})

t.test('the signature covers the exact bytes of the body', async t => {
  const headers = signed(sign())
  const reserialised = Buffer.from(JSON.stringify(JSON.parse(BODY.toString())))
  t.notSame(reserialised, BODY)
  t.throws(() => verify(headers, [SIGNING_TOKEN], reserialised), REFUSED)
  for (const at of [0, 20, BODY.length - 1]) {
    const changed = Buffer.from(BODY)
    changed[at] = (changed[at] ?? 0) ^ 1
    t.throws(() => verify(headers, [SIGNING_TOKEN], changed), REFUSED, `byte ${at}`)
  }
})

t.test('signatures of invalid UTF-8, of an empty body and of a view into a larger buffer are verified', async t => {
  const larger = Buffer.concat([Buffer.from('before'), BODY, Buffer.from('after')])
  const view = new Uint8Array(larger.buffer, larger.byteOffset + 6, BODY.length)
  for (const body of [Buffer.from([0xff, 0xfe, 0, 0x80]), Buffer.alloc(0), view]) {
    t.equal(verify(signed(sign({ body })), [SIGNING_TOKEN], body), 'signature')
  }
})

t.test('without a secret no delivery is verified', async t => {
  for (const secrets of [[], [''], ['', '']]) {
    t.equal(verify({}, secrets), 'none')
    t.equal(verify({ 'x-gitlab-token': TOKEN }, secrets), 'none')
    t.equal(verify(signed(sign({ key: randomBytes(32) })), secrets), 'none')
  }
})

t.test('a signing token without a key admits no delivery', async t => {
  for (const secret of ['whsec_', 'whsec_=', 'whsec_!']) {
    t.throws(() => verify(signed(sign({ key: Buffer.alloc(0) })), [secret]), REFUSED, secret)
    t.throws(() => verify({ 'x-gitlab-token': secret }, [secret]), REFUSED, secret)
    t.throws(() => verify({}, [secret]), REFUSED, secret)
  }
})

t.test('a refusal explains what to do and reveals no secret', async t => {
  t.throws(() => verify({}, [TOKEN]), { message: /neither a signature nor a token.*secret/su })
  const wrong = [{ 'x-gitlab-token': 'wrong' }, signed(sign({ key: randomBytes(32) })), signed(sign(), '1')]
  for (const headers of wrong) {
    try {
      verify(headers, [TOKEN, SIGNING_TOKEN])
      t.fail('should have been refused')
    } catch (error) {
      const { message } = error as Error
      for (const secret of [TOKEN, SIGNING_TOKEN, KEY.toString('base64'), sign().slice(3)]) t.notMatch(message, secret)
    }
  }
})
