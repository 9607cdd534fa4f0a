import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { readJson } from '../../../src/server/request/read-json.js'
import { firstByte, splitArray, splitElements, splitLines } from '../../../src/server/request/split-json.js'

t.test('an array is split into the texts of its elements', async () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom('', ' ', '\n\t'), (values, blank) => {
      const text = `${blank}[${blank}${values.map(value => JSON.stringify(value, null, blank)).join(`${blank},`)}${blank}]${blank}`
      const parts = [...splitArray(Buffer.from(text))].map(part => JSON.parse(part.toString()))
      return isDeepStrictEqual(parts, JSON.parse(text))
    }),
  )
})

t.test('a text is a valid array exactly if all its elements are valid', async () => {
  const piece = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '\\', '1', 'a', '"a"', '"a":1', ' ', 'null')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      const text = `[${pieces.join('')}`
      return elementsParse(text) === parses(text)
    }),
    { numRuns: 1500 },
  )
})

t.test('an array that does not end, or is followed by text, is refused with the place', async t => {
  for (const [text, place] of [
    ['[1,2', 'line 1, column 5'],
    ['[1]\n]', 'line 2, column 1'],
    ['[1}', 'line 1, column 3'],
    ['[] []', 'line 1, column 4'],
  ] as const) {
    t.throws(() => [...splitArray(Buffer.from(text))], { code: 'invalid_json', message: new RegExp(place) })
  }
})

t.test('joined elements are split only at the commas between them', async t => {
  const texts = ['{"a":[1,2]}', '{"b":"x,\\"y"}', '[]', '"é,漢"']
  t.same(
    [...splitElements(Buffer.from(texts.join(',')))].map(part => part.toString()),
    texts,
  )
})

t.test('lines are split at line feeds, and blank lines are left out', async t => {
  const lines = [...splitLines(Buffer.from('\ufeff{"a":1}\r\n\n  \t\n{"b":2}\n{"c":3}'))].map(line => line.toString())
  t.same(lines, ['{"a":1}\r', '{"b":2}', '{"c":3}'])
  t.same([...splitLines(Buffer.from(''))], [])
})

t.test('a byte order mark is ignored', async t => {
  t.same(readJson(Buffer.from('\ufeff{"a":"é"}')), { a: 'é' })
  t.equal(firstByte(Buffer.from('\ufeff \n[')), 0x5b)
  t.equal(firstByte(Buffer.from(' \n')), -1)
})

t.test('the last of two members with one name is used, and __proto__ is an ordinary name', async t => {
  const value = readJson(Buffer.from('{"a":1,"a":2,"__proto__":{"x":1}}'))
  t.same(JSON.stringify(value), '{"a":2,"__proto__":{"x":1}}')
})

t.test('an error names the fault and its position, without repeating the text', async t => {
  for (const [bytes, reason] of [
    [Buffer.from(''), 'it is empty'],
    [Buffer.from(' \n '), 'it is empty'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'it is not UTF-8'],
    [Buffer.from('{\n  "secret": hunter2\n}'), 'at line 2, column 13: a value is missing'],
  ] as const) {
    const message = `The body is not valid JSON: ${reason}.`
    t.throws(() => readJson(bytes), { category: 'invalid', code: 'invalid_json', message })
  }
})

function elementsParse(text: string): boolean {
  try {
    for (const part of splitArray(Buffer.from(text))) JSON.parse(part.toString())
    return true
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof AppError) return false
    throw error
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
