import t from 'tap'
import type { HistoryAccount } from '../../../src/model/platforms/history.js'
import { toMessageEvent } from '../../../src/platforms/chat/messages/message.js'
import { chatServer } from '../../support/chat-server/chat-server.js'
import { rateLimited, respondWith } from '../../support/chat-server/fault.js'
import { DEPLOYS } from '../capture/capture-rig.js'
import { historyRig } from './history-rig.js'

t.test('the messages of a stream are recorded once, with the keys of every other route', async t => {
  const rig = await historyRig(t)
  const chat = await chatServer(t, {
    fault: ({ path, index }) => {
      if (path !== '/api/v1/messages') return undefined
      return index === 0 ? rateLimited(900) : index === 2 ? respondWith(502, {}) : undefined
    },
  })
  const ids = chat.book.say(DEPLOYS, 1_150)
  chat.book.say({ stream: 'eng', topic: 'lunch' }, 2)
  const account: HistoryAccount = { source: 'chat', baseUrl: chat.url, token: chat.apiKey, username: chat.email }
  await t.rejects(rig.read('stream:eng/topic:deploys', account), {
    code: 'chat_unavailable',
    message: /1,000 new events/,
  })
  t.match(await rig.read('stream:eng/topic:deploys', account), { resumed: true, created: 150 })
  t.ok(rig.pauses.includes(900_000), 'it waited as the server asked')
  t.match(await rig.read('stream:eng', account), { created: 2, known: 1_150 })
  const keys = new Set((await rig.events()).map(({ dedupe_key }) => dedupe_key))
  const site = chat.url
  t.ok(keys.has(toMessageEvent({ id: ids.at(-1), type: 'stream' }, { site })?.dedupe_key ?? ''))
  t.match((await rig.events())[0], { provenance: { route: 'import', verified: 'login' } })
})
