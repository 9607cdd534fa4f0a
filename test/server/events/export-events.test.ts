import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import type { Test } from 'tap'
import t from 'tap'
import type { Identity } from '../../../src/accounts/identity.js'
import { AppError } from '../../../src/model/app-error.js'
import { csvCell } from '../../../src/model/csv.js'
import type { EventPage, EventQuery } from '../../../src/model/events/event-query.js'
import { ANSWER_LIMITS } from '../../../src/server/answer/answer-budget.js'
import { CSV_HEAD, csvLine, type TableEvent } from '../../../src/server/events/event-csv.js'
import { anyCharacter } from '../../support/any-character.js'
import { until } from '../../support/until.js'
import { MemoryLedger } from '../memory-ledger.js'
import { OPEN_ACCOUNTS } from '../open-accounts.js'
import { message, record, type Served, serve } from '../serve.js'

const LIMITS = { connections: 100, held: 100, heldByCaller: 2, heldByAddress: 100 }

/** More than two pages of events. */
const recordMany = ({ ledger }: Pick<Served, 'ledger'>, bytes = 1) => {
  const payload = { text: 'x'.repeat(bytes) }
  return record(
    ledger,
    Array.from({ length: 1_100 }, (_, i) => message(i, { payload })),
  )
}

/** A ledger that calls a function before its second page is read. */
class Between extends MemoryLedger {
  happens: () => unknown = () => {}
  #reads = 0

  override async query(query: EventQuery, signal?: AbortSignal): Promise<EventPage> {
    this.#reads++
    if (this.#reads === 2) await this.happens()
    return super.query(query, signal)
  }
}

async function serveBetween(test: Test) {
  const ledger = new Between()
  const served = await serve(test, { ledger })
  await recordMany({ ledger })
  return { ...served, ledger }
}

/** Sends a request, and reads only the head of the answer. */
async function askOnly({ port }: Served, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  await once(socket, 'data')
  socket.pause()
  return socket
}

t.test('an export has every event as stored, in order, one per line, with a file name', async t => {
  const served = await serve(t)
  await recordMany(served)
  const { status, headers, text } = await served.request('/api/export')
  t.equal(status, 200)
  t.equal(headers.get('content-type'), 'application/x-ndjson')
  t.equal(headers.get('content-disposition'), 'attachment; filename="daybook-events-2031-05-04T090000Z.jsonl"')
  t.equal(text, served.ledger.events.map(event => `${JSON.stringify(event)}\n`).join(''))
  t.match(await served.request('/api/export', { method: 'HEAD' }), { status: 200, text: '' })
})

t.test('an export without events is an empty file, or a table without rows', async t => {
  const { request } = await serve(t)
  t.match(await request('/api/export'), { status: 200, text: /^$/ })
  const { text, headers } = await request('/api/export?format=csv')
  t.equal(`\ufeff${text}`, CSV_HEAD)
  t.match(headers.get('content-type'), 'text/csv; charset=utf-8')
})

t.test('a table has one row per event, and reads no payloads', async t => {
  const served = await serve(t)
  await recordMany(served)
  const { text, headers } = await served.request('/api/export?format=csv')
  t.match(headers.get('content-disposition'), /\.csv"$/)
  t.equal(`\ufeff${text}`, CSV_HEAD + served.ledger.events.map(csvLine).join(''))
  t.ok(served.ledger.queries.every(query => query.withoutPayload))
})

t.test('an export accepts the filters and the range of a page, and no paging parameters', async t => {
  const served = await serve(t)
  await served.post('/api/events', [message(1), { ...message(2), kind: 'push' }, message(3)])
  const range = 'since=2031-05-04T09:00:00Z&before=2031-05-04T09:00:00.000003Z&days=1'
  const { text } = await served.request(`/api/export?kind=message.*&source=api&verified=none&${range}`)
  t.same(
    text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).subject_id),
    ['1'],
  )
  t.match(served.ledger.queries.at(-1), { kinds: ['message.*'], sources: ['api'], verified: ['none'], order: 'asc' })
  for (const name of ['limit', 'order', 'wait', 'format', 'colour']) {
    const refused = await served.request(`/api/export?${name}=5`)
    t.match(refused, { status: 400, body: { errors: [{ field: name }] } }, name)
  }
})

