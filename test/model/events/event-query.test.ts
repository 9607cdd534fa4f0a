import t from 'tap'
import { type EventQuery, isRange } from '../../../src/model/events/event-query.js'

const PAGE: EventQuery = { order: 'asc', limit: 500 }

t.test('a page by checkpoint and bounds is a range, also with a limit in bytes', async t => {
  for (const bounds of [{}, { since: 1 }, { from: 1, to: 2 }, { maxBytes: 1 }, { since: 1, maxBytes: 1 }]) {
    t.ok(isRange({ ...PAGE, ...bounds }), JSON.stringify(bounds))
  }
})

t.test('a page with any filter is not a range', async t => {
  const filters: Partial<EventQuery>[] = [
    ...[{ sources: ['chat'] }, { kinds: ['a.b'] }, { subscriptionIds: ['sub'] }, { subjectId: '1' }],
    ...[{ actors: ['ada'] }, { target: 'topic:1' }, { verified: ['none' as const] }, { withoutPayload: true as const }],
  ]
  for (const filter of filters) t.notOk(isRange({ ...PAGE, ...filter }), JSON.stringify(filter))
})
