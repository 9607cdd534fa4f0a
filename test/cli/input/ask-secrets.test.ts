import { PassThrough } from 'node:stream'
import t from 'tap'
import { askSecrets } from '../../../src/cli/input/ask-secrets.js'

/** A terminal at which a user types, in those pieces, and its output. */
function terminal(...pieces: (string | Uint8Array)[]) {
  const seen: (string | boolean)[] = []
  const keyboard = Object.assign(new PassThrough(), { setRawMode: (isRaw: boolean) => seen.push(isRaw) })
  const screen = new PassThrough().setEncoding('utf8').on('data', text => seen.push(text))
  for (const piece of pieces) keyboard.write(piece)
  return { keyboard, screen, seen, ask: () => askSecrets({ keyboard, screen }, ['One: ', 'Two: ']) }
}

t.test('typed answers are returned, and not shown', async t => {
  const { ask, seen, keyboard } = terminal('secret', '-word\r', 'other\n')
  t.same(await ask(), ['secret-word', 'other'])
  t.same(seen, [true, 'One: ', '\n', 'Two: ', '\n', false])
  t.ok(keyboard.isPaused())
  t.equal(keyboard.listenerCount('data'), 0, 'no listener is left')
})

t.test('both answers may arrive together, as when they are pasted', async t => {
  t.same(await terminal('a\rb\rc').ask(), ['a', 'b'])
})

t.test('a later question works, and a visible answer is echoed while it is edited', async t => {
  const { keyboard, screen, seen } = terminal()
  const first = askSecrets({ keyboard, screen }, [{ text: 'Name: ', isShown: true }])
  keyboard.write('adx\x7fa\r')
  t.same(await first, ['ada'])
  t.same(seen.join(''), 'trueName: adx\b \ba\nfalse')
  const second = askSecrets({ keyboard, screen }, ['Password: '])
  keyboard.write('secret\r')
  t.same(await second, ['secret'])
  t.notMatch(seen.join(''), 'secret')
})

t.test('the bytes of a character may arrive separately', async t => {
  const bytes = Buffer.from('grüße🔑\r\r')
  t.same(await terminal(...[...bytes].map(byte => Uint8Array.of(byte))).ask(), ['grüße🔑', ''])
})

const keys = [
  { name: 'backspace removes a character', typed: 'ab🔑\x7f\x7fc', secret: 'ac' },
  { name: 'backspace at the beginning does nothing', typed: '\x7f\ba', secret: 'a' },
  { name: 'Ctrl+U removes the whole answer', typed: 'abc\x15d', secret: 'd' },
  { name: 'arrow and function keys do nothing', typed: 'a\x1b[D\x1b[1;5Cb\x1bOPc\x1b[3~', secret: 'abc' },
  { name: 'other control keys do nothing', typed: 'a\t\x00\x1ab', secret: 'ab' },
  { name: 'blanks belong to the answer', typed: ' a b ', secret: ' a b ' },
]
for (const { name, typed, secret } of keys) {
  t.test(name, async t => {
    t.same(await terminal(`${typed}\r\r`).ask(), [secret, ''])
  })
}

const ends = [
  { name: 'Ctrl+C ends the command as a signal would', typed: 'ab\x03', error: { oclif: { exit: 130 } } },
  { name: 'Ctrl+D is not an answer', typed: 'ab\x04', error: { code: 'wrong_usage' } },
  { name: 'the end of the input is not an answer', typed: undefined, error: { code: 'wrong_usage' } },
]
for (const { name, typed, error } of ends) {
  t.test(`${name}, and leaves the terminal as it was`, async t => {
    const { ask, seen, keyboard } = terminal('one\r', ...(typed === undefined ? [] : [typed]))
    if (typed === undefined) keyboard.end()
    t.match(await ask().catch(thrown => thrown), error)
    t.equal(seen.at(-1), false)
    t.notMatch(seen.join(), /one|ab/)
  })
}

t.test('a key held down fills no memory', async t => {
  const [one = ''] = await terminal('x'.repeat(100_000), '\r\r').ask()
  t.ok(one.length < 5_000)
})
