import t from 'tap'
import { matchesFilter, UNASSIGNED } from '../../assets/board/cards/card-filter.js'
import { countsBySource, eventUrl, readEventKey } from '../../assets/board/cards/event-links.js'
import { LABEL_COLOURS, labelColour } from '../../assets/board/cards/label-colours.js'
import { readNewCardHash } from '../../assets/board/cards/new-card-hash.js'
import { commandLine, ranMs, runFailureReason, stopwatch, waitedMs } from '../../assets/board/runs/run-words.js'
import type { Card } from '../../src/model/board/card.js'
import type { Run } from '../../src/model/board/run.js'
import { queuedRun } from '../support/run.js'

t.test('a label has one colour of a fixed set, the same in any letter case', async t => {
  t.equal(labelColour('bug'), 'red')
  t.equal(labelColour(' Bug '), 'red')
  for (const label of ['', 'constructor', '__proto__', '夜間', 'x'.repeat(5000), 'relay']) {
    t.ok(LABEL_COLOURS.includes(labelColour(label)), label.slice(0, 20))
    t.equal(labelColour(label), labelColour(label.toUpperCase()))
  }
})

t.test('the address can contain a title and events for a new card', async t => {
  t.same(readNewCardHash('#new?title=A%20%26%20B%23&link=chat%3A1&link=chat%3A1&link=code_a%3A2'), {
    title: 'A & B#',
    links: ['chat:1', 'code_a:2'],
  })
  t.same(readNewCardHash('#new'), { title: '', links: [] })
  for (const hash of ['', '#', '#news?title=x', '#view', '#new/x', '#x=#new?title=1'])
    t.equal(readNewCardHash(hash), undefined, hash)
})

t.test('texts from the address have limits, and are one line', async t => {
  const asked = readNewCardHash(`#new?title=${'%F0%9F%98%80'.repeat(200)}&link=${'x'.repeat(513)}&link=`)
  t.ok(asked && asked.title.length <= 200)
  t.notMatch(asked?.title, /[\ud800-\udbff](?![\udc00-\udfff])/u)
  t.same(asked?.links, [])
  t.equal(readNewCardHash('#new?title=a%0Ab%00%09c')?.title, 'a b c')
  const many = Array.from({ length: 80 }, (_, at) => `link=chat:${at}`).join('&')
  t.equal(readNewCardHash(`#new?${many}`)?.links.length, 50)
  t.same(readNewCardHash('#new?title=%E0%A4%A'), { title: '\ufffd%A', links: [] }, 'broken escapes are text')
})

t.test('events are counted by source, in one order', async t => {
  t.same(countsBySource(['code_a:1', 'chat:1', 'backup:1', 'chat:2', 'toString:1', '']), [
    { source: 'chat', count: 2 },
    { source: 'code_a', count: 1 },
    { source: 'other', count: 3 },
  ])
})

t.test('an event links to the observatory if its address is known, and otherwise has no link', async t => {
  t.equal(eventUrl('http://127.0.0.1:8765/book', 'chat:a&b#c'), 'http://127.0.0.1:8765/book/?event=chat%3Aa%26b%23c')
  t.equal(eventUrl('https://ledger.example.org', 'x'), 'https://ledger.example.org/?event=x')
  for (const ledger of [undefined, 'javascript:alert(1)', '/book', 'https://'])
    t.equal(eventUrl(ledger, 'x'), undefined)
})

t.test('a dedupe key is read from the key itself or from the address of its event', async t => {
  t.equal(readEventKey('  chat:host:message:1:create '), 'chat:host:message:1:create')
  t.equal(readEventKey('http://127.0.0.1:8765/?event=chat%3A1&q=x'), 'chat:1')
  for (const text of ['', ' ', 'two words', 'http://127.0.0.1/', 'x'.repeat(513), 'a\nb'])
    t.equal(readEventKey(text), undefined)
})

t.test('cards are found by words, labels and assignees', async t => {
  const card = {
    id: '1',
    title: 'Retries twice',
    body: 'See HEADERS',
    column: 'doing',
    labels: ['bug'],
    assignee: null,
    links: ['chat:7'],
    rank: 1,
    version: 1,
    created_at: '',
    updated_at: '',
  } satisfies Card
  const any = { terms: [], labels: [], assignees: [] }
  t.ok(matchesFilter(card, any))
  t.ok(matchesFilter(card, { ...any, terms: ['headers', 'RETRIES', 'chat:7', 'bug'] }))
  t.notOk(matchesFilter(card, { ...any, terms: ['headers', 'nothing'] }))
  t.ok(matchesFilter(card, { ...any, labels: ['docs', 'bug'] }))
  t.notOk(matchesFilter(card, { ...any, labels: ['docs'] }))
  t.ok(matchesFilter(card, { ...any, assignees: [UNASSIGNED] }))
  t.notOk(matchesFilter({ ...card, assignee: 'Ada' }, { ...any, assignees: [UNASSIGNED] }))
  t.ok(matchesFilter({ ...card, assignee: 'Ada' }, { ...any, assignees: ['Ada', 'Ben'] }))
})

t.test('times of runs are shown as on a stopwatch', async t => {
  t.equal(stopwatch(-5), '0:00')
  t.equal(stopwatch(102_999), '1:42')
  t.equal(stopwatch(3_605_000), '1:00:05')
  const run: Run = queuedRun({
    id: 'run_00000000000012ab',
    card_id: 'c',
    mode: 'real',
    state: 'running',
    timeout_seconds: 600,
    created_at: '2026-11-20T13:00:00.000000Z',
    started_at: '2026-11-20T13:00:03.000000Z',
  })
  const now = Date.parse('2026-11-20T13:01:45Z')
  t.equal(stopwatch(waitedMs(run, now)), '0:03')
  t.equal(stopwatch(ranMs(run, now)), '1:42')
  t.equal(stopwatch(ranMs({ ...run, started_at: null }, now)), '0:00')
  t.match(runFailureReason({ ...run, state: 'failed', reason: 'exit', exit_code: 3 }), 'exit code 3')
  t.match(runFailureReason({ ...run, state: 'failed', reason: 'timeout' }), 'time limit of 10:00')
  t.equal(runFailureReason({ ...run, state: 'done' }), '')
})

t.test('a command is shown with its words separated unambiguously', async t => {
  t.equal(commandLine(['/bin/sh', '-c', 'echo "a b"; exit', '']), '/bin/sh -c "echo \\"a b\\"; exit" ""')
})
