import t from 'tap'
import { markdownTable } from '../../bench/report.js'

t.test('the table of the documentation lists the missed goals first', async t => {
  const table = markdownTable([
    {
      measurement: 'posts',
      figures: [
        { what: 'met', value: 3, unit: 'ms', goal: { atMost: 5 } },
        {
          what: 'missed',
          value: 40,
          unit: 'ms',
          yardstick: { what: 'a|b', value: 20, unit: 'ms' },
          goal: { atMost: 15 },
        },
      ],
    },
    { measurement: 'postgres', figures: [], failure: 'no server' },
  ])
  t.equal(
    table,
    [
      '| measured | value | reference, in the same run | ratio | goal | met |',
      '| --- | --- | --- | --- | --- | --- |',
      '| missed | 40 ms | a\\|b: 20 ms | 2.00 × | ≤ 15 ms | NO |',
      '| met | 3 ms |  |  | ≤ 5 ms | yes |',
      '| postgres | not measured: no server |  |  |  |  |',
    ].join('\n'),
  )
})
