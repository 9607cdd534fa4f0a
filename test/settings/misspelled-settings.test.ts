import t from 'tap'
import { readDoctorSettings } from '../../src/settings/doctor-settings.js'
import { misspelledSettings } from '../../src/settings/misspelled-settings.js'
import { memorySources, SHARED } from './memory-sources.js'

t.test('a misspelled setting in any place is reported with the name that it resembles', async t => {
  const sources = memorySources({
    env: { EVENT_DBB: '/l.db', DAYBOOK_PROT: '1', EVENT_PORT: '0' },
    files: { [SHARED]: 'BOARD_EXECUTOR_TOKN=secret\nEVENT_WEBHOOK_SECRET_CODE_A=x\n' },
  })
  const [sentence = '', ...others] = misspelledSettings(sources)
  t.equal(
    sentence,
    'Variables without effect, because there is no such setting: EVENT_DBB (did you mean EVENT_DB?), DAYBOOK_PROT (did you mean DAYBOOK_PORT?), BOARD_EXECUTOR_TOKN (did you mean BOARD_EXECUTOR_TOKEN?).',
  )
  t.same(others, [])
  t.ok(readDoctorSettings({}, sources).warnings.includes(sentence))
})

t.test('a setting under the prefix of other settings is reported with its own prefix', async t => {
  const env = {
    EVENT_HOME: '/srv',
    DAYBOOK_HOME: '/srv',
    BOARD_CORS_ORIGINS: 'https://a.example',
    BOARD_HOME: '/srv/b',
  }
  t.same(misspelledSettings(memorySources({ env })), [
    'Variables without effect, because there is no such setting: EVENT_HOME (did you mean ARCH_HOME?), DAYBOOK_HOME (did you mean ARCH_HOME?), BOARD_CORS_ORIGINS (did you mean EVENT_CORS_ORIGINS?).',
  ])
})

t.test('variables of other programs, and those that runs receive, are not reported', async t => {
  const names = ['PATH', 'EVENT_NAME', 'EVENTDB', 'ARCH', 'BOARD_SIZE', 'DAYBOOK_TEST_POSTGRES_PROGRAMS']
  const given = [
    'KEY',
    'KIND',
    'SOURCE',
    'SUBJECT',
    'SUBJECT_TYPE',
    'CAPTURED_AT',
    'COUNT',
    'CARD_ID',
    'RUN_ID',
    'RUN_MARKER',
  ]
  const env = Object.fromEntries([...names, ...given.map(name => `DAYBOOK_${name}`)].map(name => [name, 'x']))
  t.same(misspelledSettings(memorySources({ env })), [])
})