t.test('events that arrive during the export are not in it', async t => {
  const served = await serveBetween(t)
  served.ledger.happens = () => served.post('/api/events', message('late'))
  const { text } = await served.request('/api/export')
  t.equal(text.trimEnd().split('\n').length, 1_100)
  t.equal(served.ledger.events.length, 1_101)
})

t.test('a briefly busy ledger delays an export', async t => {
  const served = await serveBetween(t)
  served.ledger.happens = () => {
    throw new AppError('unavailable', 'busy', 'Busy.')
  }
  t.equal((await served.request('/api/export')).text.trimEnd().split('\n').length, 1_100)
  served.ledger.failure = new AppError('unavailable', 'busy', 'Busy.')
  t.match(await served.request('/api/export'), { status: 503, body: { code: 'busy' } }, 'before it has begun')
})

t.test('an export that cannot continue does not look complete', async t => {
  const failing = await serveBetween(t)
  failing.ledger.happens = () => {
    throw new AppError('unavailable', 'store_failed', 'The database does not answer.')
  }
  await t.rejects(failing.request('/api/export'))
  const old = await failing.raw('GET /api/export HTTP/1.0\r\nHost: localhost\r\n\r\n')
  t.match(old, /^HTTP\/1\.1 400 [\s\S]*"bad_request"/, 'in HTTP/1.0 it would')

  let identity: Identity = { kind: 'open' }
  const ledger = new Between()
  const ended = await serve(t, { ledger, accounts: { ...OPEN_ACCOUNTS, identify: async () => identity } })
  await recordMany({ ledger })
  ledger.happens = () => {
    identity = { kind: 'anonymous' }
  }
  await t.rejects(ended.request('/api/export'), 'its reader has logged out')
})

t.test('an export reads no further than its reader, and stops when it leaves', async t => {
  for (const hasLeft of [false, true]) {
    const served = await serve(t, { answerLimits: { ...ANSWER_LIMITS, takenMs: hasLeft ? 30_000 : 40 } })
    await recordMany(served, 20_000)
    const socket = await askOnly(served, '/api/export')
    if (hasLeft) socket.destroy()
    await until(() => served.log.some(line => line.path === '/api/export'))
    t.ok(served.ledger.queries.length < 3, 'the system may have taken a page')
    t.match(served.log.at(-1), hasLeft ? { cut_off: undefined } : { cut_off: 'slow' })
    socket.destroy()
  }
})

t.test('a stopping server ends an export as incomplete', async t => {
  const served = await serveBetween(t)
  served.ledger.happens = () => void served.close()
  await t.rejects(served.request('/api/export'))
})

t.test('exports count against the limit of held answers', async t => {
  const served = await serve(t, { limits: LIMITS })
  await recordMany(served, 20_000)
  const readers = [await askOnly(served, '/api/export'), await askOnly(served, '/api/export?format=jsonl')]
  const { status, headers, body } = await served.request('/api/export')
  t.match({ status, body }, { status: 503, body: { code: 'busy' } })
  t.equal(headers.get('retry-after'), '5')
  for (const reader of readers) reader.destroy()
  await until(() => served.log.filter(line => line.path === '/api/export').length >= 2)
  t.match(await served.request('/api/export?format=csv'), { status: 200 })
})

t.test('no cell of a table is a formula', async t => {
  t.equal(csvCell('a,"b"\nc'), '"a,""b""\nc"')
  for (const text of ['=1+1', '+1', '-1', '@x', '\t=1', ' =1', '\u0000=1', '|x', '＝1', '\rx']) {
    t.match(csvCell(text), /^"?'/, JSON.stringify(text))
  }
  t.equal(csvCell('plain'), 'plain')
})

t.test('a line of a table parses to its values', async t => {
  const { ledger, post } = await serve(t)
  await post('/api/events', message(1))
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), text => {
      const cells = cellsOf(csvLine({ ...(ledger.events[0] as TableEvent), conversation: { text } }))
      const shown = cells[CSV_HEAD.slice(1).split(',').indexOf('text')] ?? ''
      t.ok(shown === text || shown === `'${text}`)
      t.equal(cells.length, CSV_HEAD.split(',').length)
    }),
    { numRuns: 200 },
  )
})

/** RFC 4180, one line. */
function cellsOf(line: string): string[] {
  return [...line.slice(0, -2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/gsu)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  )
}
