import { join } from 'node:path'
import t, { type Test } from 'tap'
import { BOARD_ACCESS, type BoardAccess } from '../../../src/gate/access.js'
import { deferredFailure } from '../../../src/runtime/ownership.js'
import { type RunningServer, serve } from '../../../src/runtime/serve/serve.js'
import { servedTogether } from '../../../src/runtime/serve/served-program.js'
import { createLogger } from '../../../src/server/logging/logger.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { memorySources } from '../../settings/memory-sources.js'

const PASSWORD = 'correct horse battery'
const KEY = 'the-key-of-these-tests'
const EXECUTOR_TOKEN = 'the-token-of-these-tests'

/** A served board with its own files. */
async function startBoard(folder: string, env: Record<string, string> = {}): Promise<RunningServer> {
  const sources = memorySources({ env: { BOARD_HOME: folder, EVENT_LOG_LEVEL: 'silent', ...env } })
  return serve(readServeSettings({ only: 'board', port: '0' }, sources), sources)
}

async function serveBoard(t: Test, env: Record<string, string> = {}): Promise<string> {
  const running = await startBoard(ownFolder(t), env)
  t.teardown(() => running.close())
  return running.board?.url ?? ''
}

interface Row {
  method: string
  path: string
  access: BoardAccess
}

async function readRows(url: string, headers: Record<string, string>): Promise<Row[]> {
  const answer = await fetch(`${url}/api/openapi.json`, { headers })
  const { paths } = (await answer.json()) as {
    paths: Record<string, Record<string, { 'x-access': BoardAccess }>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, row]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}|\*/g, 'x'),
      access: row['x-access'],
    })),
  )
}

/** The status that refuses a caller without credentials on a board with a password and a key; undefined if admitted. */
const ANONYMOUS: Record<BoardAccess, number | undefined> = {
  public: undefined,
  optional_login: undefined,
  login: undefined,
  logout: 401,
  api: 401,
  execute: 401,
  local: 403,
}
/** The same for a caller with the key. */
const WITH_KEY: Record<BoardAccess, number | undefined> = {
  ...ANONYMOUS,
  logout: undefined,
  api: undefined,
  execute: 403,
}

t.test('every row of the table admits the callers that its access allows, however its path is written', async t => {
  const url = await serveBoard(t, {
    BOARD_PASSWORD: PASSWORD,
    BOARD_API_KEY: KEY,
    BOARD_EXECUTOR_TOKEN: EXECUTOR_TOKEN,
    BOARD_LOGIN_THROTTLE: 'off',
  })
  const byKey = { authorization: `Bearer ${KEY}` }
  const rows = await readRows(url, byKey)
  t.same([...new Set(rows.map(row => row.access))].sort(), [...BOARD_ACCESS].sort(), 'all of them are used')
  const ways: [Record<string, string>, Record<BoardAccess, number | undefined>][] = [
    [{}, ANONYMOUS],
    [{ 'x-board-executor-token': EXECUTOR_TOKEN }, ANONYMOUS],
    [{ authorization: `Bearer ${EXECUTOR_TOKEN}` }, ANONYMOUS],
    [byKey, WITH_KEY],
    [{ 'x-board-token': KEY }, WITH_KEY],
  ]
  for (const { method, path, access } of rows) {
    const twins = path === '/' ? [path] : [path, path.toUpperCase(), `${path}/`]
    for (const twin of twins) {
      for (const [headers, expected] of twin === path ? ways : [ways[0], ways[3]].flatMap(way => (way ? [way] : []))) {
        // Without a body, so that an admitted request changes as little as possible.
        const { status } = await fetch(url + twin, { method: method === 'GET' ? 'HEAD' : method, headers })
        const name = `${method} ${twin} with ${Object.keys(headers).join(', ') || 'nothing'}`
        const refusal = expected[access]
        if (refusal === undefined) t.notOk([401, 403].includes(status), `${name}: ${status}`)
        else t.equal(status, refusal, name)
        t.ok(status < 500, `${name} is not a failure`)
      }
    }
  }
})

