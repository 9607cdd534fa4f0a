import t from 'tap'
import { conversationOf, isOf } from '../../assets/observatory/events/panel/conversation.js'
import type { TargetNode } from '../../src/model/events/event.js'

/** From the outermost to the target. */
const chain = (...nodes: TargetNode[]) => nodes.reduce((parent, node) => ({ ...node, parent })) as TargetNode

const realm = { type: 'realm', key: 'realm:chat.example.org', display: 'chat' }
const eng = { type: 'channel', key: 'channel:4', display: 'eng' }
const deploys = { type: 'topic', display: 'deploys' }
const message = { type: 'message', key: 'message:1' }
const repository = { type: 'repository', key: 'repository:7', display: 'tidepool/relay' }
const pull = { type: 'pull_request', key: 'pull_request:482', display: '#482 Honour it' }

t.test('messages belong to their topic, and comments to the object that they comment on', async t => {
  const of = (target: TargetNode, key?: string) =>
    conversationOf({ target, conversation: key === undefined ? {} : { key } })
  t.match(of(chain(eng, { ...deploys, key: 'topic:deploys' }, message)), {
    key: 'topic:deploys',
    within: { length: 0 },
    words: 'eng › deploys',
  })
  t.match(of(chain(repository, pull, { type: 'comment', key: 'comment:1' }), 'pull_request:482'), {
    key: 'pull_request:482',
  })
  t.match(of(chain(repository, pull)), { key: 'pull_request:482', words: 'tidepool/relay › #482 Honour it' })
})

t.test('a topic without a key is identified by its name within its stream', async t => {
  const target = chain(realm, eng, deploys, message)
  const found = conversationOf({ target, conversation: { key: 'channel:4' } })
  t.match(found, { key: 'channel:4', within: [deploys], words: 'eng › deploys' })
  if (!found) return
  t.equal(isOf(found, { target: chain(realm, eng, deploys, { type: 'message', key: 'message:2' }) }), true)
  t.equal(isOf(found, { target: chain(realm, eng, { ...deploys, display: 'other' }, message) }), false)
  t.equal(isOf(found, { target: eng }), false)
})

t.test('an event about a whole installation has no conversation', async t => {
  t.equal(conversationOf({ target: chain(realm, message), conversation: {} }), undefined)
  t.equal(conversationOf({ target: {}, conversation: {} }), undefined)
})
