import t from 'tap'
import { createTerminalStyle } from '../../../src/cli/terminal/style.js'
import { diagnosisText } from '../../../src/cli/views/doctor.js'
import { type CheckedFinding, failing, ok, warning } from '../../../src/model/diagnosis.js'

const STYLE = createTerminalStyle({ colour: false, columns: 100 })

t.test('each finding is a line with its remedy below it, and the counts are last', async t => {
  const checks: CheckedFinding[] = [
    { check: 'node', ...ok('Node.js 24.1.0 on Linux.') },
    { check: 'disk', ...warning('The disk is low.', 'Make room.') },
    { check: 'settings', ...failing('configuration', 'EVENT_PORT "\x1b[31m" is wrong.') },
  ]
  t.equal(
    diagnosisText({ state: 'fail', version: '1.0.0', checks }, STYLE),
    [
      'ok    node      Node.js 24.1.0 on Linux.',
      'warn  disk      The disk is low.',
      '                Make room.',
      'FAIL  settings  EVENT_PORT "" is wrong.',
      '',
      '1 failure and 1 warning.',
    ].join('\n'),
  )
  t.match(
    diagnosisText({ state: 'ok', version: '1.0.0', checks: checks.slice(0, 1) }, STYLE),
    /Everything is in order\.$/,
  )
})
