import fc from 'fast-check'
import t from 'tap'
import { readTimestamp } from '../../../src/model/timestamp.js'
import {
  EVENT_PARAMETERS,
  readEventQuery,
  readEventStreamRequest,
} from '../../../src/server/events/event-query-params.js'

const NOW = readTimestamp('now', '2031-05-04T09:00:00.000001Z').micros
const micros = (text: string) => readTimestamp('test', text).micros
const plain = { order: 'desc', limit: 100 }

const read = [
  { search: '', query: plain },
  { search: '?', query: plain },
  { search: '?source=chat', query: { ...plain, sources: ['chat'] } },
  { search: '?kind=message.created', query: { ...plain, kinds: ['message.created'] } },
  { search: '?kind=message.*&kind=*&kind=push', query: { ...plain, kinds: ['message.*', '*', 'push'] } },
  { search: '?subscription_id=sub_1', query: { ...plain, subscriptionIds: ['sub_1'] } },
  { search: '?subject_id=a%2Fb%20%F0%9F%98%80', query: { ...plain, subjectId: 'a/b 😀' } },
  { search: '?source=chat&source=forum', query: { ...plain, sources: ['chat', 'forum'] } },
  { search: '?actor=Ada&actor=17', query: { ...plain, actors: ['Ada', '17'] } },
  { search: '?actor=Ada+Lovelace', query: { ...plain, actors: ['Ada Lovelace'] } },
  { search: '?target=stream%3A4', query: { ...plain, target: 'stream:4' } },
  { search: '?verified=none,signature', query: { ...plain, verified: ['signature', 'none'] } },
  { search: '?outcome=running&outcome=failed', query: { ...plain, outcomes: ['failed', 'running'] } },
  {
    search: '?source=chat&exclude_source=forum&exclude_kind=message.*&exclude_kind=push',
    query: { ...plain, sources: ['chat'], excluded: { sources: ['forum'], kinds: ['message.*', 'push'] } },
  },
  {
    search: '?exclude_actor=Ada&exclude_target=stream%3A4&exclude_outcome=succeeded',
    query: { ...plain, excluded: { actors: ['Ada'], targets: ['stream:4'], outcomes: ['succeeded'] } },
  },
  {
    search: '?exclude_q=Disk+full&exclude_q=%22a+b%22&exclude_q=+',
    query: { ...plain, excluded: { searches: [['disk', 'full'], ['a b']] } },
  },
  {
    search: '?source=!chat&kind=!message.*&kind=push&actor=!Ada&outcome=!failed',
    query: {
      ...plain,
      kinds: ['push'],
      excluded: { sources: ['chat'], kinds: ['message.*'], actors: ['Ada'], outcomes: ['failed'] },
    },
  },
  {
    search: '?kind=!a&exclude_kind=b&source=chat&source=!forum&exclude_source=code_a',
    query: { ...plain, sources: ['chat'], excluded: { sources: ['forum', 'code_a'], kinds: ['a', 'b'] } },
  },
  {
    search: '?occurred_from=2031-05-04T11:00:00%2B02:00&occurred_to=2031-05-04T10:00:00Z',
    query: {
      ...plain,
      occurredFrom: readTimestamp('', '2031-05-04T09:00:00Z').micros,
      occurredTo: readTimestamp('', '2031-05-04T10:00:00Z').micros,
    },
  },
  { search: '?q=Red+%22big%20FOX%22', query: { ...plain, search: ['red', 'big fox'] } },
  { search: '?q=', query: plain },
  { search: '?q=%20+', query: plain },
  {
    search: '?since=2031-05-04T11:00:00.1234567%2B02:00',
    query: { order: 'asc', limit: 100, since: micros('2031-05-04T09:00:00.123456Z') },
  },
  { search: '?from=2031-05-04T09:00Z', query: { ...plain, from: micros('2031-05-04T09:00:00Z') } },
  { search: '?to=2031-05-04t09:00:00z', query: { ...plain, to: micros('2031-05-04T09:00:00Z') } },
  { search: '?before=2031-05-04T09:00:00Z', query: { ...plain, to: micros('2031-05-04T09:00:00Z') - 1 } },
  {
    search: '?before=2031-05-04T09:00:00Z&to=2031-05-04T09:00:00Z',
    query: { ...plain, to: micros('2031-05-04T09:00:00Z') - 1 },
  },
  {
    search: '?before=2031-05-04T09:00:00Z&to=2031-05-04T08:00:00Z',
    query: { ...plain, to: micros('2031-05-04T08:00:00Z') },
  },
  { search: '?days=1', query: { ...plain, from: micros('2031-05-03T09:00:00.000001Z') } },
  { search: '?days=3650', query: { ...plain, from: NOW - 3650 * 86_400_000_000 } },
  { search: '?days=1&from=2031-05-01T00:00:00Z', query: { ...plain, from: micros('2031-05-03T09:00:00.000001Z') } },
  { search: '?days=7&from=2031-05-03T00:00:00Z', query: { ...plain, from: micros('2031-05-03T00:00:00Z') } },
  { search: '?limit=1', query: { ...plain, limit: 1 } },
  { search: '?limit=500', query: { ...plain, limit: 500 } },
  { search: '?order=asc', query: { order: 'asc', limit: 100 } },
  {
    search: '?order=desc&since=2031-05-04T09:00:00Z',
    query: { order: 'desc', limit: 100, since: micros('2031-05-04T09:00:00Z') },
  },
]
for (const { search, query } of read) {
  t.test(`the parameters of ${search || 'an empty query'} are read`, async t =>
    t.same(readEventQuery(search, NOW), { query }),
  )
}

