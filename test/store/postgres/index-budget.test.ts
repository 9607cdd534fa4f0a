import t from 'tap'
import { countTrigrams, withinIndexBudget } from '../../../src/store/postgres/write/index-budget.js'
import { prepareEvent } from '../../../src/store/postgres/write/prepared-event.js'
import { messageCreated } from '../../support/events.js'

t.test('sequences of three characters are counted once for each text', t => {
  t.equal(countTrigrams(null), 0)
  t.equal(countTrigrams('ab'), 0)
  t.equal(countTrigrams('abc'), 1)
  t.equal(countTrigrams('abcabcabc'), 3)
  t.equal(countTrigrams('abc'), 1, 'the text before does not count')
  const words = Array.from({ length: 12_000 }, (_, at) => Math.imul(at + 1, 0x9e3779b1).toString(36)).join(' ')
  const ideographs = String.fromCharCode(
    ...Array.from({ length: 50_000 }, (_, at) => 0x4e00 + (Math.imul(at, 40_503) % 20_000)),
  )
  for (const text of [words, ideographs]) {
    const different = new Set(Array.from({ length: text.length - 2 }, (_, at) => text.slice(at, at + 3))).size
    const counted = countTrigrams(text)
    t.ok(counted <= different && counted > 0.9 * different, `${counted} of ${different}`)
  }
  t.ok(countTrigrams('all is well '.repeat(1_000)) < 20)
  t.end()
})

t.test('texts of a call that would cost the index too much stay outside it, whole', async t => {
  const events = await Promise.all(['1', '2', '3', '4'].map(key => prepareEvent(messageCreated(key))))
  const each = events[0]?.trigrams ?? 0
  t.ok(each > 5)
  const bounded = withinIndexBudget(events, 2 * each)
  t.same(
    bounded.map(({ text, longText }) => [text !== null, longText !== null]),
    [
      [true, false],
      [true, false],
      [false, true],
      [false, true],
    ],
  )
  t.equal(bounded[3]?.longText, events[3]?.text)
  t.same(withinIndexBudget(events), events)
})
