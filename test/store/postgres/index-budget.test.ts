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
  const words = Array.from({ length: 3_000 }, (_, at) => Math.imul(at, 0x9e3779b1).toString(36)).join(' ')
  t.ok(countTrigrams(words) > words.length / 2)
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
