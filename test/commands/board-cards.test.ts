import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { backUpBoard } from '../../src/runtime/board-backup.js'
import { openBoardDatabase } from '../../src/store/sqlite/board/board-database.js'
import { Database } from '../../src/store/sqlite/files/database.js'
import { acquireOwnership } from '../../src/store/sqlite/owner/database-lock.js'
import { ownFolder } from '../black-box/own-folder.js'
import { ADA } from '../board/actor.js'
import { problem, standIn } from '../client/stand-in.js'
import { serveCards } from '../server/board/serve-cards.js'
import { until } from '../support/until.js'
import { runDaybook } from './run-daybook.js'

const CARD = { id: 'card_1', title: 'One', body: '', column: 'backlog', labels: ['a'], rank: 1, version: 1 }
const COLUMNS = ['backlog', 'doing', 'review', 'done']

t.test('cards are added, listed, shown and moved', async t => {
  const { url, cards } = await serveCards(t)
  const run = (argv: string[], options = {}) =>
    runDaybook(t, ['board', 'cards', ...argv], { env: { BOARD_API_URL: url, NO_COLOR: '1' }, ...options })

  const flags = ['--label', 'security', '--label', 'ops', '--assignee', 'ada', '--link', 'chat:a:1', '--body', '-']
  const added = await run(['add', 'Rotate the keys', ...flags], { input: 'All of *them*.\n' })
  t.match(added, { code: 0, err: '' })
  const { id, ...card } = JSON.parse(added.out)
  t.match(card, { title: 'Rotate the keys', labels: ['security', 'ops'], assignee: 'ada', links: ['chat:a:1'] })
  t.match(card, { body: 'All of *them*.\n', column: 'backlog' })
  const second = JSON.parse((await run(['add', 'Second', '--column', 'doing'])).out)

  t.match(JSON.parse((await run(['list'])).out), { count: 2, next: null, columns: COLUMNS })
  t.match(JSON.parse((await run(['list', '--label', 'ops'])).out), { items: [{ id }], count: 1 })
  t.match(await run(['list'], { atTerminal: true }), {
    out: new RegExp(`^id +column +title +labels +assignee\n${id} +backlog +Rotate the keys +security, ops +ada\n`),
  })

  const moved = await run(['move', id, 'doing', '--position', '0', '--if-version', '1'], { atTerminal: true })
  t.match(moved, { code: 0, out: /^Rotate the keys in doing\n {2}id +card_/ })
  const lost = await run(['move', id, 'done', '--if-version', '1'])
  t.match(lost, { code: 5, out: '', err: /version 2 now/ })
  t.match(await run(['move', id, 'doing']), { code: 0 })
  t.ok((await cards.get(id)).rank > (await cards.get(second.id)).rank, 'to the end of the column in which it stands')
  t.match(await run(['show', id], { atTerminal: true }), { out: /body +All of \*them\*\./ })
  t.match(await run(['show', 'card_2']), { code: 3, err: /no card "card_2"/ })
  t.match(await run(['move', id, 'nowhere']), { code: 2, err: /\/column must be one of: backlog, doing/ })
  t.match(await run(['add', 'x', '--body', '-'], { input: 'y'.repeat(70_000) }), { code: 2, err: /64 KiB/ })
})

t.test('cards are edited and deleted in the version that the user saw', async t => {
  const { url, cards } = await serveCards(t)
  const run = (...argv: string[]) =>
    runDaybook(t, ['board', 'cards', ...argv], { env: { BOARD_API_URL: url, NO_COLOR: '1' } })
  const { id } = JSON.parse((await run('add', 'One', '--label', 'a', '--assignee', 'ada')).out)
  const edited = await run('edit', id, '--title', 'Two', '--label', 'b', '--label', 'c', '--assignee', '')
  t.match(JSON.parse(edited.out), { title: 'Two', labels: ['b', 'c'], assignee: null, version: 2 })
  t.match(JSON.parse((await run('edit', id, '--label', '')).out), { title: 'Two', labels: { length: 0 } })
  t.match(await run('edit', id, '--title', 'Three', '--if-version', '1'), { code: 5, err: /version 3 now/ })
  t.match(await run('delete', id, '--if-version', '1'), { code: 5 })
  t.same(await run('delete', id), { code: 0, out: '', err: '' })
  await t.rejects(cards.get(id), { code: 'not_found' })
})

