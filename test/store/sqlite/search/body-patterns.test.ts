import fc from 'fast-check'
import t from 'tap'
import { foldCase } from '../../../../src/model/events/search.js'
import { bodyPatterns } from '../../../../src/store/sqlite/search/body-patterns.js'

const letters = fc
  .array(fc.constantFrom(...'abksKS ße%_!\\"éÉΣσς日回Дд😀\u212aſ', '\n', '\ud83d'), { minLength: 1, maxLength: 12 })
  .map(each => each.join(''))

t.test('a body that contains all terms matches a pattern, regardless of case', async t => {
  fc.assert(
    fc.property(fc.array(letters, { minLength: 1, maxLength: 3 }), letters, fc.boolean(), (words, around, isUpper) => {
      const written = words.map(word => (isUpper ? word.toUpperCase() : word))
      const terms = words.map(foldCase)
      fc.pre(written.every((word, at) => foldCase(word) === terms[at]))
      const body = JSON.stringify({ text: `${around}${written.join(around)}` })
      const patterns = bodyPatterns(terms)
      t.ok(patterns.length <= 9)
      t.ok(patterns.some(pattern => isLike(body, pattern)))
    }),
  )
})

t.test('a long piece with one spelling is preferred to a longer one with several', async t => {
  t.same(bodyPatterns(['übertragung']), ['%bertragung%'])
  t.same(bodyPatterns(['sonder']), ['%onder%'])
  t.same(bodyPatterns(['回滚']), ['%回滚%'])
  t.same(bodyPatterns(['zz']), ['%zz%'])
  t.same(bodyPatterns(['a%b_']), ['%a!%b!_%'])
  t.same(bodyPatterns(['ok']), ['%ok%', '%o\u212a%'])
})

/** LIKE of SQLite with the escape `!`: without the case of ASCII letters. */
function isLike(text: string, pattern: string): boolean {
  const searched = pattern.slice(1, -1).replaceAll(/!(.)/gu, '$1')
  const lower = (of: string) => of.replaceAll(/[A-Z]/g, letter => letter.toLowerCase())
  return lower(text).includes(lower(searched))
}
