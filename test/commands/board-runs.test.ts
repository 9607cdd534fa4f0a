import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { CARD, shell } from '../board/executor-rig.js'
import { problem, standIn } from '../client/stand-in.js'
import { serveRuns, TOKEN } from '../server/board/serve-runs.js'
import { testFolder } from '../support/test-folder.js'
import { until } from '../support/until.js'
import { runDaybook, startDaybook } from './run-daybook.js'

t.test('runs are started, followed, shown and listed', async t => {
  const { url, executor, folder } = await serveRuns(t, {
    settings: {
      command: shell(`printf 'one\\033[31m\\ntw'; while [ ! -e go ]; do sleep 0.02; done; printf 'o'; exit 3`),
    },
  })
  const env = { BOARD_API_URL: url, NO_COLOR: '1', BOARD_EXECUTOR_TOKEN: TOKEN }
  const run = (argv: string[], options = {}) => runDaybook(t, ['board', 'runs', ...argv], { env, ...options })

  const dry = await run(['start', CARD.id, '--mode', 'dry_run'], { atTerminal: true })
  t.match(dry, { code: 0, out: /^Run run_1, done\n(?:.|\n)*command +"\/bin\/sh" "-c" "printf/ })
  const withoutToken = { env: { ...env, BOARD_EXECUTOR_TOKEN: '' }, atTerminal: true }
  const shown = await run(['show', 'run_1'], withoutToken)
  t.match(shown, { code: 0, out: /command +shown with the executor token only\n/ })
  const followed = startDaybook(t, ['board', 'runs', 'start', CARD.id, '--mode', 'real', '--follow'], {
    env,
    atTerminal: true,
  })
  await until(() => followed.run.out.includes('one\n'))
  t.equal((await await executor.get('run_2')).state, 'running')
  writeFileSync(join(folder, 'go'), '')
  const { out, code } = await followed.ended
  t.equal(code, 0)
  t.match(out, /^Started .*\none\ntwo\nThe program ended with exit code 3\.\n\nRun run_2, failed \(exit\)\n/)
  t.notMatch(out, '\x1b')

  t.match(JSON.parse((await run(['show', 'run_2'])).out), { state: 'failed', exit_code: 3 })
  t.match(await run(['log', 'run_2']), { out: /\none\x1b\[31m\ntwo\nThe program ended/ })
  const lines = (await run(['log', 'run_2', '--follow', '--json'])).out.trim().split('\n')
  t.same(JSON.parse(lines.at(-1) ?? ''), await executor.get('run_2'))
  t.same(
    lines.slice(0, -1).map(line => JSON.parse(line)),
    await executor.log('run_2'),
  )
  t.match(await run(['list'], { atTerminal: true }), {
    out: /^id +card +mode +state +exit +asked for \(UTC\)\nrun_2 +card_1 +real +failed \(exit\) +3 .*\nrun_1 +card_1 +dry_run +done/,
  })
  t.match(JSON.parse((await run(['list', '--state', 'failed', '--card', CARD.id])).out), { count: 1, next: null })
  t.match(await run(['show', 'run_9']), { code: 3, out: '', err: /no run "run_9"/ })
  t.match(await run(['cancel', 'run_2']), { code: 5, err: /ended already/ })
})

t.test('the token is read from a file, from standard input or from the environment, and never from a flag', async t => {
  const { url, executor } = await serveRuns(t, { settings: { command: ['sleep', '60'] } })
  const env: Record<string, string> = { BOARD_API_URL: url }
  const start = ['board', 'runs', 'start', CARD.id, '--mode', 'real']
  t.match(await runDaybook(t, start, { env }), {
    code: 4,
    out: '',
    err: /BOARD_EXECUTOR_TOKEN or --executor-token-file/,
  })
  const wrong = { ...env, BOARD_EXECUTOR_TOKEN: 'another' }
  const fromInput = await runDaybook(t, [...start, '--executor-token-file', '-'], { env: wrong, input: `${TOKEN}\n` })
  t.match(fromInput, { code: 0 })
  const folder = testFolder(t, { token: `${TOKEN}\n`, empty: '\n' })
  const file = join(folder, 'token')
  const { id } = JSON.parse(fromInput.out)
  await until(async () => (await executor.get(id)).state === 'running')
  t.match(await runDaybook(t, ['board', 'runs', 'cancel', id], { env }), { code: 4 })
  const cancelled = await runDaybook(t, ['board', 'runs', 'cancel', id, '--executor-token-file', file], { env })
  t.match(JSON.parse(cancelled.out), { state: 'cancelled' })
  t.match(await runDaybook(t, start, { env: { ...env, BOARD_EXECUTOR_TOKEN_FILE: file } }), { code: 0 })
  const empty = [...start, '--executor-token-file', join(folder, 'empty')]
  t.match(await runDaybook(t, empty, { env }), { code: 78, err: /--executor-token-file is not one word/ })
  t.match(await runDaybook(t, [...start, '--executor-token', TOKEN], { env }), { code: 2 })
  t.match(await runDaybook(t, ['board', 'runs', 'start', CARD.id], { env }), { code: 2 })
})

t.test('a command that follows a log waits through an outage, and continues at the same line', async t => {
  const piece = (seq: number) =>
    `id: ${seq}\ndata: ${JSON.stringify({ seq, at: '', stream: 'out', text: `${seq}\n` })}\n\n`
  const asked: (string | undefined)[] = []
  const server = await standIn(t, ({ url }) => {
    asked.push(url)
    if (asked.length === 2) return problem(503, 'busy')
    const ends = `event: end\ndata: {"id":"run_1","state":"done"}\n\n`
    const body = asked.length === 1 ? `: log\n\n${piece(1)}${piece(2)}id: 3\ndata: {"se` : `${piece(3)}${ends}`
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
  })
  const env = { BOARD_API_URL: server.url }
  const { out, err, code } = await runDaybook(t, ['board', 'runs', 'log', 'run_1', '--follow'], { env })
  t.match({ out, code }, { out: '1\n2\n3\n', code: 0 })
  t.match(err, /Trying again in/)
  t.same(
    asked,
    ['0', '2', '2'].map(after => `/api/runs/run_1/log?after=${after}`),
  )
})
