import t from 'tap'
import { chatServer } from '../../../support/chat-server/chat-server.js'
import { MessageBook } from '../../../support/chat-server/message-book.js'
import { Captured, DEPLOYS, messageQueries } from './captured.js'

/** Of a server whose pages are smaller than what capture asks for, so that few messages are several pages. */
const PAGE_MESSAGES = 100

t.test('the first capture reads only the newest messages', async t => {
  const server = await chatServer(t)
  const ids = server.book.say(DEPLOYS, 150)
  server.book.say({ stream: 'eng', topic: 'other' }, 10)
  const watch = new Captured(t, server)
  await watch.run({ backfill: 40 })
  t.same(watch.ids, ids.slice(-40))
  t.equal(watch.progress.readTo, ids.at(-1))
  t.match(messageQueries(server), [{ anchor: 'newest', num_before: '40', num_after: '0' }])
})

t.test('a later capture reads the newer messages, with the parameters that give the payload of a webhook', async t => {
  const server = await chatServer(t)
  server.book.say(DEPLOYS, 3)
  const watch = new Captured(t, server)
  await watch.run()
  const fresh = server.book.say(DEPLOYS, 2)
  messageQueries(server)
  await watch.run()
  t.same(watch.ids.slice(3), fresh)
  t.same(messageQueries(server), [
    {
      anchor: '0', // what was said in the last minutes is read again
      num_before: '0',
      num_after: '1000',
      include_anchor: 'true',
      narrow: JSON.stringify([
        { operator: 'stream', operand: 'eng' },
        { operator: 'topic', operand: 'deploys' },
        { operator: 'with', operand: 1 },
      ]),
      apply_markdown: 'false',
      client_gravatar: 'true',
      allow_empty_topic_name: 'true',
    },
  ])
})

t.test('a capture without new messages keeps its position', async t => {
  const server = await chatServer(t)
  server.book.say(DEPLOYS, 3)
  const watch = new Captured(t, server)
  await watch.run()
  const before = watch.progress
  await watch.run()
  t.same(watch.pages, [3])
  t.equal(watch.progress, before)
})

t.test('a backlog is read page by page, oldest first, and each page has its position', async t => {
  const book = new MessageBook({ firstId: 5_000, gap: 7 })
  const server = await chatServer(t, { book })
  const ids = book.say(DEPLOYS, 2_500)
  const watch = new Captured(t, server)
  watch.progress = { readTo: 4_999, followed: undefined, reread: undefined }
  await watch.run()
  t.same(watch.pages, [1_000, 1_000, 500])
  t.same(watch.ids, ids)
  t.equal(server.connections(), 1, 'over one connection')
})

t.test('a long backfill begins at its oldest message', async t => {
  const server = await chatServer(t)
  const ids = server.book.say(DEPLOYS, 2_300)
  const watch = new Captured(t, server)
  await watch.run({ backfill: 1_345 })
  t.same(watch.ids, ids.slice(-1_345))
  const whole = new Captured(t, server)
  await whole.run({ backfill: 10_000 })
  t.same(whole.ids, ids)
})

t.test('without backfill, capture begins with the next message', async t => {
  const server = await chatServer(t)
  server.book.say(DEPLOYS, 5)
  const watch = new Captured(t, server)
  await watch.run({ backfill: 0 })
  t.same(watch.ids, [])
  const next = server.book.say(DEPLOYS, 1)
  await watch.run()
  t.same(watch.ids, next)
})

t.test('every message of a topic that was empty at the first read is read', async t => {
  const server = await chatServer(t)
  server.book.say({ stream: 'eng', topic: 'other' })
  const watch = new Captured(t, server)
  await watch.run()
  t.equal(watch.progress.readTo, 0)
  const ids = server.book.say(DEPLOYS, 300)
  await watch.run({ backfill: 10 })
  t.same(watch.ids, ids)
})

for (const { what, featureLevel } of [
  { what: 'before version 3, which has no named anchors', featureLevel: null },
  { what: 'before version 6, which sends the anchor as well', featureLevel: 100 },
  { what: 'before `with`', featureLevel: 270 },
]) {
  t.test(`a capture from a server ${what} reads every message once`, async t => {
    const server = await chatServer(t, { featureLevel })
    const ids = server.book.say(DEPLOYS, 1_100)
    const watch = new Captured(t, server)
    await watch.run({ backfill: 1_050 })
    ids.push(...server.book.say(DEPLOYS, 1_010))
    await watch.run()
    await watch.run()
    t.same(watch.ids, ids.slice(50))
    t.notOk(messageQueries(server).some(({ narrow }) => narrow?.includes('with')))
  })
}

t.test('a page that could not be recorded is read again', async t => {
  const server = await chatServer(t, { pageMessages: PAGE_MESSAGES })
  const ids = server.book.say(DEPLOYS, 250)
  const watch = new Captured(t, server)
  watch.progress = { readTo: 0, followed: undefined, reread: undefined }
  await t.rejects(watch.run({ record: () => Promise.reject(new Error('The disk is full.')) }), { message: /disk/ })
  t.equal(watch.progress.readTo, 0)
  await watch.run()
  t.same(watch.ids, ids)
})

t.test('a capture can be aborted between two pages and during a request', async t => {
  const stop = new AbortController()
  const server = await chatServer(t, { pageMessages: PAGE_MESSAGES })
  server.book.say(DEPLOYS, 250)
  const watch = new Captured(t, server)
  watch.progress = { readTo: 0, followed: undefined, reread: undefined }
  const record = async () => stop.abort(new Error('called off'))
  await t.rejects(watch.run({ record, signal: stop.signal }), { message: 'called off' })

  const slow = new AbortController()
  const silent = await chatServer(t, { fault: () => ({ kind: 'slow', until: new Promise(() => undefined) }) })
  const waiting = new Captured(t, silent).run({ signal: slow.signal })
  setTimeout(() => slow.abort(new Error('called off')), 30)
  await t.rejects(waiting, { message: 'called off' })
})