t.test('a query with since may have a wait', async t => {
  for (const seconds of [1, 55]) {
    t.equal(readEventQuery(`?since=2031-05-04T09:00:00Z&wait=${seconds}`, NOW).waitSeconds, seconds)
  }
})

const refused = [
  { search: '?sinse=2031-05-04T09:00:00Z', field: 'sinse', detail: /no parameter of this name.*since/ },
  { search: '?__proto__=1', field: '__proto__' },
  { search: '?target=a&target=b', field: 'target', detail: /twice/ },
  { search: '?since=2031-05-04T09:00:00Z&since=2031-05-04T09:00:00Z', field: 'since', detail: /twice/ },
  { search: '?source=', field: 'source', detail: /empty/ },
  { search: `?actor=${'x'.repeat(1025)}`, field: 'actor', detail: /longer/ },
  { search: '?limit=0', field: 'limit', detail: /from 1 to 500/ },
  { search: '?limit=501', field: 'limit' },
  { search: '?limit=', field: 'limit' },
  { search: '?limit=1.5', field: 'limit' },
  { search: '?limit=-1', field: 'limit' },
  { search: '?limit=0x10', field: 'limit' },
  { search: '?limit=+5', field: 'limit' },
  { search: '?limit=1e2', field: 'limit' },
  { search: '?limit=many', field: 'limit' },
  { search: '?days=0', field: 'days', detail: /from 1 to 3650/ },
  { search: '?days=3651', field: 'days' },
  { search: '?order=newest', field: 'order', detail: /asc, desc/ },
  { search: '?wait=5', field: 'wait', detail: /needs since/ },
  { search: '?wait=0&since=2031-05-04T09:00:00Z', field: 'wait', detail: /from 1 to 55/ },
  { search: '?wait=56&since=2031-05-04T09:00:00Z', field: 'wait' },
  { search: '?since=2031-05-04T09:00:00', field: 'since', code: 'invalid_timestamp', detail: /no zone/ },
  { search: '?from=2031-05-04', field: 'from', code: 'invalid_timestamp', detail: /no zone/ },
  { search: '?to=2031-02-30T00:00:00Z', field: 'to', code: 'invalid_timestamp', detail: /calendar/ },
  { search: '?since=2031-05-04T09:00:00+02:00', field: 'since', code: 'invalid_timestamp', detail: /%2B/ },
  { search: '?since=', field: 'since', code: 'invalid_timestamp' },
  { search: '?kind=', field: 'kind', detail: /empty/ },
  { search: '?kind=mess*', field: 'kind', detail: /message\.\*/ },
  { search: '?kind=*.created', field: 'kind' },
  { search: '?kind=a.b&kind=!!x', field: 'kind', detail: /"!" the first character/ },
  { search: '?source=b*', field: 'source', detail: /"\*" is not supported/ },
  { search: '?source=chat&source=!!chat', field: 'source', detail: /whole word/ },
  { search: '?kind=!*', field: 'exclude_kind', detail: /no event/ },
  { search: '?kind=!mess*', field: 'kind', detail: /message\.\*/ },
  { search: '?actor=!', field: 'actor', detail: /empty/ },
  { search: '?outcome=!broken', field: 'outcome' },
  { search: `?${'kind=!a&'.repeat(51)}`, field: 'kind', detail: /50 times/ },
  { search: '?occurred_from=2031-05-04', field: 'occurred_from', code: 'invalid_timestamp', detail: /no zone/ },
  { search: '?outcome=broken', field: 'outcome', detail: /failed, succeeded, running, cancelled/ },
  { search: '?outcome=', field: 'outcome' },
  { search: '?exclude_outcome=failed,running', field: 'exclude_outcome' },
  { search: '?exclude_q=a&exclude_q=', field: 'exclude_q', detail: /empty/ },
  { search: `?${'exclude_q=a&'.repeat(11)}`, field: 'exclude_q', detail: /10 times/ },
  { search: `?exclude_q=${'x'.repeat(4_000)}&exclude_q=${'y'.repeat(97)}`, field: 'exclude_q', detail: /4096/ },
  { search: '?exclude_kind=*', field: 'exclude_kind', detail: /no event/ },
  { search: '?exclude_kind=mess*', field: 'exclude_kind', detail: /message\.\*/ },
  { search: '?exclude_source=b*', field: 'exclude_source', detail: /whole word/ },
  { search: `?${'exclude_target=a&'.repeat(51)}`, field: 'exclude_target', detail: /50 times/ },
  { search: '?before=2031-05-04', field: 'before', code: 'invalid_timestamp', detail: /no zone/ },
  { search: `?kind=${'x'.repeat(257)}`, field: 'kind', detail: /longer/ },
  { search: `?${'kind=a&'.repeat(51)}`, field: 'kind', detail: /50 times/ },
  { search: `?${'source=a&'.repeat(51)}`, field: 'source', detail: /50 times/ },
  { search: '?actor=17&actor=', field: 'actor', detail: /empty/ },
  { search: '?verified=signature,maybe', field: 'verified', detail: /signature, token, login, none/ },
  { search: '?verified=', field: 'verified' },
  { search: `?q=${'x'.repeat(4097)}`, field: 'q', detail: /4096/ },
  { search: '?source=%zz', field: 'source', detail: /%25/ },
  { search: '?source=%ff', field: 'source', detail: /UTF-8/ },
  { search: `?${'a&'.repeat(300)}`, field: '', detail: /200/ },
]
for (const { search, field, code = 'invalid_field', detail = /./ } of refused) {
  t.test(`the query ${search.slice(0, 60)} is refused`, async t => {
    t.throws(() => readEventQuery(search, NOW), { category: 'invalid', code, errors: [{ field, detail }] })
  })
}

