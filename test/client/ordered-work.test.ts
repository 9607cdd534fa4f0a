import fc from 'fast-check'
import t from 'tap'
import type { LedgerEvent } from '../../src/client/library/ledger-event.js'
import { NotNow, OrderedWork, WorkEnds, type WorkOptions } from '../../src/client/library/ordered-work.js'

function eventOf(number: number, subject: number): LedgerEvent {
  const captured_at = `2031-05-04T09:00:00.${String(number).padStart(6, '0')}Z`
  const common = { source: 'demo', kind: 'a.b', subject_type: 'x', captured_at }
  return { ...common, dedupe_key: `key-${number}`, subject_id: String(subject) }
}

const OPTIONS: Omit<WorkOptions, 'handle'> = {
  concurrency: 4,
  unit: 1,
  retries: 0,
  onFailure: 'dead-letter',
  signal: new AbortController().signal,
  keyOf: ({ subject_id }) => subject_id,
  onProgress: () => {},
  random: () => 0,
}

t.test('events of one key are handled in order despite failures, and failing work is given up', async t => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ subject: fc.nat(4), fails: fc.boolean(), turns: fc.nat(3) }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 4 }),
      async (plan, concurrency, unit) => {
        const events = plan.map(({ subject }, at) => eventOf(at, subject))
        const handled: LedgerEvent[] = []
        const busy = new Set<string>()
        let isInOrder = true
        const work = new OrderedWork(events, {
          ...OPTIONS,
          concurrency,
          unit,
          handle: async group => {
            const keys = new Set(group.map(event => event.subject_id))
            if (group.length > unit || [...keys].some(key => busy.has(key))) isInOrder = false
            for (const key of keys) busy.add(key)
            for (let turn = 0; turn < (plan[events.indexOf(group[0] as LedgerEvent)]?.turns ?? 0); turn++) await null
            for (const key of keys) busy.delete(key)
            if (group.some(event => plan[events.indexOf(event)]?.fails)) throw new Error('it fails')
            handled.push(...group)
          },
        })
        await work.run()
        const expected = events.filter((_, at) => !plan[at]?.fails)
        const inKeys = (list: readonly LedgerEvent[]) =>
          [0, 1, 2, 3, 4].map(key => list.filter(({ subject_id }) => subject_id === String(key)))
        t.strictSame(inKeys(handled), inKeys(expected))
        t.strictSame([...work.deadLetters.keys()].length, events.length - expected.length)
        return isInOrder && work.done === events.length
      },
    ),
    { numRuns: 200 },
  )
})

t.test('an event that waits for a retry delays only events of its own key', async t => {
  const order: string[] = []
  let failures = 1
  const work = new OrderedWork([eventOf(0, 1), eventOf(1, 1), eventOf(2, 2)], {
    ...OPTIONS,
    concurrency: 1,
    retries: 1,
    handle: async ([event]) => {
      if (event?.dedupe_key === 'key-0' && failures-- > 0) throw new NotNow('away', 1)
      order.push(event?.dedupe_key ?? '')
    },
  })
  await work.run()
  t.same(order, ['key-2', 'key-0', 'key-1'])
})

t.test('work may change its events', async t => {
  const work = new OrderedWork([eventOf(0, 1), eventOf(1, 1), eventOf(2, 1), eventOf(3, 1)], {
    ...OPTIONS,
    handle: async ([event]) => {
      const { dedupe_key } = event ?? {}
      for (const member of Object.keys(event ?? {})) Reflect.deleteProperty(event ?? {}, member)
      if (dedupe_key === 'key-2') throw new Error('broken')
    },
  })
  await work.run()
  t.equal(work.done, 4)
  t.equal(work.doneThrough, '2031-05-04T09:00:00.000003Z')
  const letter = { dedupe_key: 'key-2', captured_at: '2031-05-04T09:00:00.000002Z', error: 'broken', attempts: 1 }
  t.strictSame([...work.deadLetters.values()], [letter])
})

t.test('work for which what it needs is away for a long time is not tried meanwhile', async t => {
  const stopping = new AbortController()
  let tries = 0
  const work = new OrderedWork([eventOf(0, 1)], {
    ...OPTIONS,
    signal: stopping.signal,
    handle: async () => {
      tries++
      throw new NotNow('until next year', Infinity)
    },
  })
  const running = work.run()
  setTimeout(() => stopping.abort(), 50)
  await running
  t.equal(tries, 1)
})

t.test('work stops at a failure, after the events before it are done', async t => {
  const work = new OrderedWork([eventOf(0, 1), eventOf(1, 1), eventOf(2, 1)], {
    ...OPTIONS,
    onFailure: 'stop',
    handle: async ([event]) => {
      if (event?.dedupe_key === 'key-1') throw new Error('broken')
    },
  })
  await work.run()
  t.match([work.done, work.failure], [1, { message: 'broken' }])
  for (const reason of [undefined, null]) {
    const unexplained = new OrderedWork([eventOf(0, 1)], {
      ...OPTIONS,
      onFailure: 'stop',
      handle: () => Promise.reject(reason),
    })
    await unexplained.run()
    t.match([unexplained.done, unexplained.failure], [0, { message: 'The handler failed without a reason.' }])
  }
  const ended = new OrderedWork([eventOf(0, 1)], {
    ...OPTIONS,
    handle: async () => {
      throw new WorkEnds('gone')
    },
  })
  await ended.run()
  t.match([ended.done, ended.failure], [0, { message: 'gone' }])
})
