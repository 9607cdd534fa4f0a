import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { LEDGER } from '../../src/client/answer.js'
import { exchange as askServer } from '../../src/client/transport.js'
import { exchange, type HttpCall } from '../../src/http/exchange.js'
import { toHttpFailure } from '../../src/http/http-failure.js'
import { ChatApiClient } from '../../src/platforms/chat/capture/chat-api-client.js'
import { readFeed } from '../../src/platforms/feeds/read-feed.js'

const CALL: HttpCall = { method: 'GET', path: '/', headers: {}, idleSeconds: 5, maxAnswerBytes: 1024 }

const pem = (name: string) => readFileSync(new URL(`../proxy/fixtures/localhost-${name}.pem`, import.meta.url))

async function startTls(t: Test): Promise<number> {
  const server = createServer({ key: pem('key'), cert: pem('cert') }, (_, res) => res.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

t.test('a certificate that is not trusted is named, and what to do about it', async t => {
  const url = `https://localhost:${await startTls(t)}`
  const untrusted = { kind: 'untrusted', reason: /issuer/, advice: /NODE_EXTRA_CA_CERTS/ }
  t.match(await exchange({ baseUrl: url }, CALL).catch(error => error), untrusted)
  const message = /cannot be used: the issuer of its certificate is not known\. .*NODE_EXTRA_CA_CERTS/
  await t.rejects(readFeed(`${url}/feed`), { code: 'platform_unreachable', message })
  const chat = new ChatApiClient({ site: url, email: 'bot@example.org', api_key: 'key' })
  await t.rejects(chat.users(), { code: 'chat_unreachable', message })
  await t.rejects(askServer({ apiUrl: url }, CALL, LEDGER), { code: 'server_unreachable', message })
})

t.test('a certificate for another name is not one of an unknown issuer', async t => {
  const port = await startTls(t)
  const agent = new Agent({ ca: pem('cert'), checkServerIdentity: () => differentName() })
  t.teardown(() => agent.destroy())
  const failure = await exchange({ baseUrl: `https://localhost:${port}` }, { ...CALL, agent }).catch(error => error)
  t.match(failure, { kind: 'untrusted', reason: 'its certificate is for another name' })
})

t.test('other problems of certificates have words too', async t => {
  for (const [code, reason] of [
    ['CERT_HAS_EXPIRED', 'its certificate has expired'],
    ['CERT_NOT_YET_VALID', 'its certificate is not valid yet'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the issuer of its certificate is not known'],
  ] as const) {
    t.match(toHttpFailure(Object.assign(new Error('x'), { code }), false), { kind: 'untrusted', reason })
  }
  const handshake = Object.assign(new Error('x'), { code: 'EPROTO' })
  t.match(toHttpFailure(handshake, false), { kind: 'unreachable', reason: 'the TLS handshake failed' })
})

function differentName(): Error {
  return Object.assign(new Error('another name'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
}