t.test('one refusal lists all problems', async t => {
  t.throws(() => readEventQuery('?limit=0&since=yesterday&colour=red', NOW), {
    code: 'invalid_field',
    errors: [{ field: 'colour' }, { field: 'since' }, { field: 'limit' }],
  })
})

t.test('every query string is either read into a bounded query or refused by name', async () => {
  const name = fc.oneof(fc.constantFrom(...EVENT_PARAMETERS.map(parameter => parameter.name)), fc.string())
  const value = fc.oneof(fc.string(), fc.constantFrom('1', '500', '2031-05-04T09:00:00Z', 'asc', 'none', '%', '%zz'))
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), pairs => {
      try {
        const { query } = readEventQuery(`?${pairs.map(([key, text]) => `${key}=${text}`).join('&')}`, NOW)
        return query.limit >= 1 && query.limit <= 500 && (query.order === 'asc' || query.order === 'desc')
      } catch (error) {
        return error instanceof Error && error.name === 'AppError'
      }
    }),
  )
})

t.test('a stream begins after its checkpoint; the time filters are filters', async t => {
  const since = micros('2031-05-04T08:00:00Z')
  const from = micros('2031-05-03T09:00:00.000001Z')
  const start = (search: string, lastEventId?: string) => readEventStreamRequest(search, lastEventId, NOW).since
  t.equal(start(''), undefined)
  t.equal(start('?since=2031-05-04T08:00:00Z'), since)
  t.match(readEventStreamRequest('?days=1', undefined, NOW), { since: undefined, filters: { from } })
  t.equal(start('?since=2031-05-04T08:00:00Z', '2031-05-04T08:30:00.000007Z'), micros('2031-05-04T08:30:00.000007Z'))
  t.equal(start('?since=2031-05-04T08:00:00Z', ''), since, 'an empty Last-Event-ID is ignored')
  t.same(readEventStreamRequest('?source=chat&kind=message.*', undefined, NOW).filters, {
    sources: ['chat'],
    kinds: ['message.*'],
  })
})

t.test('a stream refuses parameters of pages, and an id that is not a checkpoint', async t => {
  for (const name of ['limit=5', 'order=asc', 'to=2031-05-04T09:00:00Z', 'wait=5']) {
    t.throws(() => readEventStreamRequest(`?${name}`, undefined, NOW), { errors: [{ field: name.split('=')[0] }] })
  }
  t.throws(() => readEventStreamRequest('', '17', NOW), {
    code: 'invalid_timestamp',
    errors: [{ field: 'Last-Event-ID' }],
  })
})
