import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { LiveFeed } from '../../src/ledger/live-feed.js'
import type { StoredEvent } from '../../src/model/event.js'

const fresh = (kind: string) => ({ event: { kind, source: 'chat' } as StoredEvent, isWhole: true })

t.test('one reader is woken immediately by each event', async t => {
  const feed = new LiveFeed()
  const waiting = feed.listen({})
  for (let i = 0; i < 3; i++) {
    const woken = waiting.next(undefined)
    feed.publish([fresh('a.b')])
    await woken
  }
  waiting.end()
  t.equal(feed.hasListeners, false)
})

t.test('many readers are woken together after a pause, each by what matches it, and none is forgotten', async t => {
  const feed = new LiveFeed()
  const woken: string[] = []
  const readers = Array.from({ length: 40 }, (_, i) => ({
    name: `${i}`,
    waiting: feed.listen({ kinds: [i % 2 === 0 ? 'even.*' : 'odd.*'] }),
  }))
  const wait = (some: typeof readers) =>
    some.map(({ name, waiting }) => waiting.next(undefined).then(() => woken.push(name)))
  wait(readers)
  feed.publish([fresh('even.a')])
  await setTimeout(0)
  t.equal(woken.length, 20, 'the first event wakes immediately')
  wait(readers.filter((_, i) => i % 2 === 0))
  for (let i = 0; i < 100; i++) feed.publish([fresh('even.b'), fresh('odd.b')])
  await new Promise(setImmediate)
  t.equal(woken.length, 20, 'then there is a pause')
  while (woken.length < 60) await setTimeout(1)
  t.equal(new Set(woken).size, 40)
  for (const { waiting } of readers) waiting.end()
})
