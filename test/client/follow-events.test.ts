import fc from 'fast-check'
import t from 'tap'
import { Answer } from '../../src/client/answer.js'
import type { EventParameters } from '../../src/client/event-pages.js'
import { followEvents } from '../../src/client/follow-events.js'
import { AppError, type ErrorCategory } from '../../src/model/app-error.js'

/** A ledger of numbered events, which answers like a real one, or fails on request. */
class NumberedLedger {
  readonly asked: EventParameters[] = []

  /** @param failures the requests, counted from 0, that fail */
  constructor(
    public head: number,
    readonly failures: ReadonlyMap<number, AppError> = new Map(),
    readonly limit = 3,
    /** Each query that finds nothing adds an event, until there are this many. */
    readonly growsTo = head,
  ) {}

  async events(parameters: EventParameters): Promise<Answer> {
    const failure = this.failures.get(this.asked.push(parameters) - 1)
    if (failure) throw failure
    const since = parameters.since === undefined ? undefined : toNumber(parameters.since)
    if (since === undefined) return toAnswer([], this.head === 0 ? null : toTime(this.head))
    const all = Array.from({ length: Math.max(this.head - since, 0) }, (_, i) => since + 1 + i)
    const items = all.slice(0, this.limit)
    if (items.length === 0 && this.head < this.growsTo) this.head += 1
    return toAnswer(items, toTime(items.at(-1) ?? Math.max(since, all.length === 0 ? since : this.head)))
  }
}

const START = Date.UTC(2031, 0, 1)

function toTime(number: number): string {
  return new Date(number === 0 ? 0 : START + number).toISOString()
}

function toNumber(time: string): number {
  return Math.max(Date.parse(time) - START, 0)
}

function toAnswer(items: number[], nextSince: string | null): Answer {
  return new Answer(200, Buffer.from(JSON.stringify({ items, next_since: nextSince, has_more: false, epoch: 'e' })))
}

async function follow(ledger: NumberedLedger, parameters: EventParameters, count: number) {
  const controller = new AbortController()
  const waits: number[] = []
  const connected: string[] = []
  const events: unknown[] = []
  const pages = followEvents(ledger, parameters, {
    signal: controller.signal,
    onPruned: () => {},
    onConnected: checkpoint => connected.push(checkpoint),
    random: () => 1,
    sleep: async milliseconds => waits.push(milliseconds),
  })
  for await (const page of pages) {
    events.push(...page.items)
    if (events.length >= count) controller.abort()
  }
  return { events, waits, connected }
}

const unavailable = new AppError('unavailable', 'server_unreachable', 'Gone.')

t.test('following begins after the checkpoint', async t => {
  t.same((await follow(new NumberedLedger(7), { since: toTime(2) }, 5)).events, [3, 4, 5, 6, 7])
})

t.test('without a checkpoint, following begins now', async t => {
  const ledger = new NumberedLedger(7, new Map(), 3, 9)
  t.same((await follow(ledger, { source: 'chat' }, 2)).events, [8, 9])
  t.same(ledger.asked[0], { limit: '1' })
  t.match(ledger.asked[1], { source: 'chat', since: toTime(7), order: 'asc', wait: undefined }, 'to connect')
  t.match(ledger.asked[2], { source: 'chat', order: 'asc', wait: '55' })
})

t.test('in an empty ledger, following begins with the first event', async t => {
  t.same((await follow(new NumberedLedger(0, new Map(), 3, 2), {}, 2)).events, [1, 2])
})

t.test('with from or days, following begins in the past', async t => {
  t.same((await follow(new NumberedLedger(4), { days: '1' }, 4)).events, [1, 2, 3, 4])
  t.same((await follow(new NumberedLedger(4), { from: toTime(1) }, 4)).events, [1, 2, 3, 4])
})

t.test('after any failure, every event arrives once and in order', async t => {
  const failing = fc.uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(
      failing,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 15 }),
      async (at, limit, head) => {
        const failures = new Map(at.map(question => [question, unavailable]))
        const { events } = await follow(
          new NumberedLedger(head, failures, limit, head + 5),
          { since: toTime(0) },
          head + 5,
        )
        t.same(
          events,
          Array.from({ length: head + 5 }, (_, i) => i + 1),
        )
      },
    ),
    { numRuns: 50 },
  )
})

t.test('the waits between retries double up to a limit', async t => {
  const failures = new Map(Array.from({ length: 8 }, (_, i) => [i + 1, unavailable] as const))
  const { waits } = await follow(new NumberedLedger(4, failures), { since: toTime(0) }, 4)
  t.same(waits, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
})

t.test('following reports each connection and reconnection', async t => {
  const away = new AppError('unavailable', 'server_unreachable', 'No server.')
  const { connected } = await follow(new NumberedLedger(7, new Map([[1, away]])), { since: toTime(2) }, 5)
  t.same(connected, [toTime(2), toTime(5)])
})

t.test('following waits as long as the server asks', async t => {
  const busy = new AppError('throttled', 'busy', 'Wait.', { retryAfterSeconds: 30 })
  const { waits } = await follow(new NumberedLedger(4, new Map([[1, busy]])), { since: toTime(0) }, 4)
  t.same(waits, [30_000])
})

t.test('a failure of the first request ends following', async t => {
  await t.rejects(follow(new NumberedLedger(4, new Map([[0, unavailable]])), {}, 1), unavailable)
  await t.rejects(follow(new NumberedLedger(4, new Map([[0, unavailable]])), { since: toTime(0) }, 1), unavailable)
})

const categories: Record<ErrorCategory, 'waits' | 'ends'> = {
  unavailable: 'waits',
  throttled: 'waits',
  internal: 'waits',
  invalid: 'ends',
  unauthenticated: 'ends',
  forbidden: 'ends',
  not_found: 'ends',
  conflict: 'ends',
  gone: 'ends',
  outdated: 'ends',
  headers_too_large: 'ends',
  misdirected: 'ends',
  too_large: 'ends',
  unsupported_type: 'ends',
  configuration: 'ends',
}
for (const [category, outcome] of Object.entries(categories) as [ErrorCategory, string][]) {
  t.test(`after a first answer, following ${outcome} on a failure of the category ${category}`, async t => {
    const failure = new AppError(category, 'some_code', 'No.')
    const following = follow(new NumberedLedger(4, new Map([[1, failure]])), { since: toTime(0) }, 4)
    if (outcome === 'ends') await t.rejects(following, failure)
    else t.same((await following).events, [1, 2, 3, 4])
  })
}

t.test('an answer that is not a page ends following', async t => {
  const client = { events: async () => new Answer(200, Buffer.from('[]')) }
  const pages = followEvents(client, {}, { signal: new AbortController().signal, onPruned: () => {} })
  await t.rejects(pages.next(), { code: 'not_a_ledger' })
})