t.test('the request has the given text and key, and goes to the named board', async t => {
  const server = await standIn(t, ({ method }) => ({ status: method === 'POST' ? 201 : 200, body: CARD }))
  const board = ['--board-url', `${server.url}/team/`, '--key', 'key-1']
  const run = (...argv: string[]) =>
    runDaybook(t, ['board', 'cards', ...argv, ...board], { env: { BOARD_API_KEY: 'x' } })
  await run('add', 'Just this')
  await run('move', 'a/b', 'doing', '--position', '2', '--if-version', '7')
  await run('show', 'card_1')
  t.match(server.arrived, [
    {
      method: 'POST',
      url: '/team/api/cards',
      body: '{"title":"Just this"}',
      headers: { authorization: 'Bearer key-1' },
    },
    {
      method: 'PATCH',
      url: '/team/api/cards/a%2Fb',
      body: '{"column":"doing","position":2}',
      headers: { 'if-match': '"7"' },
    },
    { method: 'GET', url: '/team/api/cards/card_1' },
  ])
})

t.test('the key comes from its variable or its file', async t => {
  const folder = ownFolder(t)
  const file = join(folder, 'key')
  writeFileSync(file, 'from-file\n', { mode: 0o600 })
  const server = await standIn(t, () => ({ body: CARD }))
  const run = (env: Record<string, string>) =>
    runDaybook(t, ['board', 'cards', 'show', 'card_1'], { env: { BOARD_API_URL: server.url, ...env } })
  await run({ BOARD_API_KEY: 'from-variable' })
  await run({ BOARD_API_KEY_FILE: file })
  await run({})
  t.same(
    server.arrived.map(({ headers }) => headers.authorization),
    ['Bearer from-variable', 'Bearer from-file', undefined],
  )
  t.match(await run({ BOARD_API_KEY: 'two words' }), { code: 78, err: /BOARD_API_KEY/ })
  t.notMatch((await run({ BOARD_API_KEY: 'two words' })).err, /two words/)
})

