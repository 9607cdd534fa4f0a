import fc from 'fast-check'
import t from 'tap'
import { readProcStat } from '../../src/model/proc-stat.js'

t.test('the name of a program cannot imitate the fields after it', async t => {
  const fields = 'S 1 2 3 0 -1 4194304 99 0 0 0 0 0 0 0 20 0 1 0 187028 3133440 362'
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constant(') Z 1 (x'), fc.constant('a b)')), name => {
      const found = readProcStat(`42 (${name}) ${fields}\n`)
      t.same(found, { isZombie: false, parent: 1, group: 2, session: 3, started: '187028' })
    }),
  )
})
