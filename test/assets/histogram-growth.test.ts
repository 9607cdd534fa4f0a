import t from 'tap'
import {
  newerThan,
  withNewer,
  withNewerEvents,
  withoutFirst,
} from '../../assets/observatory/events/histogram/histogram-growth.js'
import type { StoredEvent } from '../../src/model/events/event.js'
import type { EventHistogram, Stats } from '../../src/model/ledger-answers.js'

const instant = (second: number) => `2026-11-20T13:00:${String(second).padStart(2, '0')}.000000Z`
const event = (source: string, second: number) => ({ source, captured_at: instant(second) }) as StoredEvent

const COUNTED: EventHistogram = {
  from: instant(0),
  to: instant(59),
  starts: [instant(0), instant(30)],
  counts: [3, 1],
  count: 4,
  complete: true,
  counted_from: instant(0),
  head: instant(31),
  epoch: 'e',
  by_source: { chat: { count: 3, counts: [2, 1] }, forum: { count: 1, counts: [1, 0] } },
}

t.test('events of every source that arrive after the count are added to the last bucket', async t => {
  const grown = withNewer(COUNTED, [event('constructor', 40), event('chat', 35), event('chat', 31), event('chat', 2)])
  t.match(grown, {
    count: 6,
    counts: [3, 3],
    by_source: { chat: { count: 4, counts: [2, 2] }, constructor: { count: 1, counts: [0, 1] } },
  })
  t.equal(withNewer(COUNTED, [event('chat', 31)]), COUNTED, 'nothing new')
  t.equal(COUNTED.count, 4)
})

t.test('no new event is added to a range without buckets, and every new event to an empty ledger', async t => {
  t.match(withNewer({ ...COUNTED, starts: [], counts: [] }, [event('chat', 40)]), { count: 4 })
  const empty = { ...COUNTED, counts: [0, 0], count: 0, by_source: {}, head: null }
  t.match(withNewer(empty, [event('chat', 40)]), { count: 1, counts: [0, 1] })
  t.equal(newerThan([], instant(0)), 0)
})

t.test('events before the range are subtracted from the first bucket', async t => {
  const before = { ...COUNTED, counts: [1], count: 1, by_source: { forum: { count: 1, counts: [1] } } }
  const left = withoutFirst(COUNTED, before)
  t.match(left, { count: 3, counts: [2, 1] })
  t.same(Object.keys(left.by_source), ['chat'])
  t.equal(withoutFirst({ ...COUNTED, complete: false }, before).count, 4, 'the beginning was not counted at all')
})

t.test('the histogram adds the listed events that its last counts lack', async t => {
  const counted = {
    event_count: 4,
    latest_captured_at: instant(31),
    by_source: { chat: { events: 4, duplicates: 2, latest_captured_at: instant(31) } },
  } as unknown as Stats
  t.match(withNewerEvents(counted, [event('constructor', 40), event('chat', 35), event('chat', 31)]), {
    event_count: 6,
    latest_captured_at: instant(40),
    by_source: { chat: { events: 5, duplicates: 2 }, constructor: { events: 1, duplicates: 0 } },
  })
  t.equal(withNewerEvents(counted, [event('chat', 31)]), counted, 'nothing new')
  const empty = { ...counted, event_count: 0, latest_captured_at: null, by_source: {} }
  t.match(withNewerEvents(empty, [event('chat', 1)]), { event_count: 1, latest_captured_at: instant(1) })
})
