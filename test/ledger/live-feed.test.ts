import t from 'tap'
import { LiveFeed } from '../../src/ledger/live-feed.js'
import type { StoredEvent } from '../../src/model/events/event.js'

const fresh = (kind: string) => ({ event: { kind, source: 'chat' } as StoredEvent, isWhole: true })
const turn = () => new Promise(setImmediate)

t.test('readers are woken by what matches them; what comes during the pause wakes each once, after it', async t => {
  const pauses: { ms: number; end: () => void }[] = []
  const feed = new LiveFeed((ms, end) => pauses.push({ ms, end }))
  const woken: string[] = []
  const readers = Array.from({ length: 40 }, (_, i) => ({
    name: `${i}`,
    waiting: feed.listen({ kinds: [i % 2 === 0 ? 'even.*' : 'odd.*'] }),
  }))
  for (const { name, waiting } of readers) {
    void (async () => {
      for (;;) {
        await waiting.next(undefined)
        woken.push(name)
      }
    })()
  }
  feed.publish([fresh('even.a')])
  await turn()
  t.equal(woken.length, 20, 'the first event wakes immediately')
  t.match(pauses, [{ ms: 40 }])

  for (let i = 0; i < 100; i++) feed.publish([fresh('even.b'), fresh('odd.b')])
  await turn()
  t.equal(woken.length, 20)
  pauses.shift()?.end()
  await turn()
  t.equal(woken.length, 60)
  t.equal(new Set(woken).size, 40)

  pauses.shift()?.end()
  t.same(pauses, [], 'nothing came during this pause')
  feed.publish([fresh('odd.c')])
  await turn()
  t.equal(woken.length, 80)
  for (const { waiting } of readers) waiting.end()
  t.equal(feed.hasListeners, false)
})

t.test('the pause is bounded', async t => {
  const pauses: number[] = []
  const feed = new LiveFeed(ms => pauses.push(ms))
  for (let i = 0; i < 1_000; i++) feed.listen({})
  feed.publish([fresh('a.b')])
  t.same(pauses, [250])
})
