import t from 'tap'
import { readBoardExecutor } from '../../../src/settings/board/executor-settings.js'
import { SettingReader } from '../../../src/settings/reading/setting-reader.js'
import { HOME, memorySources, SHARED } from '../memory-sources.js'
import { problemsOf } from '../refusal.js'

const COMMAND = '["/usr/bin/agent","--fast"]'

function read(env: Record<string, string>, files: Record<string, string> = {}) {
  const reader = new SettingReader(memorySources({ env, files }))
  const settings = readBoardExecutor(reader, '/b')
  reader.finish()
  return settings
}

t.test('without a configured command, no run can be started', async t => {
  t.same(read({ PATH: '/bin' }), { timeoutSeconds: 600, environment: {}, folder: '/b/work' })
})

t.test('every setting can be given, and only existing named variables are passed to the program', async t => {
  const env = {
    BOARD_EXECUTOR_COMMAND: COMMAND,
    BOARD_EXECUTOR_TIMEOUT_SECONDS: '5',
    BOARD_EXECUTOR_ENV: 'AGENT_MODE, agent_home,ABSENT',
    BOARD_EXECUTOR_FOLDER: '~/w',
    PATH: '/bin',
    HOME: '/h',
    TZ: 'UTC',
    AGENT_MODE: 'a b',
    agent_home: '',
    BOARD_API_KEY: 'k',
    SECRET: 's',
  }
  t.same(read(env), {
    command: ['/usr/bin/agent', '--fast'],
    timeoutSeconds: 5,
    environment: { PATH: '/bin', HOME: '/h', TZ: 'UTC', AGENT_MODE: 'a b', agent_home: '' },
    folder: `${HOME}/w`,
  })
})

t.test('the shared environment gives settings, and no variables for the program', async t => {
  const files = { [SHARED]: `BOARD_EXECUTOR_COMMAND='${COMMAND}'\nBOARD_EXECUTOR_ENV=BOARDING\nBOARDING=x\n` }
  const executor = read({}, files)
  t.same(executor?.command, ['/usr/bin/agent', '--fast'])
  t.same(executor?.environment, {})
})

const COMMANDS = [
  ...['agent --fast', '"agent"', '{}', '[]', '[""]', '["agent",1]', '["agent",null]', '["a\\u0000b"]', '["\\ud800"]'],
  ...['[["agent"]]', JSON.stringify(Array(65).fill('x')), JSON.stringify(['x'.repeat(40_000)])],
]
for (const command of COMMANDS) {
  t.test(`an invalid command is refused, and never shown: ${command.slice(0, 20)}`, async t => {
    const secret = command.replace('agent', 'agent s3cret')
    const problems = problemsOf(() => read({ BOARD_EXECUTOR_COMMAND: secret }))
    t.match(problems, [{ field: 'BOARD_EXECUTOR_COMMAND', detail: /is not a JSON array of 1 to 64 strings/ }])
    t.notMatch(JSON.stringify(problems), /s3cret/)
  })
}

t.test('a command may have the maximum number of words', async t => {
  const words = Array(64).fill('x')
  t.same(read({ BOARD_EXECUTOR_COMMAND: JSON.stringify(words) }).command, words)
})

for (const names of ['A B', 'A=s3cret', '1A', 'A,,B', 'A-B', Array(65).fill('A').join(',')]) {
  t.test(`invalid names of variables are refused: ${names.slice(0, 20)}`, async t => {
    const problems = problemsOf(() => read({ BOARD_EXECUTOR_ENV: names }))
    t.match(problems, [{ field: 'BOARD_EXECUTOR_ENV', detail: /is not a list of up to 64 names/ }])
    t.notMatch(JSON.stringify(problems), /s3cret/)
  })
}

for (const name of [
  'BOARD_API_KEY',
  'BOARD_EXECUTOR_TOKEN',
  'EVENT_ADMIN_TOKEN',
  'ARCH_HOME',
  'DAYBOOK_RUN_ID',
  'board_x',
]) {
  t.test(`a variable of this program is not passed to the command: ${name}`, async t => {
    t.match(
      problemsOf(() => read({ BOARD_EXECUTOR_ENV: `GOOD,${name}` })),
      [{ field: 'BOARD_EXECUTOR_ENV', detail: new RegExp(`names ${name}: variables that begin with`) }],
    )
  })
}

t.test('all errors are reported together', async t => {
  const env = { BOARD_EXECUTOR_COMMAND: 'x', BOARD_EXECUTOR_ENV: '?', BOARD_EXECUTOR_TIMEOUT_SECONDS: '86401' }
  t.equal(problemsOf(() => read(env)).length, 3)
  t.equal(problemsOf(() => read({ BOARD_EXECUTOR_TIMEOUT_SECONDS: '0' })).length, 1)
})
