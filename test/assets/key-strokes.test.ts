import t from 'tap'
import { isSingleKey, StrokeMatcher, strokeOf } from '../../assets/shared/keys/key-strokes.js'

const PLAIN = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }

t.test('every key stroke has one name', async t => {
  const cases: [Partial<typeof PLAIN> & { key: string }, string][] = [
    [{ key: 'j' }, 'j'],
    [{ key: '?', shiftKey: true }, '?'],
    [{ key: 'ArrowUp', shiftKey: true }, 'Shift+ArrowUp'],
    [{ key: 'Enter', metaKey: true }, 'Mod+Enter'],
    [{ key: 'k', ctrlKey: true }, 'Mod+k'],
    [{ key: ' ' }, 'Space'],
    [{ key: 'e', altKey: true }, 'Alt+e'],
  ]
  for (const [press, name] of cases) t.equal(strokeOf({ ...PLAIN, ...press }), name)
  t.same(['j', '?', '😀', 'Escape', 'Mod+k'].map(isSingleKey), [true, true, true, false, false])
})

t.test('two strokes form a sequence if the second follows in time', async t => {
  const all = ['g e', 'g s', 'e', 'j']
  const matcher = new StrokeMatcher()
  t.equal(matcher.match('g', all, 0), 'pending')
  t.equal(matcher.match('e', all, 1000), 'g e')
  t.equal(matcher.match('e', all, 1100), 'e', 'the first stroke counts once')
  t.equal(matcher.match('g', all, 2000), 'pending')
  t.equal(matcher.match('e', all, 3300), 'e', 'too late')
  t.equal(matcher.match('g', all, 4000), 'pending')
  t.equal(matcher.match('j', all, 4100), 'j', 'another key means itself')
  t.equal(matcher.match('x', all, 4200), undefined)
})
