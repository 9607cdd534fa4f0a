import fc from 'fast-check'
import t from 'tap'
import { readDotenv } from '../../../src/settings/reading/dotenv.js'
import { anyCharacter } from '../../support/any-character.js'

const lines = [
  { text: 'A=1', value: '1' },
  { text: '  export  A = 1  ', value: '1' },
  { text: 'A=', value: '' },
  { text: 'A=  # nothing', value: '' },
  { text: 'A=two words # said', value: 'two words' },
  { text: 'A=a=b?c&d', value: 'a=b?c&d' },
  { text: 'A=\'#1 "as is" \\n\'', value: '#1 "as is" \\n' },
  { text: 'A="one\\ntwo \\"x\\" \\\\ \\d"', value: 'one\ntwo "x" \\ \\d' },
  { text: 'A="two\nlines" # said', value: 'two\nlines' },
  { text: "A='two\r\nlines'", value: 'two\nlines' },
  { text: '\ufeffA=1\r\n', value: '1' },
  { text: 'A=1\nA=2', value: '2' },
  { text: '__proto__=1\nA=ä 日本', value: 'ä 日本' },
]
for (const { text, value } of lines) {
  t.test(`${JSON.stringify(text)} sets A to ${JSON.stringify(value)}`, async t => {
    const { values, badLines } = readDotenv(text)
    t.equal(values.get('A'), value)
    t.same(badLines, [])
  })
}

t.test('comments and blank lines are ignored', async t => {
  t.same(readDotenv('# A=1\n\n \t\n  # B=2\n'), { values: new Map(), badLines: [] })
})

for (const text of ['A', 'A 1', '=1', '1A=2', 'A-B=1', 'A="open', "A='open", 'A="x" y', 'A=a#b', 'A=a"b', 'A: 1']) {
  t.test(`${JSON.stringify(text)} is reported as invalid, and later lines are read`, async t => {
    const { values, badLines } = readDotenv(`FIRST=1\n${text}\nLAST=2\n`)
    t.same(badLines, [2])
    t.equal(values.get('FIRST'), '1')
    t.equal(values.get('LAST'), '2')
    t.equal(values.get('A'), undefined)
  })
}

t.test('any value can be written in quotes', async t => {
  const name = fc.stringMatching(/^[A-Z_]{1,8}$/)
  const value = fc.string({ unit: anyCharacter, maxLength: 30 }).map(text => text.replace(/\r/g, ''))
  fc.assert(
    fc.property(fc.dictionary(name, value, { noNullPrototype: true }), entries => {
      const escaped = (text: string) => text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\t/g, '\\t')
      const text = Object.entries(entries).map(([key, said]) => `${key}="${escaped(said)}"`)
      t.same(readDotenv(text.join('\n')), { values: new Map(Object.entries(entries)), badLines: [] })
    }),
  )
})

t.test('long lines that nearly match are read in linear time', async t => {
  for (const text of [
    'A="'.repeat(50_000),
    'A=a '.repeat(100_000),
    `A=${' '.repeat(300_000)}"`,
    'A='.repeat(100_000),
  ]) {
    const started = process.cpuUsage()
    readDotenv(text)
    t.ok(process.cpuUsage(started).user < 2_000_000, text.slice(0, 8))
  }
})
