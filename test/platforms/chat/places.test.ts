import fc from 'fast-check'
import t from 'tap'
import { parseTarget, scopeKeysOf, toTarget } from '../../../src/model/subscriptions/scope-key.js'
import { anyCharacter } from '../../support/any-character.js'
import { eventOf, message, normalise, readFixtures, SITE } from './support.js'

function covers(target: string, members: Record<string, unknown>): boolean {
  return scopeKeysOf(eventOf({ body: message(members) }).target).includes(parseTarget('chat', target).scopeKey)
}

t.test('a subscription to a stream or topic covers its messages and no others', async t => {
  t.ok(covers('stream:eng', {}))
  t.ok(covers('stream:eng/topic:deploys', {}))
  t.ok(covers('stream:eng/topic:✔ deploys', { subject: '✔ deploys' }))
  t.ok(covers('stream:eng/topic:', { subject: '' }))
  t.ok(covers('stream:a%2Fb/topic:c%2Fd', { display_recipient: 'a/b', subject: 'c/d' }))
  t.notOk(covers('stream:eng/topic:deploys', { subject: '✔ deploys' }))
  t.notOk(covers('stream:ops', {}))
  t.notOk(covers('stream:ops/topic:deploys', {}))
  t.notOk(covers('stream:4', {}), 'a stream that is called 4 is not the one with id 4')
})

t.test('a subscription covers the events of a message if they name its place', async t => {
  const place = { stream_id: 4, stream_name: 'eng', orig_subject: 'deploys', subject: '✔ deploys' }
  const body = { type: 'update_message', user_id: 17, edit_timestamp: 1, message_id: 8812, ...place }
  const keys = scopeKeysOf(eventOf({ body }).target)
  t.ok(keys.includes(parseTarget('chat', 'stream:eng/topic:✔ deploys').scopeKey))
  t.ok(keys.includes('stream:4'))
})

t.test('for every name of a stream and a topic, their subscription covers their messages', async () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), fc.string({ unit: anyCharacter }), (stream, topic) => {
      if (stream === '[REDACTED]' || topic === '[REDACTED]') return true
      const target = toTarget('chat', { filters: { stream, topic } }) ?? ''
      return covers(target, { display_recipient: stream, subject: topic })
    }),
  )
})

t.test('a direct conversation is the same for every order of its people', async t => {
  const people = [17, 19, 8, 102].map(id => ({ id, full_name: `Person ${id}` }))
  const direct = (display_recipient: unknown, sender: number) =>
    eventOf({
      body: message({ type: 'private', subject: '', stream_id: undefined, display_recipient, sender_id: sender }),
    })
  const one = direct(people, 17)
  const other = direct(people.toReversed(), 102)
  t.equal(one.target.parent?.key, 'direct_conversation:8,17,19,102')
  t.equal(one.conversation.key, 'direct_conversation:8,17,19,102')
  t.equal(other.conversation.key, one.conversation.key)
  t.equal(direct(people.slice(1), 17).conversation.key, one.conversation.key, 'the sender takes part anyway')
})

t.test('a key contains no name that can change', async t => {
  const names = [/deploys/u, /builds/u, /coffee/u, /looms/u, /"eng"/u, /Lovelace|Hopper/u, /warm engines/u]
  for (const fixture of readFixtures()) {
    for (const event of normalise(fixture).events) {
      const keys = [event.dedupe_key, event.conversation.key ?? '']
      for (let node: typeof event.target | undefined = event.target; node; node = node.parent) keys.push(node.key ?? '')
      for (const name of names) t.notMatch(JSON.stringify(keys), name, fixture.name)
    }
  }
})

t.test('the target chain leads from the message over topic and stream to the realm', async t => {
  const types: string[] = []
  for (
    let node: ReturnType<typeof eventOf>['target'] | undefined = eventOf({ body: message(), site: SITE }).target;
    node;
  ) {
    types.push(`${node.type} ${node.key ?? '-'} ${node.metadata?.native_type}`)
    node = node.parent
  }
  t.strictSame(types, [
    'message message:8812 message',
    'topic - topic',
    'stream stream:4 channel',
    'realm realm:chat.example.org realm',
  ])
})
