import t from 'tap'
import { AppError } from '../../../../src/model/app-error.js'
import type { ChatApi } from '../../../../src/platforms/chat/capture/chat-api.js'
import { UserDirectory } from '../../../../src/platforms/chat/capture/user-directory.js'

const ADA = { isBot: false, role: 'member' }
const from = (senderId: number) => [{ id: 1, payload: { sender_id: senderId } }]

function directory(answer: () => Promise<Map<string, typeof ADA>>) {
  const clock = { now: 0 }
  let asked = 0
  const users = () => {
    asked += 1
    return answer()
  }
  const api = { users } as Partial<ChatApi> as ChatApi
  const known = new UserDirectory(() => clock.now)
  return { clock, asked: () => asked, usersFor: (senderId: number) => known.usersFor(from(senderId), api) }
}

t.test('the list of users is requested once an hour, and once a minute for unknown users', async t => {
  const { clock, asked, usersFor } = directory(async () => new Map([['9', ADA]]))
  t.same((await usersFor(9)).get('9'), ADA)
  await usersFor(9)
  await usersFor(77)
  t.equal(asked(), 1)
  clock.now += 61_000
  await usersFor(9)
  t.equal(asked(), 1)
  await usersFor(77)
  t.equal(asked(), 2)
  clock.now += 3_600_001
  await usersFor(9)
  t.equal(asked(), 3)
})

t.test(
  'an account without permission continues without the list of users, and any other failure is passed on',
  async t => {
    const denied = directory(() => Promise.reject(new AppError('forbidden', 'chat_not_permitted', 'No.')))
    t.same(await denied.usersFor(9), new Map())
    const broken = directory(() => Promise.reject(new AppError('unavailable', 'chat_timeout', 'Late.')))
    await t.rejects(broken.usersFor(9), { code: 'chat_timeout' })
  },
)
