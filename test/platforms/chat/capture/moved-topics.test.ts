import t, { type Test } from 'tap'
import { type ChatServerOptions, chatServer } from '../../../support/chat-server/chat-server.js'
import { Captured, DEPLOYS, narrowsAsked } from './captured.js'

const RANDOM = { stream: 'eng', topic: 'random' }

/** A watch of a topic whose first messages were captured. */
async function capturedDeploys(t: Test, messages: number, options?: ChatServerOptions) {
  const server = await chatServer(t, options)
  const { book } = server
  const ids = book.say(DEPLOYS, messages)
  const watch = new Captured(t, server)
  await watch.run()
  return { server, book, ids, watch }
}

t.test('capture follows a resolved or renamed topic, and finds it under its new name', async t => {
  const { server, book, ids, watch } = await capturedDeploys(t, 3)
  const resolved = book.resolve(DEPLOYS)
  ids.push(...book.say(resolved, 2))
  await watch.run()
  book.move(resolved, { stream: 'ops', topic: 'Deployments' })
  ids.push(...book.say({ stream: 'ops', topic: 'Deployments' }, 2))
  await watch.run()
  t.same(watch.ids, ids)
  t.match(watch.events.at(-1)?.target.parent, { display: 'Deployments', parent: { display: 'ops' } })
  t.match(watch.progress.followed, { message_id: 1, stream: 'ops', topic: 'Deployments', watched: DEPLOYS })
  const named = ['deploys', '✔ deploys'].map(topic => [
    { operator: 'stream', operand: 'eng' },
    { operator: 'topic', operand: topic },
  ])
  t.same(narrowsAsked(server), [
    named[0],
    [...(named[0] ?? []), { operator: 'with', operand: 1 }],
    named[0], // whether it is still there
    [...(named[1] ?? []), { operator: 'with', operand: 1 }],
    named[1],
  ])
})

t.test('on an older server, capture recognises a renamed topic by its oldest message', async t => {
  const { book, ids, watch } = await capturedDeploys(t, 2, { featureLevel: 270 })
  const resolved = book.resolve(DEPLOYS)
  ids.push(...book.say(resolved, 2))
  await watch.run()
  t.same(watch.ids, ids)
  t.match(watch.progress.followed, { topic: '✔ deploys', message_id: 1 })
  book.move(resolved, DEPLOYS)
  ids.push(...book.say(DEPLOYS, 1))
  await watch.run()
  t.same(watch.ids, ids, 'under its old name again it is read on')
  book.move(DEPLOYS, RANDOM, [1])
  await watch.run()
  t.match(watch.progress.followed, { topic: 'deploys' }, 'one message that was moved is not a renaming')
})

t.test('capture does not follow a single message that moves out of the topic', async t => {
  const { book, ids, watch } = await capturedDeploys(t, 3)
  book.move(DEPLOYS, RANDOM, [ids[0] ?? 0])
  book.say(RANDOM, 5)
  const fresh = book.say(DEPLOYS, 2)
  await watch.run()
  t.same(watch.ids, [...ids, ...fresh])
  t.match(watch.progress.followed, { topic: 'deploys', message_id: ids[1] })
})

t.test('capture does not follow a moved message to a topic without new messages', async t => {
  const { book, ids, watch } = await capturedDeploys(t, 3)
  book.move(DEPLOYS, RANDOM, [ids[0] ?? 0])
  const fresh = book.say(DEPLOYS, 2)
  await watch.run()
  t.same(watch.ids, [...ids, ...fresh])
})

t.test('capture learns the new name of a topic even without a message under it', async t => {
  const { server, book, ids, watch } = await capturedDeploys(t, 2)
  const resolved = book.resolve(DEPLOYS)
  await watch.run()
  t.match(watch.progress, { readTo: ids[1], followed: { topic: resolved.topic } })
  narrowsAsked(server)
  await watch.run()
  t.equal(narrowsAsked(server).length, 1, 'then one question is enough')
})

