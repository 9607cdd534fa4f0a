import t from 'tap'
import { chat } from '../../../src/platforms/chat/adapter.js'
import { acceptDelivery } from '../../../src/platforms/deliveries/accept-delivery.js'

const TOKEN = 'k3yOfTheDeployHelper'
const REFUSED = { name: 'AppError', category: 'unauthenticated', code: 'signature_invalid' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function verify(body: unknown, secrets: string[] = [TOKEN], headers: Record<string, string> = {}) {
  return chat.verify({ headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }, secrets)
}

t.test('the token of the bot is accepted, in each format', async t => {
  t.equal(verify({ token: TOKEN, trigger: 'mention', message: { id: 1 } }), 'token')
  t.equal(verify({ token: TOKEN, type: 'message', message: { id: 1 } }), 'token', 'a forwarder may add it')
  t.equal(verify(`token=${TOKEN}&team_id=T1&channel_id=C1`, [TOKEN], FORM), 'token')
  t.equal(verify({ token: 'Schlüssel ☕ 秘密' }, ['Schlüssel ☕ 秘密']), 'token')
})

t.test('any other token is refused', async t => {
  const bodies = [
    {},
    { token: '' },
    { token: null },
    { token: 'k3y' },
    { token: `${TOKEN} ` },
    { token: TOKEN.toLowerCase() },
    { token: TOKEN.repeat(500) },
    { token: '[REDACTED]' },
    { token: [TOKEN] },
    { token: { toString: TOKEN } },
    { Token: TOKEN },
    { message: { token: TOKEN } },
    { events: [{ token: TOKEN }] },
    '',
    'no JSON',
    '[]',
    `["${TOKEN}"]`,
    `"${TOKEN}"`,
    `{"token":"${TOKEN}","token":"another"}`,
  ]
  for (const body of bodies) t.throws(() => verify(body), REFUSED, JSON.stringify(body))
  t.throws(() => verify(`token=another&token=${TOKEN}x&team_id=T1&channel_id=C1`, [TOKEN], FORM), REFUSED)
  t.throws(() => verify(`text=${TOKEN}&team_id=T1&channel_id=C1`, [TOKEN], FORM), REFUSED)
})

t.test('during a rotation, each secret is accepted', async t => {
  const body = { token: TOKEN, message: { id: 1 } }
  t.equal(verify(body, ['older', TOKEN]), 'token')
  t.equal(verify(body, [TOKEN, 'newer']), 'token')
  t.throws(() => verify(body, ['older', 'newer']), REFUSED)
})

t.test('without a secret no delivery is verified', async t => {
  for (const secrets of [[], ['']]) {
    for (const body of [{ token: TOKEN }, { token: '' }, {}, 'no JSON']) t.equal(verify(body, secrets), 'none')
  }
})

t.test('a refusal explains what to do and reveals no secret', async t => {
  t.throws(() => verify({}), { message: /no token.*bot/su })
  try {
    verify({ token: 'guessed' })
    t.fail('should have been refused')
  } catch (error) {
    const { message } = error as Error
    t.notMatch(message, TOKEN)
    t.notMatch(message, 'guessed')
  }
})

t.test('the answer posts no message into the conversation', async t => {
  t.strictSame(chat.answer, { response_not_required: true })
})

t.test('the token that verified a delivery does not reach the ledger', async t => {
  const delivery = { headers: {}, body: Buffer.from(JSON.stringify({ token: TOKEN, message: { id: 1 } })) }
  const tokenKept = (secrets: string[]) =>
    acceptDelivery(chat, delivery, { secrets, requireVerified: false, context: {} }).events[0]?.event.payload.token
  t.equal(tokenKept([TOKEN]), '[REDACTED]')
  t.equal(tokenKept([]), TOKEN, 'where no secret is configured it proves nothing')
})
