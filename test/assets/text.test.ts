import fc from 'fast-check'
import t from 'tap'
import {
  bytes,
  findMatches,
  initials,
  plainText,
  searchTerms,
  shownText,
  type TextOptions,
} from '../../assets/shared/words/text.js'
import { counted } from '../../src/model/counted.js'
import { anyCharacter } from '../support/any-character.js'

/** Tags in brackets, matches in asterisks. */
function shown(text: string, options?: TextOptions): string {
  return shownText(text, options)
    .pieces.map(piece => {
      if (piece.kind === 'tag') return `[${piece.name}]`
      return piece.isMatch ? `*${piece.text}*` : piece.text
    })
    .join('')
}

t.test('invisible characters, and those that reverse the direction of text, are shown by name', async t => {
  const cases: [string, string][] = [
    ['a\u202etxt.exe', 'a[RLO]txt.exe'],
    ['a\u2066b\u2069', 'a[LRI]b[PDI]'],
    ['bell\x07\x1b[31m', 'bell[BEL][ESC][31m'],
    ['zero\u200bwidth\ufeff', 'zero[ZWSP]width[BOM]'],
    ['hidden\u{e0041}', 'hidden[U+E0041]'],
    ['lone\ud800', 'lone[U+D800]'],
    ['tab\there\r\nline', 'tab\there\nline'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['می\u200cخواهم 👩\u200d🔧 夜間', 'می\u200cخواهم 👩\u200d🔧 夜間'],
  ]
  for (const [text, expected] of cases) t.equal(shown(text), expected)
})

t.test('more than five combining marks are cut to five, with their number', async t => {
  t.equal(shown(`Z${'\u0301'.repeat(40)}a`), `Z${'\u0301'.repeat(5)}[+35 marks]a`)
  t.equal(shown(`Z${'\u0301\u0301\u0301\u0301\u200d'.repeat(8)}a`), `Z${'\u0301'.repeat(4)}\u200d[+35 marks]a`)
  t.equal(shown('ที่ Ạ̄́'), 'ที่ Ạ̄́')
})

t.test('plain text leaves out invisible characters', async t => {
  t.equal(plainText(`a\u202etxt.exe\u0000 Z${'\u0301'.repeat(40)}`), `atxt.exe Z${'\u0301'.repeat(5)}`)
  t.equal(plainText('x'.repeat(1_000_000)), `${'x'.repeat(300)}…`)
})

t.test('at most 4 KB are shown, and never half a character', async t => {
  const { pieces, isCutAfter } = shownText('x'.repeat(1_000_000))
  t.same([pieces.length, isCutAfter], [1, true])
  t.match(pieces[0], { text: 'x'.repeat(4000) })
  t.equal(shown(`abc😀`, { limit: 4 }), 'abc')
  t.equal(shown('\u202e'.repeat(10), { limit: 3 }), '[RLO][RLO][RLO]')
})

t.test('matches are marked in any letter case, also where folding makes letters longer', async t => {
  t.equal(shown('Retry-After, retry', { terms: ['RETRY'] }), '*Retry*-After, *retry*')
  t.equal(shown('İstanbul retry', { terms: ['retry'] }), 'İstanbul *retry*')
  t.equal(shown('ab abc', { terms: ['ab', 'abc'] }), '*ab* *abc*', 'the longest that begins there')
  t.equal(shown('nothing', { terms: ['', '   '.trim()] }), 'nothing')
})

t.test('an excerpt begins shortly before the first match', async t => {
  const { pieces, isCutBefore } = shownText(`${'word '.repeat(100)}needle`, { terms: ['needle'], isExcerpt: true })
  t.equal(isCutBefore, true)
  t.match(pieces.at(-1), { text: 'needle', isMatch: true })
  t.equal(shownText('needle first', { terms: ['needle'], isExcerpt: true }).isCutBefore, false)
})

t.test('no text is lost or invented', async () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.array(fc.string(), { maxLength: 3 }), (text, terms) => {
      const joined = shownText(text, { terms }).pieces.map(piece => (piece.kind === 'text' ? piece.text : ''))
      for (const part of joined) if (!text.replaceAll('\r\n', '\n').includes(part)) return false
      const places = findMatches(text, terms)
      return places.every(([start, end], i) => start < end && start >= (places[i - 1]?.[1] ?? 0))
    }),
  )
})

t.test('a search is split into the same words as on the server', async t => {
  t.same(searchTerms('retry "storm at  night" x "open'), ['retry', 'storm at  night', 'x', 'open'])
  t.same(searchTerms('  '), [])
})

t.test('initials stand for names, amounts have their nouns and sizes their units', async t => {
  t.same(['Ada Okafor', 'nightly-import', 'ada', '夜間 霧', '', '😀'].map(initials), ['AO', 'NI', 'AD', '夜', '?', '?'])
  t.same([counted(1, 'event'), counted(1204, 'event')], ['1 event', '1,204 events'])
  t.same([bytes(12), bytes(2100), bytes(1_000_000)], ['12\u202fB', '2.1\u202fKB', '1.0\u202fMB'])
})
