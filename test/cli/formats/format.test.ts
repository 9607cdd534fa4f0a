import t from 'tap'
import { EVENT_SHAPE } from '../../../src/cli/formats/event-shape.js'
import { fieldTable, formatted } from '../../../src/cli/formats/format.js'
import { inLocalTime } from '../../../src/cli/formats/local-time.js'
import { BY_ID, readFields } from '../../../src/cli/formats/output-options.js'
import { createTerminalStyle } from '../../../src/cli/terminal/style.js'

const PAGE = {
  items: [
    { id: 'a', kind: 'issue.opened', actor: { id: '7', display: 'Ada' }, labels: ['x', 'y'], seen: 1 },
    { id: 'b', kind: '=SUM(1)', actor: { id: '8', display: 'Mia, the "second"' }, labels: [], seen: 2, note: null },
  ],
  next: 'b',
}
const format = (format: 'json' | 'jsonl' | 'yaml' | 'csv' | 'name', fields?: string[], result: unknown = PAGE) =>
  formatted(result, { format, fields, shape: BY_ID })

t.test('the format jsonl prints a line for each item, and the format name its name', async t => {
  t.same(
    (await format('jsonl'))
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
    PAGE.items,
  )
  t.equal(await format('name'), 'a\nb\n')
  t.equal(await format('jsonl', undefined, { id: 'one' }), '{"id":"one"}\n', 'a result that is not a list is one item')
  t.equal(await format('jsonl', undefined, { items: [] }), '')
})

t.test('csv has a header, the scalar members, and no cell that a spreadsheet evaluates', async t => {
  t.equal(await format('csv'), "id,kind,seen,note\r\na,issue.opened,1,\r\nb,'=SUM(1),2,\r\n")
  t.equal(
    await format('csv', ['actor.display', 'labels', 'actor', 'missing']),
    'actor.display,labels,actor,missing\r\n' +
      'Ada,"x, y","{""id"":""7"",""display"":""Ada""}",\r\n' +
      '"Mia, the ""second""",,"{""id"":""8"",""display"":""Mia, the \\""second\\""""}",\r\n',
  )
})

t.test('selected fields keep their place in each item, and members beside the items stay', async t => {
  t.same(JSON.parse(await format('json', ['kind', 'actor.display'])), {
    items: [
      { kind: 'issue.opened', actor: { display: 'Ada' } },
      { kind: '=SUM(1)', actor: { display: 'Mia, the "second"' } },
    ],
    next: 'b',
  })
  t.same(JSON.parse(await format('json', ['id'], { id: 1, other: 2 })), { id: 1 })
})

t.test('fields are selected in the list that the shape of a result names', async t => {
  const shape = { ...EVENT_SHAPE, list: 'events' }
  const result = { events: [{ kind: 'issue.created', dedupe_key: 'k', target: {} }], ignored: 1 }
  const fields = ['kind', 'dedupe_key']
  const picked = { kind: 'issue.created', dedupe_key: 'k' }
  t.same(JSON.parse(await formatted(result, { format: 'json', fields, shape })), { events: [picked], ignored: 1 })
  t.same(JSON.parse(await formatted(result, { format: 'jsonl', fields, shape })), picked)
  t.equal(await formatted(result, { format: 'csv', fields, shape }), 'kind,dedupe_key\r\nissue.created,k\r\n')
  const style = createTerminalStyle({ colour: false, columns: 60 })
  t.match(fieldTable(result, { fields, shape }, style), /issue\.created +k/)
})

t.test('the yaml output parses to the same result', async t => {
  const { parse } = await import('yaml')
  const odd = {
    ...PAGE,
    text: 'a: b\n- c\u2028',
    empty: [],
    no: 'no',
    time: '2031-05-04T09:00:00.000001Z',
    number: '1',
  }
  t.same(parse(await format('yaml', undefined, odd)), odd)
  t.match(await format('yaml'), /^items:\n {2}- id: a\n {4}kind: issue\.opened\n/)
})

t.test('a table has the chosen members as columns', async t => {
  const style = createTerminalStyle({ colour: false, columns: 60 })
  t.equal(
    fieldTable(PAGE, { fields: ['id', 'actor.display'], shape: BY_ID }, style),
    'id  actor.display\na   Ada\nb   Mia, the "second"',
  )
})

t.test('the name of an event is the key that finds it', async t => {
  const event = { dedupe_key: 'k', provenance: { key_space: 'verified' } }
  const names = await formatted({ items: [event, { dedupe_key: 'l' }] }, { format: 'name', shape: EVENT_SHAPE })
  t.equal(names, 'verified:k\nl\n')
})

t.test('the format name for unnamed results, and an invalid list of fields, are refused', async t => {
  await t.rejects(format('name', undefined, { count: 1 }), { code: 'wrong_usage', message: /have no names/ })
  for (const list of ['', 'a,,b', 'a..b', '.a', 'a,']) t.throws(() => readFields(list), { code: 'wrong_usage' }, list)
  t.same(readFields('a, b.c'), ['a', 'b.c'])
})

t.test('local time is the same instant, with its microseconds', async t => {
  const at = '2031-07-04T22:30:00.123456Z'
  const shown = inLocalTime({ at, items: [{ at }], text: `at ${at}`, count: 1, none: null }) as {
    at: string
    items: { at: string }[]
  }
  t.match(shown.at, /^2031-07-0\dT\d\d:\d\d:00\.123456[+-]\d\d:\d\d$/)
  t.equal(Date.parse(shown.at), Date.parse(at))
  t.match(shown, { items: [{ at: shown.at }], text: `at ${at}`, count: 1, none: null })
})
