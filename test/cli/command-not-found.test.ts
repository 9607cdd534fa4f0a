import fc from 'fast-check'
import t from 'tap'
import { unknownCommand } from '../../src/cli/command-not-found.js'
import { closest, typingDistance } from '../../src/model/closest.js'

const IDS = [
  'api:health',
  'api:event',
  'api:events',
  'api:stats',
  'api:subscriptions',
  'ledger:status',
  'serve',
  'help',
]

const words = [
  { typed: ['api', 'evnts'], likely: 'api events' },
  { typed: ['api', 'helath', 'x'], likely: 'api health' },
  { typed: ['apis', 'stats'], likely: 'api stats' },
  { typed: ['serv'], likely: 'serve' },
  { typed: ['health'], likely: 'api health' },
  { typed: ['statuss'], likely: 'ledger status' },
  { typed: ['subscription'], likely: 'api subscriptions' },
  { typed: ['teapot'], likely: undefined },
  { typed: [''], likely: undefined },
]
for (const { typed, likely } of words) {
  t.test(`"${typed.join(' ')}": ${likely ? `did you mean "${likely}"?` : 'no guess'}`, async t => {
    const error = unknownCommand('daybook', typed, IDS)
    const hint = likely ? `Did you mean "daybook ${likely}"?` : '"daybook --tree-brief" shows every command.'
    t.match(error, { category: 'invalid', code: 'unknown_command' })
    t.equal(error.message, `"daybook ${typed.join(' ')}" is not a command. ${hint}`)
  })
}

t.test('the distance of two words is symmetric and satisfies the triangle inequality', async t => {
  const word = fc.stringMatching(/^[abc]{0,6}$/)
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = typingDistance(a, b)
      t.equal(distance, typingDistance(b, a))
      t.equal(distance === 0, a === b)
      t.ok(distance >= Math.abs(a.length - b.length) && distance <= Math.max(a.length, b.length))
    }),
  )
})

t.test('one mistake in typing is a distance of one', async t => {
  for (const typed of ['evnts', 'eventss', 'evants', 'evnets']) t.equal(typingDistance(typed, 'events'), 1)
  t.equal(closest('events', ['events', 'event']), 'events')
  t.equal(closest('x', ['events']), undefined)
})
