import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runDaybook, startDaybook, until } from './run-daybook.js'

t.test(
  'serve prints its address in one line, serves, and ends with 0 on a signal; its file shows the status then',
  async t => {
    t.match(await runDaybook(t, ['ledger', 'status']), { code: 3, err: /There is no ledger at/ })
    const { child, run, ended } = startDaybook(t, ['serve', '--port', '0', '--json', '--log-level', 'silent'])
    await until(() => run.out.includes('\n'))
    const started = JSON.parse(run.out)
    const address = /^http:\/\/127\.0\.0\.1:\d+$/
    t.match(started, { ledger: address, board: address, pid: child.pid })
    t.same(Object.keys(started), ['ledger', 'board', 'database', 'pid'])
    t.equal(started.database, join(t.testdirName, '.arch', 'event', 'events.db'))

    const env = { EVENT_API_URL: started.ledger }
    t.match(
      await runDaybook(t, ['api', 'record-json', '-'], {
        env,
        input: '{"kind":"a","subject_id":"1","subject_type":"b"}',
      }),
      { code: 0 },
    )
    t.match(JSON.parse((await runDaybook(t, ['api', 'stats'], { env })).out), { event_count: 1 })
    const status = await runDaybook(t, ['ledger', 'status'])
    t.match(JSON.parse(status.out), {
      server: { pid: child.pid, address: started.ledger },
      event_count: 1,
      problems: null,
    })
    t.match(await runDaybook(t, ['ledger', 'status'], { atTerminal: true }), {
      code: 0,
      out: /open by.* a server at http/,
    })

    child.kill('SIGTERM')
    t.match(await ended, { code: 0, err: '' })
    const { code, out } = await runDaybook(t, ['ledger', 'status', '--check', '--json'])
    t.equal(code, 0)
    t.match(JSON.parse(out), { server: null, event_count: 1, head: String, problems: { length: 0 } })
  },
)

t.test('a server continues when neither its addresses nor its log can be written', async t => {
  const home = t.testdir()
  const { child, ended } = startDaybook(t, ['serve', '--port', '0', '--log-level', 'debug'], { into: '/dev/full' })
  const owner = join(home, '.arch', 'event', 'events.db.owner')
  await until(() => existsSync(owner) && readFileSync(owner, 'utf8').includes('"address"'))
  const { address } = JSON.parse(readFileSync(owner, 'utf8'))
  for (let n = 0; n < 3; n++) t.equal((await fetch(`${address}/api/health`)).status, 200)
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
  const { out } = await runDaybook(t, ['ledger', 'status', '--check', '--json'])
  t.match(JSON.parse(out), { server: null, event_count: 0, head: null, problems: { length: 0 } }, 'an empty ledger')
})

t.test('at a terminal, serve prints its addresses, and what to try', async t => {
  const argv = ['serve', '--port', '0', '--root-path', '/books', '--log-level', 'silent']
  const { child, run, ended } = startDaybook(t, argv, { atTerminal: true, env: { NO_COLOR: '1' } })
  await until(() => run.out.includes('Ctrl+C'))
  t.match(
    run.out,
    /Daybook is listening\.\n\n {2}ledger +http:\/\/127\.0\.0\.1:\d+\/books\n {2}database {2}\/.*\n {2}board +http/,
  )
  t.match(run.out, /curl -sS http:\/\/127\.0\.0\.1:\d+\/books\/api\/events/)
  child.kill('SIGINT')
  await Promise.all([ended, once(child, 'exit')])
  t.equal(run.code, 0)
})

t.test('serve reports errors in its settings before it opens a store', async t => {
  const env = { EVENT_HOST: 'a b', EVENT_DB: 'postgres://x/y', EVENT_WEBHOOK_SECRET_CODE_A_FILE: '/nonexistent' }
  const { code, out, err } = await runDaybook(t, ['serve', '--port', 'x'], { env })
  t.match({ code, out }, { code: 78, out: '' })
  t.match(err.split('\n'), [
    '4 settings are invalid.',
    /EVENT_DB names no user/,
    /EVENT_HOST "a b"/,
    /--port "x"/,
    /EVENT_WEBHOOK_SECRET_CODE_A_FILE "\/nonexistent" does not exist/,
    '',
  ])
})

t.test('the board can be served alone', async t => {
  const argv = ['serve', '--only', 'board', '--port', '0', '--json', '--log-level', 'silent']
  const { child, run, ended } = startDaybook(t, argv)
  await until(() => run.out.includes('\n'))
  t.same(Object.keys(JSON.parse(run.out)), ['board', 'pid'])
  child.kill('SIGTERM')
  t.match(await ended, { code: 0, err: '' })
})
