import fc from 'fast-check'
import t from 'tap'
import { type LogLine, LogLines, plainLine, secondsBehind } from '../../assets/board/runs/log-lines.js'
import type { LogPiece } from '../../src/model/board/run.js'

const START = '2026-11-20T13:00:00.000000Z'

function piece(seq: number, text: string, stream: LogPiece['stream'] = 'out'): LogPiece {
  return { seq, at: `2026-11-20T13:00:0${Math.min(9, seq)}.500000Z`, stream, text }
}

/** The lines of a log at its end. */
function shown(pieces: readonly LogPiece[]): string[] {
  const lines = new LogLines(START)
  const byNumber = new Map<number, LogLine>()
  for (const each of pieces) for (const line of lines.add(each)) byNumber.set(line.number, line)
  return [...byNumber.values()].map(({ stream, text }) => (stream === 'out' ? text : `${stream}: ${text}`))
}

t.test('a line may continue in the next piece of the log', async t => {
  t.same(shown([piece(1, 'one\ntw'), piece(2, 'o\n'), piece(3, 'three')]), ['one', 'two', 'three'])
  t.same(shown([piece(1, 'half'), piece(2, 'oops\n', 'err'), piece(3, 'rest\n')]), ['half', 'err: oops', 'rest'])
  t.same(shown([piece(1, 'a\n\n\nb\n')]), ['a', '', '', 'b'])
})

t.test('however a log is cut into pieces, the lines are the same', async () => {
  const text = fc
    .array(fc.constantFrom('a', '\n', '\x1b[31m', '\r', 'bc', '\r\n'), { maxLength: 30 })
    .map(parts => parts.join(''))
  await fc.assert(
    fc.property(text, fc.array(fc.nat(40), { maxLength: 6 }), (text, cuts) => {
      const ends = [...cuts.map(cut => Math.min(cut, text.length)).sort((a, b) => a - b), text.length]
      const pieces = ends
        .map((end, at) => piece(at + 1, text.slice(ends[at - 1] ?? 0, end)))
        .filter(({ text }) => text !== '')
      const whole = text === '' ? [] : shown([piece(1, text)])
      return JSON.stringify(shown(pieces.map((each, at) => ({ ...each, seq: at + 1 })))) === JSON.stringify(whole)
    }),
  )
})

t.test('a line shows its time since the start of the run', async t => {
  const [line] = new LogLines(START).add(piece(3, 'x\n'))
  t.equal(line?.atMs, 3500)
  t.equal(new LogLines('2026-11-20T14:00:00.000000Z').add(piece(1, 'x'))[0]?.atMs, 0, 'never before it')
})

t.test('a piece of the log is read once, and missing lines are reported', async t => {
  const lines = new LogLines(START)
  lines.add(piece(1, 'one\n'))
  t.same(lines.add(piece(1, 'one\n')), [])
  t.match(lines.add(piece(4, 'four\n')), [{ stream: 'note', text: /was dropped/ }, { text: 'four' }])
  t.equal(lines.lastSeq, 4)
})

t.test('a line that is too long is divided', async t => {
  const lines = shown([piece(1, 'x'.repeat(9000)), piece(2, 'y'.repeat(10))])
  t.same(
    lines.map(line => line.length),
    [4000, 4000, 1010],
  )
})

t.test('control sequences and invisible characters are left out', async t => {
  t.equal(plainLine('\x1b[1;31mred\x1b[0m and \x1b]0;title\x07plain'), 'red and plain')
  t.equal(plainLine('10 %\r20 %\r30 %'), '30 %', 'what was written over')
  t.equal(plainLine('done\r'), 'done')
  t.equal(plainLine('a\x00\x08b\x7f\u202etxt.exe\u2066'), 'abtxt.exe')
  t.equal(plainLine('hidden\u{e0041}\u{e007f}\u180e'), 'hidden')
  t.equal(plainLine(`Z${'\u0301'.repeat(400)}a`), `Z${'\u0301'.repeat(5)}a`, 'a tower of marks')
  t.equal(plainLine(`Z${'\u0301\u200b'.repeat(400)}a`), `Z${'\u0301'.repeat(5)}a`, 'and what holds it together')
  t.equal(plainLine('\tindented <script>'), '\tindented <script>')
  t.equal(plainLine('\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\'), 'link')
})

t.test('the delay of a log is measured from pieces that were written after it was opened', async t => {
  const openedAt = Date.parse(START)
  t.equal(secondsBehind(piece(1, 'x'), { openedAt, now: openedAt + 5_400 }), 3)
  t.equal(secondsBehind(piece(1, 'x'), { openedAt, now: openedAt }), 0, 'clocks that differ by less than a second')
  t.equal(secondsBehind(piece(1, 'x'), { openedAt: openedAt + 60_000, now: openedAt + 61_000 }), 0, 'an older piece')
  t.equal(secondsBehind(undefined, { openedAt, now: openedAt + 60_000 }), 0, 'a keep-alive')
  t.equal(secondsBehind(piece(1, 'x'), { openedAt: Number.NaN, now: Number.NaN }), 0, 'an unknown clock')
})
