import fc from 'fast-check'
import t from 'tap'
import {
  hasRounded,
  type JsonRow,
  type JsonView,
  jsonPreview,
  jsonRows,
  MEMBERS,
  pathsToMatches,
} from '../../assets/observatory/events/panel/json-rows.js'

const FOLDED: JsonView = { isOpen: path => path === '', shown: () => MEMBERS }
const UNFOLDED: JsonView = { isOpen: () => true, shown: () => Number.POSITIVE_INFINITY }

const shape = ({ path, depth, kind }: JsonRow) => `${depth} ${kind} ${path}`

t.test('the members of a value are shown at first, and their contents are folded', async t => {
  const rows = jsonRows({ a: 1, b: { 'x/y': [true] }, c: [], d: null, e: 'text' }, FOLDED)
  t.same(rows.map(shape), [
    '0 object ',
    '1 number /a',
    '1 object /b',
    '1 array /c',
    '1 literal /d',
    '1 string /e',
    '0 end ',
  ])
  t.same(
    rows.map(row => row.isOpen),
    [true, undefined, false, undefined, undefined, undefined, undefined],
    'what is empty has nothing to unfold',
  )
})

t.test('paths are JSON pointers, one a line', async t => {
  const paths = jsonRows({ 'x/y': { '~': 1 }, '': { '': 2 } }, UNFOLDED).map(shape)
  t.ok(paths.includes('2 number /x~1y/~0'))
  t.ok(paths.includes('2 number //'))
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), value => {
      const rows = jsonRows(value, UNFOLDED).filter(row => row.kind !== 'end')
      return new Set(rows.map(row => row.path)).size === rows.length
    }),
  )
})

t.test('of many members a part is shown, with the number of the others', async t => {
  const rows = jsonRows(
    Array.from({ length: 250 }, (_, at) => at),
    FOLDED,
  )
  t.equal(rows.length, MEMBERS + 3)
  t.match(rows.at(-2), { kind: 'more', left: 150, path: '' })
})

t.test('the depth of shown rows is bounded', async t => {
  let deep: unknown = 1
  for (let depth = 0; depth < 50_000; depth++) deep = [deep]
  t.ok(jsonRows(deep, UNFOLDED).length < 500)
  t.same(pathsToMatches(deep, ['x']).size, 0)
})

t.test('a collapsed value shows a short summary of its content', async t => {
  t.equal(jsonPreview({ id: '17', display: 'Ada', email: 'a' }), '{ id: "17", display: "Ada", … }')
  t.equal(jsonPreview({ a: {}, b: 1 }), '{ 2 }')
  t.equal(jsonPreview({ a: 'x'.repeat(1_000_000) }), '{ 1 }')
  t.equal(jsonPreview([1, 2, 3]), '[ 1, 2, … ]')
  t.equal(jsonPreview([]), '[]')
})

t.test('the path to the first match of a search is unfolded', async t => {
  const value = { payload: { commits: [{ message: 'no' }, { message: 'Retry it' }] }, other: { x: 'y' } }
  t.same([...pathsToMatches(value, ['RETRY'])], ['', '/payload', '/payload/commits', '/payload/commits/1'])
  t.equal(pathsToMatches(value, []).size, 0)
})

t.test('a value with numbers that the browser cannot represent is recognised', async t => {
  t.equal(hasRounded({ a: [{ id: 2 ** 53 }] }), true)
  t.equal(hasRounded({ a: [Number.MAX_SAFE_INTEGER, -1, 0.5, '12345678901234567890'] }), false)
})