t.test('all pages are requested and combined into one answer', async t => {
  const pages = [
    { items: [{ ...CARD, id: 'card_1' }], count: 1, next: 7, columns: COLUMNS },
    {
      items: [{ ...CARD, id: 'card_2', column: 'gone', title: '\u001b[31mred\u202e' }],
      count: 1,
      next: null,
      columns: COLUMNS,
    },
  ]
  const server = await standIn(t, ({ url }) => ({ body: pages[url.includes('after=7') ? 1 : 0] }))
  const run = (options = {}) =>
    runDaybook(t, ['board', 'cards', 'list', '--link', 'a&b'], { env: { BOARD_API_URL: server.url }, ...options })
  const whole = JSON.parse((await run()).out)
  t.match(whole, { items: [{ id: 'card_1' }, { id: 'card_2' }], count: 2, next: null, columns: COLUMNS })
  t.same(
    server.arrived.map(({ url }) => url),
    ['/api/cards?link=a%26b', '/api/cards?link=a%26b&after=7'],
  )
  const seen = await run({ atTerminal: true })
  t.match(seen.out, /card_2.*gone.*red/)
  t.notMatch(seen.out, /\u001b\[31m|\u202e/)
})

t.test('a server that is not a board, or refuses, is reported', async t => {
  const answers = new Map<string, object>([
    ['/pages', { body: { items: [], next: 1, count: 0 } }],
    ['/html', { type: 'text/html', body: '<h1>Hello</h1>' }],
    ['/locked', problem(401, 'unauthenticated')],
    ['/odd', { body: { items: 7 } }],
  ])
  const server = await standIn(t, ({ url }) => answers.get(url.replace(/\/api.*/, '')) ?? { status: 500 })
  const run = (path: string, ...argv: string[]) => {
    const env = { BOARD_API_URL: `${server.url}${path}` }
    return runDaybook(t, ['board', 'cards', 'list', '--json', ...argv], { env })
  }
  for (const path of ['/pages', '/html', '/odd']) {
    t.match(JSON.parse((await run(path)).out), { error: { code: 'not_a_board', detail: /--board-url/ } }, path)
  }
  t.match(await run('/html'), { code: 69 })
  t.match(await run('/locked'), { code: 4, out: /--key or BOARD_API_KEY/ })
  t.match(await run('/locked', '--key', 'wrong-one'), { code: 4, out: /not this board's/ })
  t.notMatch((await run('/locked', '--key', 'wrong-one')).out, /wrong-one/)
})

t.test("a ledger at the board's address: exit code 69 for every command", async t => {
  const server = await standIn(t, ({ method, url }) => {
    if (url === '/api/health') return { body: { status: 'ok', version: '1.2.3', database: '/l.db', head: null } }
    if (url.startsWith('/api/cards?link')) return { body: { items: [], may_read: false } }
    if (url.startsWith('/api/cards?label')) return problem(401, 'unauthenticated')
    if (url === '/api/cards') return problem(method === 'GET' ? 400 : 405, 'method_not_allowed')
    return problem(404, 'not_found')
  })
  const lines = [
    ['cards', 'list'],
    ['cards', 'list', '--link', 'chat:1'],
    ['cards', 'list', '--label', 'a'],
    ['cards', 'add', 'x'],
    ['cards', 'show', 'x'],
    ['runs', 'log', 'x'],
  ]
  for (const argv of lines) {
    const run = await runDaybook(t, ['board', ...argv, '--board-url', server.url])
    const err = /^A ledger answers there, and not a board\. Check --board-url [^\n]*\n$/
    t.match(run, { code: 69, out: '', err }, argv.join(' '))
  }
})

t.test('without a server, the command copies the file itself', async t => {
  const home = ownFolder(t)
  const env = { BOARD_HOME: join(home, 'board') }
  const copy = join(home, 'copy.sqlite3')
  const run = (...argv: string[]) => runDaybook(t, ['board', 'backup', ...argv], { env })
  t.match(await run(copy), { code: 3, err: /no database at .*sessions\.sqlite3/ })

  const files = join(home, 'board')
  await acquireAndFill(files)
  t.same(JSON.parse((await run(copy, '--of', 'cards')).out), { path: copy, of: 'cards' })
  t.equal(statSync(copy).mode & 0o777, 0o600)
  const { cards, close } = openBoardDatabase(copy)
  t.match(cards.find('card_1'), { title: 'Kept' })
  close()
  t.match(await run(copy, '--of', 'cards'), { code: 5, err: /it exists/ })
  t.match(await run(join(home, 'missing', 'copy'), '--of', 'cards'), { code: 2, err: /no such folder/ })
  const sessions = new Database(join(files, 'sessions.sqlite3'), { noun: 'session', refuseForeign: () => {} })
  sessions.exec('CREATE TABLE sessions (digest TEXT); INSERT INTO sessions VALUES (1)')
  sessions.close()
  t.match(await run(join(home, 'sessions.copy')), { code: 0, err: '' })
  t.match(readFileSync(join(home, 'sessions.copy')).subarray(0, 15).toString(), 'SQLite format 3')
})

/** A board with one card, that no server has open. */
async function acquireAndFill(home: string): Promise<void> {
  const ownership = await own(join(home, 'board.sqlite3'), 'command')
  const database = openBoardDatabase(ownership.database)
  const at = '2031-05-04T09:00:00.000000Z'
  const members = { title: 'Kept', body: '', column: 'backlog', labels: [], assignee: null, links: [] }
  database.cards.create({ id: 'card_1', ...members, created_at: at, updated_at: at }, { max: 10, by: ADA })
  database.close()
  await ownership.release()
}

function own(database: string, role: 'command' | 'server', socket?: string) {
  return acquireOwnership({
    database,
    role,
    waitMs: 0,
    now: Date.now,
    random: Math.random,
    onLost: () => {},
    ...(socket === undefined ? {} : { socket }),
  })
}

t.test('with a server running, the server makes the copy, and continues', async t => {
  const home = ownFolder(t)
  const database = join(home, 'board.sqlite3')
  const ownership = await own(database, 'server', `${database}.sock`)
  t.teardown(() => ownership.release())
  const { cards, copied } = await serveCards(t, { home, socketPath: `${database}.sock` })
  await cards.create({ title: 'Kept' }, ADA)
  const run = (...argv: string[]) => {
    return runDaybook(t, ['board', 'backup', ...argv], { env: { BOARD_HOME: home }, atTerminal: true })
  }
  const copy = join(home, 'copy.sqlite3')
  t.match(await run(copy, '--of', 'cards'), { code: 0, err: '', out: `Copied the cards to ${copy}.\n` })
  const opened = openBoardDatabase(copy)
  t.equal(opened.cards.count(), 1)
  opened.close()
  t.match(await run(copy, '--of', 'cards'), { code: 5, err: /it exists/ })
  writeFileSync(join(home, 'sessions.sqlite3'), 'something')
  t.match(await run(join(home, 'sessions.copy')), { code: 0 })
  t.same(copied, [join(home, 'sessions.copy')])
  t.match(await cards.create({ title: 'Later' }, ADA), { version: 1 })
})

t.test('a command that ends early aborts the copy that the server makes for it', async t => {
  const home = ownFolder(t)
  const database = join(home, 'board.sqlite3')
  const ownership = await own(database, 'server', `${database}.sock`)
  t.teardown(() => ownership.release())
  const interrupted = new AbortController()
  let ended: unknown
  await serveCards(t, {
    home,
    socketPath: `${database}.sock`,
    copyCards: (_, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          ended = signal.reason
          reject(signal.reason)
        })
        interrupted.abort(new Error('interrupted'))
      }),
  })
  const copied = backUpBoard({ home }, join(home, 'copy'), 'cards', interrupted.signal)
  await t.rejects(copied, { message: 'interrupted' })
  await until(() => ended !== undefined)
  t.match(ended, { name: 'AbortError' })
})
