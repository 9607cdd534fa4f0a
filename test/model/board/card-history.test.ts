import fc from 'fast-check'
import t from 'tap'
import type { CardAction, CardActor } from '../../../src/model/board/card-history.js'
import { actionWords, actorWords } from '../../../src/model/board/card-history-words.js'
import { tickedTasks } from '../../../src/model/board/tasks.js'

t.test('an entry of the history of a card is a sentence', async t => {
  const words = (action: CardAction, by: CardActor = { kind: 'user', name: 'ada' }) =>
    `${actorWords(by)} ${actionWords({ ...action, by, at: '' }, name => name.toUpperCase())}`
  t.equal(words({ action: 'created', to: 'backlog' }), 'ada created the card in BACKLOG')
  t.equal(words({ action: 'moved', from: 'doing', to: 'done' }), 'ada moved the card from DOING to DONE')
  t.equal(words({ action: 'edited', fields: ['title'] }), 'ada changed the title')
  t.equal(
    words({ action: 'edited', fields: ['title', 'body', 'links'] }),
    'ada changed the title, the text and the links',
  )
  t.equal(words({ action: 'ticked', ticked: 1, unticked: 0 }), 'ada ticked a task')
  t.equal(words({ action: 'ticked', ticked: 2, unticked: 1 }), 'ada ticked 2 tasks and unticked a task')
  t.equal(words({ action: 'deleted' }, { kind: 'owner', name: null }), 'The operator deleted the card')
  const run = { run: 'run_1', mode: 'real' } as const
  t.equal(words({ action: 'run_started', ...run, again: true }), 'ada started a real run again')
  t.equal(words({ action: 'run_cancelled', ...run }), 'ada cancelled a real run')
  t.equal(
    words({ action: 'run_ended', ...run, state: 'failed' }, { kind: 'executor', name: null }),
    'The executor ended a real run: failed',
  )
})

t.test('ticked tasks are recognised in otherwise equal texts', async t => {
  t.same(tickedTasks('- [ ] a\n- [ ] b', '- [x] a\n- [X] b'), { ticked: 2, unticked: 0 })
  t.same(tickedTasks('1. [x] a', '1. [ ] a'), { ticked: 0, unticked: 1 })
  t.equal(tickedTasks('- [ ] a', '- [x] b'), undefined)
  t.equal(tickedTasks('- [ ] a', '- [ ] a'), undefined)
  t.equal(tickedTasks('[ ] a', '[x] a'), undefined, 'no task')
  const body = fc.array(fc.tuple(fc.constantFrom('- ', '* ', '2) '), fc.boolean(), fc.boolean(), fc.string()), {
    maxLength: 8,
  })
  fc.assert(
    fc.property(body, lines => {
      const text = (at: 1 | 2) =>
        lines.map(line => `${line[0]}[${line[at] ? 'x' : ' '}] ${line[3].replaceAll('[', '')}`).join('\n')
      const ticked = lines.filter(([, was, is]) => !was && is).length
      const unticked = lines.filter(([, was, is]) => was && !is).length
      const found = tickedTasks(text(1), text(2))
      return ticked + unticked === 0 ? found === undefined : found?.ticked === ticked && found.unticked === unticked
    }),
  )
})
