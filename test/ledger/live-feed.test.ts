import fc from 'fast-check'
import t from 'tap'
import { LiveFeed } from '../../src/ledger/live-feed.js'
import type { StoredEvent } from '../../src/model/events/event.js'
import { type EventFilter, eventMatches } from '../../src/model/events/event-match.js'

const fresh = (kind: string) => {
  return { kind, isWhole: true, toStored: () => ({ kind, source: 'chat' }) as StoredEvent }
}
const turn = () => new Promise(setImmediate)

t.test('matching events wake readers, and events during a pause wake each reader once after it', async t => {
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
  t.match(pauses, [{ ms: 20 }], 'a millisecond for each that was woken')

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

t.test('the pause is short if few readers wake, regardless of the number of listeners', async t => {
  const pauses: number[] = []
  const feed = new LiveFeed(ms => pauses.push(ms))
  for (let i = 0; i < 1_000; i++) feed.listen({ kinds: [`kind.${i}`] })
  feed.publish([fresh('kind.7')])
  t.same(pauses, [1])
})

t.test('a reader is woken by an event exactly if the event matches its patterns of kinds', async () => {
  const part = fc.stringMatching(/^[a-c]{0,2}$/)
  const kind = fc.array(part, { minLength: 1, maxLength: 4 }).map(parts => parts.join('.'))
  const pattern = fc.oneof(
    kind,
    kind.map(text => `${text}.*`),
    fc.constant('*'),
  )
  const filter = fc.oneof(
    fc.constant({}),
    fc.array(pattern, { minLength: 1, maxLength: 3 }).map(kinds => ({ kinds })),
  )
  await fc.assert(
    fc.asyncProperty(kind, filter, async (kind, filter) => {
      const feed = new LiveFeed(() => {})
      const waiting = feed.listen(filter)
      let isWoken = false
      void waiting.next(undefined).then(() => {
        isWoken = true
      })
      feed.publish([fresh(kind)])
      await turn()
      return isWoken === eventMatches(fresh(kind).toStored(), filter)
    }),
    { numRuns: 300 },
  )
})

t.test('an event is not serialised for readers of other kinds', async t => {
  const feed = new LiveFeed(() => {})
  feed.listen({ kinds: ['check.*'] })
  feed.publish([{ kind: 'message.created', isWhole: true, toStored: () => t.fail('no reader waits for it') as never }])
  t.ok(feed.hasListeners)
})

t.test('the texts of a commit are compared up to a limit, beyond which readers wake without a comparison', async t => {
  const said = 'x'.repeat(100_000)
  const large = {
    kind: 'a',
    isWhole: true,
    toStored: () => ({ kind: 'a', source: 'chat', payload: { said } }) as never,
  }
  const wokenOf = async (filters: EventFilter[]) => {
    const feed = new LiveFeed(() => {})
    let woken = 0
    for (const filter of filters) {
      void feed
        .listen(filter)
        .next(undefined)
        .then(() => woken++)
    }
    feed.publish([large])
    await turn()
    return woken
  }
  const alike = (count: number, filter: EventFilter) => Array.from({ length: count }, () => filter)
  t.equal(await wokenOf(alike(79, { search: ['zzz'] })), 0)
  t.equal(await wokenOf(alike(90, { search: ['zzz'] })), 11, 'those after eight million characters')
  t.equal(await wokenOf(alike(90, { search: ['zzz'], sources: ['forum'] })), 0, 'other filters are always compared')
  const others = alike(90, { search: ['zzz'], sources: ['forum'] })
  t.equal(await wokenOf([...others, ...alike(79, { search: ['zzz'] })]), 0, 'what fails other filters is not counted')
  t.equal(await wokenOf(alike(1, { excluded: { searches: [['xxx']] } })), 0)
  t.equal(await wokenOf(alike(1, { excluded: { searches: [['zzz']] } })), 1)
  const terms = Array.from({ length: 17 }, (_, at) => `z${at}`)
  t.equal(await wokenOf(alike(1, { search: terms })), 1, 'a reader with many terms')
})
