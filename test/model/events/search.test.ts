import fc from 'fast-check'
import t from 'tap'
import { caseVariants, foldCase, readSearch, searchableStrings } from '../../../src/model/events/search.js'
import { anyCharacter } from '../../support/any-character.js'

t.test('a search text is words and phrases, each once', async t => {
  const cases: [string, string[]][] = [
    ['', []],
    ['   ', []],
    ['Deploy failed', ['deploy', 'failed']],
    ['deploy "All Green" deploy', ['deploy', 'all green']],
    ['"unclosed phrase', ['unclosed phrase']],
    ['""', []],
    ['a"b c"', ['a"b', 'c"']],
    ['tab\tnew\nline', ['tab', 'new', 'line']],
  ]
  for (const [text, terms] of cases) t.same(readSearch('q', text), terms, text)
  t.same(readSearch('q', 'x'.repeat(4_096)), ['x'.repeat(4_096)])
  t.throws(() => readSearch('q', 'x'.repeat(4_097)), { code: 'invalid_field', errors: [{ field: 'q' }] })
})

/** Unicode has letters with a case only in the first two planes. */
const LAST_CASED = 0x2_0000

t.test('case folding agrees with the regular expressions of the engine for every character', async t => {
  let wrong = 0
  for (let code = 1; code < LAST_CASED; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const character = String.fromCodePoint(code)
    const folded = foldCase(character)
    if (folded === character) continue
    const same = new RegExp(`^\\u{${folded.codePointAt(0)?.toString(16)}}$`, 'iu')
    if ([...folded].length !== 1 || !same.test(character)) wrong++
  }
  t.equal(wrong, 0)
})

t.test('letters that differ only in case fold to the same letter', async t => {
  for (const [left, right] of [
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['µ', 'Μ'],
    ['ſ', 'S'],
    ['K', 'k'],
    ['ẞ', 'ß'],
    ['Ǆ', 'ǆ'],
  ] as const) {
    t.equal(foldCase(left), foldCase(right))
  }
  t.not(foldCase('İ'), foldCase('i'))
})

t.test('every case variant of a character folds to it', async t => {
  for (const character of ['k', 's', 'å', 'ω', 'σ', 'я', '部', '7']) {
    const variants = caseVariants(character)
    t.ok(variants.includes(character))
    for (const variant of variants) t.equal(foldCase(variant), character)
  }
  t.same(caseVariants('k').length, 3)
})

t.test('every character is a case variant of its folded form', async t => {
  const missing: string[] = []
  for (let code = 1; code < LAST_CASED; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const character = String.fromCodePoint(code)
    const folded = foldCase(character)
    if (folded !== character && !caseVariants(folded).includes(character)) missing.push(character)
  }
  t.same(missing, [])
})

t.test('folding twice changes nothing', async t => {
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), text => foldCase(foldCase(text)) === foldCase(text)))
  t.pass()
})

t.test('strings are collected at any depth, member names are not', async t => {
  const event = {
    actor: { id: '17', display: 'Ada', metadata: { email: 'ADA@example.org' } },
    conversation: { text: 'Hi' },
    payload: { secret_name: [{ deep: ['Found', 7, null, true] }], empty: '' },
  }
  t.same([...searchableStrings(event)], ['17', 'ada', 'ada@example.org', 'hi', 'found'])
})
