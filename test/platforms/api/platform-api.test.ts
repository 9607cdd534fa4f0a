import t from 'tap'
import { PlatformApi, type RequestPolicy } from '../../../src/platforms/api/platform-api.js'
import { closing, startRestServer } from '../../support/history-servers/rest-server.js'

const refused = (code: string) => ({ category: 'forbidden', code, what: 'refuses', hint: 'Check it.' }) as const

const POLICY: RequestPolicy = {
  connections: 1,
  longestWaitSeconds: 60,
  retrySeconds: [],
  words: {
    checkAddress: 'Check the address.',
    again: 'Try again.',
    refused: { 401: refused('401'), 403: refused('403'), 404: refused('404') },
  },
}

t.test('a request that changes something is repeated at another path only if its method stays', async t => {
  for (const [status, isFollowed] of [
    [301, false],
    [302, false],
    [307, true],
    [308, true],
  ] as const) {
    const server = closing(
      t,
      await startRestServer({
        answer: ({ path }, origin) =>
          path === '/v1/new' ? { body: { ok: true } } : { status, headers: { location: `${origin}/v1/new` }, body: {} },
      }),
    )
    const options = { baseUrl: `${server.url}/v1`, headers: {}, sleep: async () => {}, now: Date.now }
    const api = new PlatformApi(options, POLICY)
    t.teardown(() => api.close())
    t.equal((await api.call('GET', '/old')).status, 200, `GET, ${status}`)
    const posted = api.call('POST', '/old')
    if (isFollowed) t.equal((await posted).status, 200, `POST, ${status}`)
    else await t.rejects(posted, { code: 'platform_answer_unreadable', message: /redirect/ }, `POST, ${status}`)
  }
})
