import fc from 'fast-check'
import t from 'tap'
import { toTerminalJson, toTerminalLine, toTerminalText } from '../../../src/cli/terminal/text.js'
import { anyCharacter } from '../../support/any-character.js'

/** Characters that control a terminal, or reorder its text. */
const HARMFUL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/

const texts = [
  { name: 'colours', text: 'a\x1b[31;1mred\x1b[0m', clean: 'ared' },
  { name: 'colours of eight bits', text: 'a\x9b31mred', clean: 'ared' },
  { name: 'a cleared screen', text: '\x1b[2J\x1b[Hgone', clean: 'gone' },
  { name: 'a window title', text: '\x1b]0;owned\x07x', clean: 'x' },
  { name: 'a link', text: '\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\', clean: 'click' },
  { name: 'a title that never ends', text: '\x1b]0;rest', clean: '0;rest' },
  { name: 'a device string', text: '\x1bP1$r\x1b\\x', clean: 'x' },
  { name: 'another character set', text: '\x1b(0lqk', clean: 'lqk' },
  { name: 'a bell, a backspace, a delete', text: 'a\x07\b\x7fb', clean: 'ab' },
  { name: 'reordered text', text: 'user\u202etxt.exe\u2066x\u2069', clean: 'usertxt.exex' },
  { name: 'invisible characters', text: 'pay\u200bpal\u2060.\ufefftxt', clean: 'paypal.txt' },
  { name: 'a line that is written over', text: 'safe\revil', clean: 'safe\nevil' },
  { name: 'line ends of all kinds', text: 'a\r\nb\u2028c\u0085d', clean: 'a\nb\nc\nd' },
  { name: 'tabs and lines', text: 'a\tb\nc', clean: 'a\tb\nc' },
  { name: 'other scripts and emoji', text: '日本語 שלום 👩‍👩‍👧 é', clean: '日本語 שלום 👩‍👩‍👧 é' },
]
for (const { name, text, clean } of texts) {
  t.test(`${name}: a terminal receives only text`, async t => {
    t.equal(toTerminalText(text), clean)
  })
}

const anything = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u2028', '\u200b', '\x1b', '[', ']', '\x9b', '\x07', '\r', '\n', 'm', '0', ';'),
    fc.string({ unit: anyCharacter, maxLength: 1 }),
  ),
  maxLength: 60,
})

t.test('no text keeps a control sequence', async t => {
  fc.assert(
    fc.property(anything, text => {
      t.notMatch(toTerminalText(text), HARMFUL)
      t.notMatch(toTerminalLine(text), /[\x00-\x1f\x7f-\x9f\u2028\u2029]/)
    }),
  )
})

t.test('JSON for a terminal has no control characters, and parses to the same value', async t => {
  fc.assert(
    fc.property(fc.dictionary(anything, anything), value => {
      const json = toTerminalJson(JSON.stringify(value, null, 2))
      t.notMatch(json, HARMFUL)
      t.same(JSON.parse(json), JSON.parse(JSON.stringify(value)))
    }),
  )
})

t.test('line ends and zero-width blanks inside JSON are shown as escapes', async t => {
  t.equal(toTerminalJson(JSON.stringify({ a: 'x\u2028y\u2029z\u200b' })), '{"a":"x\\u2028y\\u2029z\\u200b"}')
})

t.test('long texts of incomplete sequences are processed quickly', async t => {
  for (const half of ['\x1b]', '\x9d', '\x1b[', '\x9b1', '\x1bP', '\x1b ']) {
    const started = process.cpuUsage()
    toTerminalText(half.repeat(200_000))
    t.ok(process.cpuUsage(started).user < 2_000_000, JSON.stringify(half))
  }
})
