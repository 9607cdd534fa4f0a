import fc from 'fast-check'
import t from 'tap'
import { card, firstLines } from '../../../src/cli/terminal/card.js'
import { createTerminalStyle } from '../../../src/cli/terminal/style.js'
import { table } from '../../../src/cli/terminal/table.js'
import { cutToWidth, displayWidth, wrapWords } from '../../../src/cli/terminal/text-width.js'

const LOOK = createTerminalStyle({ colour: false, columns: 40 })

t.test('columns are as wide as they must be, and no line is wider than the terminal', async t => {
  const columns = [{ title: 'id' }, { title: 'about', flexible: true }, { title: 'n', align: 'right' as const }]
  const rows = [
    ['a', 'short', '1'],
    ['bcd', 'a text that is much longer than forty columns are', '1234'],
    ['e', '日本語日本語日本語日本語日本語日本語日本語', '5'],
  ]
  t.equal(
    table(LOOK, columns, rows),
    [
      'id   about                             n',
      'a    short                             1',
      'bcd  a text that is much longer t…  1234',
      'e    日本語日本語日本語日本語日本…     5',
    ].join('\n'),
  )
})

t.test('a table keeps its layout with any text in its cells', async t => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 12 }).map(text => text.replace(/\s/gu, ' '))
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), rows => {
      const lines = table(LOOK, [{ title: 'a' }, { title: 'b', flexible: true }], rows).split('\n')
      t.equal(lines.length, rows.length + 1)
    }),
  )
})

t.test('width counts columns, not characters', async t => {
  t.equal(displayWidth('abc'), 3)
  t.equal(displayWidth('日本'), 4)
  t.equal(displayWidth('e\u0301'), 1)
  t.equal(displayWidth('👍'), 2)
  t.equal(displayWidth(''), 0)
})

t.test('an emoji takes two columns, regardless of the number of its code points', async t => {
  for (const picture of [
    '👩‍💻',
    '👨‍👩‍👧‍👦',
    '👩‍👩‍👧‍👦',
    '🏳️‍🌈',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    '🇸🇪',
    '👍🏽',
    '❤️',
    '⚠️',
    '✔️',
    '1️⃣',
    '☔',
    '🫨',
    '🧑🏿‍🤝‍🧑🏻',
  ]) {
    t.equal(displayWidth(picture), 2, picture)
    t.equal(cutToWidth(`${picture}${picture}`, 3), `${picture}…`)
  }
  t.equal(displayWidth('✔ ❤ ©'), 5, 'signs that are not pictures by themselves')
  t.equal(displayWidth('🇸'), 1, 'half a flag is a letter')
  t.equal(displayWidth('ｶﾞ'), 2)
  t.equal(displayWidth('각'), 2, 'a syllable of three parts')
  t.equal(displayWidth('กำ'), 2)
  t.equal(displayWidth('ກຳ'), 2)
  t.equal(displayWidth('कि'), 2, 'a mark that takes a column')
  t.equal(displayWidth('⚠ ☯'), 3)
  t.equal(displayWidth('\x1b[31mred\x1b[39m'), 3, 'a colour')
})

t.test('words are wrapped by their width', async t => {
  t.same(wrapWords('👩‍👩‍👧‍👦 ⚠️ 🇸🇪 👍🏽 ❤️', 8), ['👩‍👩‍👧‍👦 ⚠️ 🇸🇪', '👍🏽 ❤️'])
  t.same(wrapWords('日本 日本 a-word-of-its-own b', 9), ['日本 日本', 'a-word-of-its-own', 'b'])
})

t.test('columns stay aligned after joined emoji, flags and combining marks', async t => {
  const names = ['👩‍💻', '🇸🇪 Åsa', '👍🏽!', '❤️', '🫨🫨', 'e\u0301', '日本', 'plain']
  const [, ...lines] = table(
    LOOK,
    [{ title: 'who' }, { title: 'n' }],
    names.map(name => [name, '|']),
  ).split('\n')
  t.same(
    lines.map(line => displayWidth(line.slice(0, line.indexOf('|')))),
    names.map(() => displayWidth('🇸🇪 Åsa') + 2),
  )
  t.same(
    lines.map(line => line.slice(0, line.indexOf('|')).trim()),
    names,
  )
})

t.test('a row that is too long continues in a second line, and nothing is cut', async t => {
  const columns = [
    { title: 'id' },
    { title: 'about', flexible: true, least: 12 },
    { title: 'address' },
    { title: 'state' },
  ]
  const rows = [['sub_0123456789', 'a text that is rather long', 'https://example.org', 'on']]
  t.equal(
    table(LOOK, columns, rows),
    [
      'id              about',
      '  address              state',
      'sub_0123456789  a text that is rather l…',
      '  https://example.org  on',
    ].join('\n'),
  )
})

t.test('a cut text is never wider than requested, and never ends in half a character', async t => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (text, columns) => {
      const cut = cutToWidth(text, columns)
      t.ok(displayWidth(cut) <= columns)
      t.ok(cut === text || (cut.endsWith('…') && text.startsWith(cut.slice(0, -1))))
      t.notMatch(cut, /[\ud800-\udbff](?![\udc00-\udfff])/)
    }),
  )
})

t.test('a card omits empty members, and indents texts of several lines', async t => {
  t.equal(
    card(LOOK, 'Title', [
      ['name', 'Ada'],
      ['empty', ''],
      ['a longer name', 'one\ntwo'],
    ]),
    ['Title', '  name           Ada', '  a longer name  one', '                 two'].join('\n'),
  )
})

t.test('a long text is shown up to its limit', async t => {
  t.equal(firstLines('a\nb\nc', 3), 'a\nb\nc')
  t.equal(firstLines('a\nb\nc\nd', 2), 'a\nb\n… 2 more lines')
})

t.test('colour codes are written only if colour is on', async t => {
  t.match(card(createTerminalStyle({ colour: true, columns: 40 }), 'Title', []), /\x1b\[1m/)
  t.notMatch(card(createTerminalStyle({ colour: false, columns: 40 }), 'Title', []), /\x1b/)
})
