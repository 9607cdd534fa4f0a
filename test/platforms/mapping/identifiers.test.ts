import fc from 'fast-check'
import t from 'tap'
import { digestOf, toDedupeKey, toIdentifier, toWord } from '../../../src/platforms/mapping/identifiers.js'
import { anyCharacter } from '../../support/any-character.js'

const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 1_000 }),
  fc.constantFrom('\0', '\ud800', '\udc00x'),
)
const IDENTIFYING = /^[^\0\p{Cs}]+$/u

t.test('a key consists of its unchanged parts', async t => {
  const parts = { source: 'code_a', host: 'github.com', objectType: 'issue', id: '5', verb: 'closed' }
  t.equal(toDedupeKey(parts), 'code_a:github.com:issue:5:closed')
  t.equal(toDedupeKey({ ...parts, discriminator: '2031' }), 'code_a:github.com:issue:5:closed:2031')
})

t.test('for all parts, the key can be stored, and equal parts give equal keys', async () => {
  const parts = fc.record({
    source: fc.constantFrom('chat', 'forum', 'code_a', 'code_b'),
    host: hostile,
    objectType: hostile.map(text => toWord(text) ?? 'event'),
    id: hostile,
    verb: hostile.map(text => toWord(text) ?? 'received'),
    discriminator: fc.option(hostile, { nil: undefined }),
  })
  fc.assert(
    fc.property(parts, given => {
      const key = toDedupeKey(given)
      return key.length >= 1 && key.length <= 512 && IDENTIFYING.test(key) && key === toDedupeKey({ ...given })
    }),
  )
})

t.test('two ids that must be encoded stay distinct', async t => {
  const ids = ['\ud800', '\ud801', '\udc00', '\0', 'a'.repeat(201), 'a'.repeat(202)]
  t.equal(new Set(ids.map(toIdentifier)).size, ids.length)
  t.not(digestOf('\ud800'), digestOf('\ufffd'))
})

t.test('a word is short, in lower case and free of separators', async t => {
  const cases: [string | undefined, string | undefined][] = [
    ['opened', 'opened'],
    ['Turned Twice!', 'turned_twice'],
    ['a.b:c', 'a_b_c'],
    ['deploy-prod', 'deploy-prod'],
    ['部署', '部署'],
    ['', undefined],
    [' \0 ', undefined],
    ['___', undefined],
    [undefined, undefined],
  ]
  for (const [text, word] of cases) t.equal(toWord(text), word, JSON.stringify(text))
  fc.assert(
    fc.property(hostile, text => {
      const word = toWord(text)
      return word === undefined || (word.length > 0 && [...word].length <= 60 && /^[\p{L}\p{N}_-]+$/u.test(word))
    }),
  )
})