/** `GET /api/auth` in each access mode, for a caller without credentials. Source: Board Access Gate, "What the service does". */
const MODES: { name: string; env: Record<string, string>; status: object; api: number; shell: RegExp }[] = [
  {
    name: 'no password and no key',
    env: {},
    status: { enabled: false, authenticated: false, username_required: false, api_token_enabled: false },
    api: 200,
    shell: /<title>Board/,
  },
  {
    name: 'only a key',
    env: { BOARD_API_KEY: KEY },
    status: { enabled: false, authenticated: false, username_required: false, api_token_enabled: true },
    api: 401,
    shell: /<title>Board/,
  },
  {
    name: 'only a password',
    env: { BOARD_PASSWORD: PASSWORD },
    status: { enabled: true, authenticated: false, username_required: false, api_token_enabled: false },
    api: 401,
    shell: /Log in to the board/,
  },
  {
    name: 'a password with a username',
    env: { BOARD_PASSWORD: PASSWORD, BOARD_USERNAME: 'team' },
    status: { enabled: true, authenticated: false, username_required: true, api_token_enabled: false },
    api: 401,
    shell: /id="username"/,
  },
  {
    name: 'a password and a key',
    env: { BOARD_PASSWORD: PASSWORD, BOARD_API_KEY: KEY },
    status: { enabled: true, authenticated: false, username_required: false, api_token_enabled: true },
    api: 401,
    shell: /Log in to the board/,
  },
]
for (const { name, env, status, api, shell } of MODES) {
  t.test(`with ${name} a board reports it in four booleans, and requires it`, async t => {
    const url = await serveBoard(t, env)
    t.same(await (await fetch(`${url}/api/auth`)).json(), status)
    t.equal((await fetch(`${url}/api/cards`)).status, api)
    t.match(await (await fetch(`${url}/`)).text(), shell)
  })
}

t.test('a session survives a restart, and ends with its key', async t => {
  const folder = ownFolder(t)
  const env = { BOARD_PASSWORD: PASSWORD, BOARD_AUTH_SECRET: 'the-first-signing-key' }
  const first = await startBoard(folder, env)
  const login = await fetch(`${first.board?.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: PASSWORD }),
  })
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  await first.close()
  const statusOf = async (changes: Record<string, string>) => {
    const running = await startBoard(folder, { ...env, ...changes })
    const { status } = await fetch(`${running.board?.url}/api/cards`, { headers: { cookie } })
    await running.close()
    return status
  }
  t.equal(await statusOf({}), 200)
  t.equal(await statusOf({ BOARD_PASSWORD: 'another password, the same key' }), 200)
  t.equal(await statusOf({ BOARD_AUTH_SECRET: 'the-second-signing-key' }), 401)
  t.equal(await statusOf({}), 401, 'permanently: the former key does not restore it')
})

t.test('two servers cannot use the files of one board', async t => {
  const folder = ownFolder(t)
  const first = await startBoard(folder)
  await t.rejects(startBoard(folder), { category: 'conflict', code: 'ledger_owned' })
  await first.close()
  const second = await startBoard(folder)
  await second.close()
})

/** Two programs that record their calls, and fail on request. */
function twoPrograms() {
  const asked: string[] = []
  const [ledger, board] = ['ledger', 'board'].map(name => {
    const failure = deferredFailure()
    const close = async () => {
      asked.push(name)
      if (name === 'board') throw new Error('the board would not close')
    }
    return { failed: failure.promise, fail: failure.reject, close }
  }) as [Twin, Twin]
  return {
    ledger,
    board,
    asked,
    together: servedTogether([ledger, board], createLogger({ level: 'silent', pretty: false })),
  }
}
type Twin = Parameters<typeof servedTogether>[0][number] & { fail: (error: unknown) => void }

t.test('when one program fails, the others are closed, and it is not closed again', async t => {
  const { ledger, asked, together } = twoPrograms()
  ledger.fail(new Error('the ledger was lost'))
  await t.rejects(together.closed, { message: 'the ledger was lost' })
  t.same(asked, ['board'])
})

t.test('programs are closed once, and a failure of one does not affect the others', async t => {
  const { asked, together } = twoPrograms()
  const closes = await Promise.allSettled([together.close(), together.close()])
  t.match(closes, [{ status: 'rejected' }, { reason: { message: 'the board would not close' } }])
  t.same(asked, ['ledger', 'board'])
  await t.resolves(together.closed)
})

/** A served ledger with the user ada, and a function to log in. */
async function serveLedger(t: Test) {
  const env = { EVENT_LOG_LEVEL: 'silent', EVENT_BOOTSTRAP_USERNAME: 'ada', EVENT_BOOTSTRAP_PASSWORD_FILE: '/p' }
  const sources = memorySources({ env, files: { '/p': PASSWORD } })
  const flags = { only: 'ledger', port: '0', db: join(ownFolder(t), 'events.db') } as const
  const running = await serve(readServeSettings(flags, sources), sources)
  let isOpen = true
  const close = async () => {
    if (isOpen) await running.close()
    isOpen = false
  }
  t.teardown(close)
  const url = running.ledger?.url ?? ''
  const logIn = async () => {
    const body = JSON.stringify({ username: 'ada', password: PASSWORD })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/login`, { method: 'POST', headers, body })
    const { csrf_token } = (await answer.json()) as { csrf_token: string }
    return { cookie: answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '', csrf: csrf_token }
  }
  return { url, logIn, close }
}

