import fc from 'fast-check'
import t from 'tap'
import { walkJson } from '../../../src/server/request/json-walk.js'

t.test('a text is valid exactly when JSON.parse accepts it', async () => {
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '{', '\\', '\n', '0', '-', 'e', '.', ':', 'x'))
    .map(([text, at, piece]) => {
      const cut = at % (text.length + 1)
      return text.slice(0, cut) + piece + text.slice(cut + (piece === '' ? 1 : 0))
    })
  fc.assert(
    fc.property(fc.oneof(fc.json(), broken, fc.string()), text => (walkJson(text) === undefined) === parses(text)),
    { numRuns: 1000 },
  )
})

const faults = [
  { text: '{"a":1,}', offset: 7, problem: 'a member name in double quotes is missing' },
  { text: '{"a" 1}', offset: 5, problem: '":" is missing after a member name' },
  { text: '[1 2]', offset: 3, problem: '"," or "]" is missing' },
  { text: '{"a":1 "b":2}', offset: 7, problem: '"," or "}" is missing' },
  { text: '[1,]', offset: 3, problem: 'a value is missing' },
  { text: '{} {}', offset: 3, problem: 'nothing may follow the value' },
  { text: '{"a":', offset: 5, problem: 'the text ends too early' },
  { text: '"abc', offset: 4, problem: 'a string does not end' },
  { text: '"a\nb"', offset: 2, problem: 'a control character in a string is not escaped' },
  { text: '"\\u12g4"', offset: 2, problem: 'a \\u escape is broken' },
  { text: '"\\x"', offset: 2, problem: 'an escape is broken' },
  { text: "{'a':1}", offset: 1, problem: 'a member name in double quotes is missing' },
  { text: 'NaN', offset: 0, problem: 'a value is missing' },
]
for (const { text, offset, problem } of faults) {
  t.test(`the position of the error in ${JSON.stringify(text)} is reported`, async t => {
    t.same(walkJson(text), { offset, problem })
  })
}

t.test('the path of every number is reported', async t => {
  const seen: string[] = []
  walkJson('{"a":[1,{"b/c":-2.5e3,"s":"9"}],"~":0}', (token, pointer) => seen.push(`${pointer()} ${token}`))
  t.same(seen, ['/a/0 1', '/a/1/b~1c -2.5e3', '/~0 0'])
})

t.test('a deeply nested text does not overflow the stack', async t => {
  t.match(walkJson('['.repeat(500_000)), { problem: 'the text ends too early' })
})

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
