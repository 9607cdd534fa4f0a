import t from 'tap'
import { AppError } from '../../../../src/model/app-error.js'
import { RateLimitedChatApi } from '../../../../src/platforms/chat/capture/rate-limited-chat-api.js'

/** An API that refuses a number of requests for its users, each time with a wait. */
function limited(waits: number[]) {
  const slept: number[] = []
  const reported: number[] = []
  const users = async () => {
    const seconds = waits.shift()
    if (seconds === undefined) return new Map()
    throw new AppError('unavailable', 'chat_rate_limited', 'Fewer requests.', { retryAfterSeconds: seconds })
  }
  const notAsked = () => Promise.reject(new Error('not asked'))
  const api = { featureLevel: async () => 1, messages: notAsked, message: notAsked, users }
  const sleep = async (milliseconds: number) => slept.push(milliseconds)
  return { api: new RateLimitedChatApi(api, { sleep, onWait: seconds => reported.push(seconds) }), slept, reported }
}

t.test('a request waits as the server asks, and reports the wait', async t => {
  const { api, slept, reported } = limited([28.7068, 0.25])
  t.same(await api.users(), new Map())
  t.same(slept, [28_707, 250])
  t.same(reported, [28.7068, 0.25])
})

t.test('a request fails instead of waiting for more than a minute', async t => {
  const { api, slept } = limited([60.5])
  await t.rejects(api.users(), { code: 'chat_rate_limited', retryAfterSeconds: 60.5 })
  t.same(slept, [])
})

t.test('several waits of one request add up to a minute at most', async t => {
  const { api, slept } = limited([30, 29, 2])
  await t.rejects(api.users(), { code: 'chat_rate_limited' })
  t.same(slept, [30_000, 29_000])
})

t.test('a server that repeatedly asks for no wait gets longer and longer ones', async t => {
  const { api, slept } = limited(Array.from({ length: 10_000 }, () => 0))
  await t.rejects(api.users(), { code: 'chat_rate_limited' })
  t.same(slept, [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600])
})

t.test('each request has its own limit for waits', async t => {
  const { api, slept } = limited([])
  await api.users()
  t.same(slept, [])
  const again = limited([59])
  await again.api.users()
  t.same(again.slept, [59_000])
})

t.test('any other failure is passed on unchanged', async t => {
  const { api } = limited([])
  const window = { narrow: [], anchor: 1, before: 0, after: 1, withAnchor: true }
  await t.rejects(api.messages(window), { message: 'not asked' })
})
