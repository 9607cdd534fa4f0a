import t from 'tap'
import { isNoneMatch, readIfMatch } from '../../src/board/if-match.js'

const wanted: [header: string | undefined, versions: ReturnType<typeof readIfMatch>][] = [
  [undefined, 'any'],
  ['*', 'any'],
  [' * ', 'any'],
  ['"3"', [3]],
  ['"3", "4"', [3, 4]],
  ['"3","4" ,\t"5"', [3, 4, 5]],
  [',"3",,', [3]],
  ['W/"3"', []],
  ['W/"3", "4"', [4]],
  ['"abc"', []],
  ['""', []],
  ['"3,4"', []],
  ['"03"', []],
  ['"0"', []],
  ['"-1"', []],
  ['"1e3"', []],
  ['"9999999999999999999999"', []],
]

t.test('If-Match is read as versions, as any version, or as a version that cannot exist', async t => {
  for (const [header, versions] of wanted) t.same(readIfMatch(header), versions, String(header))
})

t.test('an If-Match that is not a list of tags is refused', async t => {
  const hostile = `${' \t'.repeat(8_000)}x`
  for (const header of [
    '',
    ' ',
    ',',
    '3',
    '"3',
    '3"',
    '"3" "4"',
    '*, "3"',
    '"3", *',
    'w/"3"',
    "'3'",
    '"a b"',
    hostile,
  ]) {
    t.throws(() => readIfMatch(header), { category: 'invalid', code: 'invalid_field' }, header.slice(0, 20))
  }
})

t.test('If-None-Match compares weakly, and a header that is not a list of tags matches nothing', async t => {
  const cases: [string | undefined, boolean][] = [
    [undefined, false],
    ['*', true],
    ['"3"', true],
    ['W/"3"', true],
    ['"2", W/"3"', true],
    ['"2"', false],
    ['3', false],
    ['"3" x', false],
  ]
  for (const [header, matches] of cases) t.equal(isNoneMatch(header, 3), matches, String(header))
})
