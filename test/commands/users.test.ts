import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { ownFolder } from '../black-box/own-folder.js'
import { startServer } from '../black-box/running-server.js'
import { runDaybook, startDaybook, until } from './run-daybook.js'

const PASSWORD = 'correct horse'

t.test('creating the first administrator creates the ledger, and the user gets a token', async t => {
  const database = join(ownFolder(t), 'new', 'events.db')
  const env = { EVENT_DB: database, NO_COLOR: '1' }
  const run = (argv: string[], options = {}) => runDaybook(t, ['users', ...argv], { env, ...options })

  const created = await run(['create', 'ada', '--role', 'admin', '--password-file', '-'], { input: `${PASSWORD}\n` })
  t.match(created, { code: 0, err: '' })
  t.match(JSON.parse(created.out), { username: 'ada', role: 'admin', enabled: true })

  const issued = await run(['token', 'ADA'], { atTerminal: true })
  t.match(issued, { code: 0, out: /^API token of ada\n {2}token {4}tok_[\w-]{43}\n[\s\S]*not shown again/ })
  const listed = await run(['token', 'ada', '--list'])
  const { items, count } = JSON.parse(listed.out)
  t.match({ items, count }, { items: [{ prefix: /^tok_/, last_used_at: null }], count: 1 })
  t.match(await run(['token', 'ada', '--revoke', items[0].id]), { code: 0, out: '', err: '' })

  t.match(await run(['disable', 'ada']), { code: 5, err: /last administrator/ })
  t.notMatch(readFileSync(database, 'latin1'), /correct horse|tok_[\w-]{40}/)
})

t.test('the command asks for a password twice, and does not show it', async t => {
  const database = join(ownFolder(t), 'events.db')
  const env = { EVENT_DB: database, NO_COLOR: '1' }
  const { child, run, ended } = startDaybook(t, ['users', 'create', 'bob'], { env, atTerminal: true })
  await until(() => run.err.includes('New password: '))
  child.stdin.write(`${PASSWORD}\r`)
  await until(() => run.err.includes('Once more: '))
  child.stdin.write(`${PASSWORD}\r`)
  await ended
  t.match(run, { code: 0, err: '<raw>New password: \nOnce more: \n</raw>' })
  t.match(run.out, new RegExp(`^Created in ${database}\\.\n\nUser bob, enabled\n {2}role +member\n`))

  const left = startDaybook(t, ['users', 'set-password', 'bob'], { env, atTerminal: true })
  await until(() => left.run.err.includes('New password: '))
  left.child.stdin.write('abc\x03')
  t.same(await left.ended, { code: 130, out: '', err: '<raw>New password: \n</raw>' })
})

t.test('with a server running, every command works, and takes effect immediately', async t => {
  const database = join(ownFolder(t), 'events.db')
  const passwordFile = join(dirname(database), 'password')
  writeFileSync(passwordFile, PASSWORD, { mode: 0o600 })
  const bootstrap = { EVENT_BOOTSTRAP_USERNAME: 'ada', EVENT_BOOTSTRAP_PASSWORD_FILE: passwordFile }
  const server = await startServer(t, { database, env: bootstrap, flags: ['--root-path', '/books'] })
  const env = { EVENT_DB: database, EVENT_API_URL: server.url, NO_COLOR: '1' }
  const run = (argv: string[], options = {}) => runDaybook(t, argv, { env, ...options })

  const created = await run(['users', 'create', 'bob', '--password-file', passwordFile])
  t.match(JSON.parse(created.out), { username: 'bob', role: 'member' })
  const { id, token } = JSON.parse((await run(['users', 'token', 'bob'])).out)
  const session = ['api', 'session', '--token', token]
  t.match(await run(session, { atTerminal: true }), { code: 0, out: /^You are bob\n {2}role +member\n/ })
  const writer = JSON.parse((await run(['users', 'token', 'bob', '--may', 'write', '--source', 'ci'])).out)
  t.match(writer, { may: 'write', sources: ['ci'] })
  const input = '{"source":"ci","kind":"build.finished","subject_type":"build","subject_id":"7"}'
  const record = ['api', 'record-json', '-', '--token', writer.token]
  t.match(JSON.parse((await run(record, { input })).out), { created: true, event: undefined })
  t.match(await run(record, { input: input.replace('ci', 'other') }), { code: 4, err: /records events of ci/ })
  t.match(await run(['api', 'events', '--token', writer.token]), { code: 4, out: '', err: /nothing else/ })
  t.match(JSON.parse((await run(['users', 'set-role', 'bob', 'admin'])).out), { role: 'admin' })
  t.match(JSON.parse((await run(session)).out), { user: { username: 'bob', role: 'admin' } })
  t.match(await run(['users', 'token', 'bob', '--revoke', id], { atTerminal: true }), {
    code: 0,
    out: /^Revoked token/,
  })
  t.match(JSON.parse((await run(session)).out), { authenticated: false, user: null })
  const body = JSON.stringify({ username: 'bob', password: PASSWORD })
  const login = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  t.equal((await fetch(`${server.url}/api/login`, login)).status, 200)
  const sessions = JSON.parse((await run(['users', 'sessions', 'bob'])).out)
  t.match(sessions, { count: 1, items: [{ id: /^session_/, address: '127.0.0.1' }] })
  t.match(await run(['users', 'sessions', 'bob'], { atTerminal: true }), {
    code: 0,
    out: /session_\w+ .* 127\.0\.0\.1/,
  })
  t.match(await run(['users', 'sessions', 'bob', '--end', 'x']), { code: 3, err: /no such session/ })
  t.match(await run(['users', 'sessions', 'bob', '--end', sessions.items[0].id]), { code: 0, out: '', err: '' })
  t.match(await run(['users', 'sessions', 'bob', '--end-all']), { code: 0, out: '', err: '' })
  t.match(await run(['users', 'sessions', 'bob'], { atTerminal: true }), { code: 0, out: 'No sessions.\n' })
  t.match(await run(['users', 'delete', 'bob'], { atTerminal: true }), { code: 0, out: 'Deleted user bob.\n' })

  await server.stop()
  t.match(server.log(), /"username":"ada","msg":"created the first administrator"/)
  const anyHost = server.log().match(/answers under every host name: set EVENT_PUBLIC_URL or EVENT_ALLOWED_HOSTS/g)
  t.equal(anyHost?.length, 1, 'a closed ledger without host names reports it once')
  for (const text of [server.log(), readFileSync(database, 'latin1')]) {
    t.notMatch(text, PASSWORD)
    t.notMatch(text, token)
  }
})

t.test('invalid arguments are refused before the ledger is opened', async t => {
  const lines = [
    { argv: ['create', 'ada'], code: 2, err: /no terminal .* --password-file/ },
    { argv: ['token', 'ada', '--list', '--revoke-all'], code: 2, err: /--list/ },
    { argv: ['token', 'ada', '--may', 'write'], code: 2, err: /needs a source/ },
    { argv: ['token', 'ada', '--days', '0'], code: 2, err: /--days/ },
    { argv: ['token', 'ada', '--source', 'ci'], code: 2, err: /--may/ },
    { argv: ['token', 'ada', '--may', 'reads'], code: 2, err: /all, read, write/ },
  ]
  for (const { argv, code, err } of lines) {
    const run = await runDaybook(t, ['users', ...argv], { env: { EVENT_DB: '/nonexistent/events.db' } })
    t.match(run, { code, out: '', err }, argv.join(' '))
  }
})
