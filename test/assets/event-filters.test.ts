import fc from 'fast-check'
import t from 'tap'
import {
  countFilters,
  FILTER_PARAMS,
  type Filters,
  toApiQuery,
  withChange,
} from '../../assets/observatory/events/filters/filter-params.js'
import { readState, writeState } from '../../assets/shared/query-state.js'
import { justBefore } from '../../assets/shared/words/time.js'
import { readEventQuery, readEventStreamRequest } from '../../src/server/events/event-query-params.js'

const NOW = Date.UTC(2026, 10, 20) * 1000
const read = (query: string) => readState(FILTER_PARAMS, new URLSearchParams(query))

function search(filters: Filters): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(toApiQuery(filters))) {
    for (const one of [value].flat()) params.append(name, String(one))
  }
  return `?${params}`
}

t.test('an address without parameters selects the last 24 hours without filters', async t => {
  t.same(toApiQuery(read('')), { days: 1 })
  t.equal(countFilters(read('')), 0)
})

t.test('the address has the same parameter names as the API', async t => {
  const query =
    'q=a+b&source=chat&source=forum&kind=message.*&subscription_id=s&actor=ada&verified=none%2Ctoken&target=issue%3A1&subject_id=1&days=7&outcome=failed&exclude_kind=push&exclude_actor=bot&exclude_q=disk+full'
  t.same(toApiQuery(read(query)), {
    q: 'a b',
    source: ['chat', 'forum'],
    kind: ['message.*'],
    subscription_id: ['s'],
    actor: ['ada'],
    verified: 'token,none',
    target: 'issue:1',
    subject_id: '1',
    days: 7,
    outcome: ['failed'],
    exclude_kind: ['push'],
    exclude_actor: ['bot'],
    exclude_q: ['disk full'],
  })
  t.equal(countFilters(read(query)), 12)
})

t.test('parameters of the page alone are not sent to the API', async t => {
  t.same(toApiQuery(read('event=chat:1&live=1&other=2')), { days: 1 })
  t.match(read('event=chat:1&live=1'), { event: 'chat:1', live: true })
})

t.test('a custom range and a number of days replace each other', async t => {
  const own = withChange(read('days=7'), { from: '2026-11-20T00:00:00Z' })
  t.same(toApiQuery(own), { from: '2026-11-20T00:00:00Z' })
  t.same(toApiQuery(withChange(own, { days: 3 })), { days: 3 })
  const hour = withChange(own, { last: '1h' })
  t.same(toApiQuery(hour, NOW / 1000), { from: '2026-11-19T23:00:00.000000Z' })
  t.same(toApiQuery(withChange(hour, { q: 'a' }), NOW / 1000), { q: 'a', from: '2026-11-19T23:00:00.000000Z' })
  t.same(toApiQuery(read('last=4w')), { days: 1 })
})

t.test('an instant keeps every digit, and any other text counts as absent', async t => {
  t.equal(read('from=2026-11-20T13:00:00.123456Z').from, '2026-11-20T13:00:00.123456Z')
  for (const from of ['yesterday', '2026-11-20', '2026-11-20T13:00:00', '2026-13-40T00:00:00Z']) {
    t.equal(read(`from=${from}`).from, '')
  }
})

t.test('the API accepts the query made from any address', async t => {
  const words = fc.array(
    fc.tuple(
      fc.constantFrom(...Object.keys(FILTER_PARAMS).filter(name => !name.endsWith('kind'))),
      fc.string({ unit: 'grapheme' }),
    ),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(words, pairs => {
      const filters = read(new URLSearchParams(pairs).toString())
      const asked = search(filters)
      readEventQuery(asked, NOW)
      if (filters.to === '') readEventStreamRequest(asked, undefined, NOW)
      // And it is the same again when it is written and read.
      const again = writeState(FILTER_PARAMS, filters, new URLSearchParams())
      t.same(readState(FILTER_PARAMS, again), filters)
    }),
    { numRuns: 200 },
  )
})

t.test('the time just before an instant is one microsecond earlier', async t => {
  t.equal(justBefore('2026-11-20T13:00:00.123456Z'), '2026-11-20T13:00:00.123455Z')
  t.equal(justBefore('2026-11-20T13:00:00.000000Z'), '2026-11-20T12:59:59.999999Z')
  t.equal(justBefore('2026-01-01T00:00:00Z'), '2025-12-31T23:59:59.999999Z')
  t.equal(justBefore('1970-01-01T00:00:00.000000Z'), '1969-12-31T23:59:59.999999Z')
  t.equal(justBefore('2026-11-20T13:00:00.5Z'), '2026-11-20T13:00:00.499999Z')
})