t.test('a ledger session is accepted if that is configured, by the rules of the board, while it is live', async t => {
  const ledger = await serveLedger(t)
  const { cookie, csrf } = await ledger.logIn()
  t.match(cookie, /^event_session=/)
  const env = { BOARD_LEDGER_LOGIN: ledger.url, BOARD_EXECUTOR_TOKEN: EXECUTOR_TOKEN }
  const url = await serveBoard(t, env)
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET', to = url) => {
    const body = method === 'POST' ? JSON.stringify({ title: 'One login' }) : null
    const sent = { ...(body === null ? {} : { 'content-type': 'application/json' }), ...headers }
    const answer = await fetch(to + path, { method, headers: sent, body })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, text, body: isJson ? JSON.parse(text) : {} }
  }

  t.test('without the setting, a ledger session is not accepted', async t => {
    const plain = await serveBoard(t, { BOARD_PASSWORD: PASSWORD })
    t.match(await ask('/api/cards', { cookie }, 'GET', plain), { status: 401 })
    t.strictSame((await ask('/api/session', { cookie }, 'GET', plain)).body, {
      authenticated: false,
      csrf_token: null,
    })
    t.notMatch((await ask('/', {}, 'GET', plain)).text, /ledger/)
  })

  t.test('other credentials of the ledger are not accepted', async t => {
    const forged = `event_session=${'x'.repeat(43)}`
    const others = [{}, { cookie: forged }, { cookie: `${cookie}x` }, { cookie: `${cookie}; ${forged}` }]
    for (const headers of [
      ...others,
      { cookie: cookie.replace('event', 'board') },
      { authorization: `Bearer ${csrf}` },
    ]) {
      t.match(await ask('/api/cards', headers), { status: 401 }, JSON.stringify(headers))
    }
    t.match(await ask('/'), {
      status: 200,
      text: /<title>Log in to the board[\s\S]*log in there, then load this page again/,
    })
    t.notMatch((await ask('/')).text, /<form|<script[^>]*login/)
    t.ok((await ask('/')).text.includes(`href="${ledger.url}"`))
    const underItsName = await ask('/', {}, 'GET', url.replace('127.0.0.1', 'localhost'))
    t.ok(underItsName.text.includes(`href="${ledger.url.replace('127.0.0.1', 'localhost')}"`))
    const both = await serveBoard(t, { ...env, BOARD_PASSWORD: PASSWORD })
    t.match(await ask('/', {}, 'GET', both), { text: /<form[\s\S]*Or use your login to the <a/ })
    t.match(await ask('/', { cookie }, 'GET', both), { status: 200, text: /id="app"/ })
  })

  t.test('the user of a ledger session reads, and writes with the Origin and the CSRF token of the board', async t => {
    const { body: session } = await ask('/api/session', { cookie })
    t.match(session, { authenticated: true, csrf_token: /^[\w-]{43}$/, ledger_user: 'ada' })
    t.not(session.csrf_token, csrf)
    t.strictSame((await ask('/api/auth', { cookie })).body, {
      enabled: false,
      authenticated: true,
      username_required: false,
      api_token_enabled: false,
    })
    t.match(await ask('/api/cards', { cookie }), { status: 200 })
    const own = { cookie, origin: url, 'x-csrf-token': session.csrf_token }
    const refusals: [Record<string, string>, string][] = [
      [{ cookie, 'x-csrf-token': session.csrf_token }, 'origin_not_allowed'],
      [{ ...own, origin: ledger.url }, 'origin_not_allowed'],
      [{ ...own, origin: 'null' }, 'origin_not_allowed'],
      [{ ...own, 'sec-fetch-site': 'cross-site' }, 'origin_not_allowed'],
      [{ cookie, origin: url }, 'csrf_failed'],
      [{ ...own, 'x-csrf-token': csrf }, 'csrf_failed'],
    ]
    for (const [headers, code] of refusals) {
      t.match(await ask('/api/cards', headers, 'POST'), { status: 403, body: { code } }, JSON.stringify(headers))
    }
    t.match(await ask('/api/cards', own, 'POST'), { status: 201 })
    t.match(await ask('/api/executor/pause', own, 'POST'), { status: 403, body: { code: 'executor_denied' } })
    t.match(await ask('/api/logout', own, 'POST'), { status: 409, body: { code: 'ledger_session' } })
    t.match(await ask('/api/cards', { cookie }), { status: 200 })
  })

  t.test('access ends with the session at the ledger, and with the ledger', async t => {
    const again = await ledger.logIn()
    const headers = { cookie, 'x-csrf-token': csrf }
    t.equal((await fetch(`${ledger.url}/api/logout`, { method: 'POST', headers })).status, 204)
    t.match(await ask('/api/cards', { cookie }), { status: 401 })
    t.match(await ask('/api/cards', again), { status: 200 })
    await ledger.close()
    t.match(await ask('/api/cards', again), { status: 401 })
    t.match(await ask('/', again), { status: 200, text: /<title>Log in to the board/ })
  })
})
