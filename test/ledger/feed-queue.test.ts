import t from 'tap'
import { FeedQueue } from '../../src/ledger/feed-queue.js'

t.test('one feed of a host is read at a time in each lane', async t => {
  const queue = new FeedQueue()
  const [first, second, other] = [
    { name: 'first', host: 'a' },
    { name: 'second', host: 'a' },
    { name: 'other', host: 'b' },
  ]
  for (const feed of [first, second, second, other]) queue.add(feed)
  t.same(queue.take('quick'), first)
  t.same(queue.take('quick'), other)
  t.equal(queue.take('quick'), undefined)
  queue.release('quick', first, false)
  t.same(queue.take('quick'), second)
  t.equal(queue.take('quick'), undefined, 'what was added twice waits once')
})

t.test('a feed that is too slow moves to the slow lane, and returns once it is quick', async t => {
  const queue = new FeedQueue()
  const [slow, quick] = [
    { name: 'slow', host: 'a' },
    { name: 'quick', host: 'a' },
  ]
  queue.add(slow)
  queue.take('quick')
  queue.moveToSlow(slow)
  queue.add(quick)
  t.same(queue.take('quick'), quick, 'its host is free again')
  t.same(queue.take('slow'), slow)
  queue.release('slow', slow, true)
  queue.add(slow)
  t.equal(queue.take('quick'), undefined)
  t.same(queue.take('slow'), slow)
  queue.release('slow', slow, false)
  queue.release('quick', quick, false)
  queue.add(slow)
  t.same(queue.take('quick'), slow)
  queue.release('quick', slow, true)
  queue.keep(new Set())
  queue.add(slow)
  t.same(queue.take('quick'), slow, 'a source that was deleted is forgotten')
})