t.test('capture stays with its topic when the last message moves away', async t => {
  const { book, ids, watch } = await capturedDeploys(t, 3)
  book.move(DEPLOYS, RANDOM, [ids[2] ?? 0])
  book.say(RANDOM, 2)
  const fresh = book.say(DEPLOYS, 1)
  await watch.run()
  t.same(watch.ids, [...ids, ...fresh])
})

t.test('capture does not read an older message that moves in, as its position only advances', async t => {
  const server = await chatServer(t)
  const { book } = server
  const [stray = 0] = book.say(RANDOM)
  const ids = book.say(DEPLOYS, 2)
  const watch = new Captured(t, server)
  await watch.run()
  book.move(RANDOM, DEPLOYS, [stray])
  await watch.run()
  t.same(watch.ids, ids)
  t.equal(watch.progress.readTo, ids[1])
})

t.test('capture continues by name after the first message of a topic was deleted', async t => {
  const { book, ids, watch } = await capturedDeploys(t, 2)
  book.delete(ids[0] ?? 0)
  const fresh = book.say(DEPLOYS, 1)
  await watch.run()
  t.same(watch.ids, [...ids, ...fresh])
})

for (const featureLevel of [null, 200, 400]) {
  t.test(`capture finds a renamed stream by its id on servers of level ${featureLevel}`, async t => {
    const { book, ids, watch } = await capturedDeploys(t, 2, { featureLevel })
    book.renameStream('eng', 'engineering')
    const fresh = book.say({ stream: 'engineering', topic: 'deploys' }, 2)
    await watch.run()
    t.same(watch.ids, [...ids, ...fresh])
    const afterwards = book.say({ stream: 'engineering', topic: 'deploys' }, 1)
    await watch.run()
    t.same(watch.ids.slice(-1), afterwards)
  })
}

t.test('a watch with a new topic does not follow the previous one', async t => {
  const server = await chatServer(t)
  const { book } = server
  book.say(DEPLOYS, 2)
  const before = new Captured(t, server)
  await before.run()
  const after = new Captured(t, server, RANDOM)
  after.progress = before.progress
  book.say(DEPLOYS, 1)
  const ids = book.say(RANDOM, 2)
  await after.run()
  t.same(after.ids, ids)
  t.match(after.progress.followed, { watched: RANDOM, message_id: ids[0] })
})

t.test('names are compared without case, and a topic may have an empty name', async t => {
  const server = await chatServer(t)
  const { book } = server
  const ids = book.say({ stream: 'Eng', topic: 'DEPLOYS' }, 2)
  const watch = new Captured(t, server)
  await watch.run()
  ids.push(...book.say({ stream: 'eng', topic: 'Deploys' }, 1))
  await watch.run()
  t.same(watch.ids, ids)
  const general = { stream: 'eng', topic: '' }
  const unnamed = book.say(general, 2)
  const nameless = new Captured(t, server, general)
  await nameless.run()
  unnamed.push(...book.say(general, 1))
  await nameless.run()
  t.same(nameless.ids, unnamed)
  t.equal(nameless.events[0]?.payload.subject, '')
})

for (const featureLevel of [200, 400]) {
  t.test(
    `capture follows a topic of many pages by the oldest message that it read, at level ${featureLevel}`,
    async t => {
      const server = await chatServer(t, { featureLevel })
      const ids = server.book.say(DEPLOYS, 2_500)
      const watch = new Captured(t, server)
      await watch.run({ backfill: 1_500 })
      t.equal(watch.ids.length, 1_500)
      t.match(watch.progress.followed, { message_id: ids[1_000] })
      server.book.say(DEPLOYS, 1)
      await watch.run()
      t.match(watch.progress.followed, { message_id: ids[1_000] })
    },
  )
}

t.test('capture reads a whole stream across its topics', async t => {
  const server = await chatServer(t)
  const { book } = server
  const ids = [...book.say(DEPLOYS, 2), ...book.say(RANDOM, 2)]
  book.say({ stream: 'ops', topic: 'deploys' }, 2)
  const watch = new Captured(t, server, { stream: 'eng' })
  await watch.run()
  ids.push(...book.say(DEPLOYS, 1))
  await watch.run()
  t.same(watch.ids, ids)
})
