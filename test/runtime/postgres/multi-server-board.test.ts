import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Card } from '../../../src/model/board/card.js'
import type { ExecutorStatus, Run } from '../../../src/model/board/run.js'
import { shownAddress } from '../../../src/model/postgres-address.js'
import { backUpBoard } from '../../../src/runtime/board-backup.js'
import { serve } from '../../../src/runtime/serve/serve.js'
import { readServeSettings } from '../../../src/settings/serve-settings.js'
import { ownFolder } from '../../black-box/own-folder.js'
import { memorySources } from '../../settings/memory-sources.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'
import { ask } from './three-servers.js'

const TOKEN = 'the-token-of-these-tests'
const DAY_MS = 86_400_000
const PASSWORD = 'correct horse battery'

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  /** Two boards of one process on one database, with folders of their own. */
  const startBoards = async (t: Test, env: Record<string, string> = {}) => {
    const database = shownAddress(await cluster.emptyBoard(t))
    const start = () => {
      const own = { BOARD_HOME: ownFolder(t), BOARD_DB: database, BOARD_DB_POOL: '4', EVENT_LOG_LEVEL: 'silent' }
      const sources = memorySources({ env: { ...own, BOARD_EXECUTOR_TOKEN: TOKEN, ...env } })
      return serve(readServeSettings({ only: 'board', port: '0' }, sources), sources)
    }
    const servers = await Promise.all([start(), start()])
    t.teardown(() => Promise.all(servers.map(server => server.close())))
    return { urls: servers.map(({ board }) => board?.url ?? '') as [string, string], servers, database }
  }
  const execute = { 'x-board-executor-token': TOKEN }
  const makeCard = async (url: string, title = 'Mend the gate') => {
    return (await ask<Card>(`${url}/api/cards`, { method: 'POST', body: { title } })).body
  }
  const startRun = async (url: string, card: Card, mode = 'mock') => {
    const made = await ask<Run>(`${url}/api/cards/${card.id}/runs`, {
      method: 'POST',
      body: { mode },
      headers: execute,
    })
    return made.body
  }

  t.test('a change of a card is visible on every server, and an outdated one is refused on every server', async t => {
    const { urls, database } = await startBoards(t)
    const [one, two] = urls
    const card = await makeCard(one)
    t.same((await ask(`${two}/api/cards/${card.id}`)).body, card)
    const change = (url: string, title: string, version: number) =>
      ask<Card>(`${url}/api/cards/${card.id}`, {
        method: 'PATCH',
        body: { title },
        headers: { 'if-match': `"${version}"` },
      })
    const answers = await Promise.all([
      change(one, 'a', 1),
      change(two, 'b', 1),
      change(one, 'c', 1),
      change(two, 'd', 1),
    ])
    t.same(answers.map(({ status }) => status).sort(), [200, 412, 412, 412])
    t.match((await ask<Card>(`${two}/api/cards/${card.id}`)).body, { version: 2 })
    t.match((await ask(`${two}/api/cards/${card.id}/history`)).body, { count: 2 })
    t.match((await ask(`${one}/api/health`)).body, { status: 'ok', database, engine: 'postgres' })
    t.equal((await ask(`${two}/readyz`)).status, 200)
    t.match((await ask<string>(`${two}/metrics`)).body, /daybook_board_cards\{column="backlog"\} 1/)
  })

  t.test('a login and a logout at one server apply to the other', async t => {
    const { urls } = await startBoards(t, { BOARD_PASSWORD: PASSWORD })
    const [one, two] = urls
    const login = await ask<{ csrf_token: string }>(`${one}/api/login`, {
      method: 'POST',
      body: { password: PASSWORD },
    })
    const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    t.equal((await ask(`${two}/api/cards`, { headers: { cookie } })).status, 200)
    const headers = { cookie, 'x-csrf-token': login.body.csrf_token, origin: two }
    t.equal((await ask(`${two}/api/logout`, { method: 'POST', headers })).status, 200)
    for (const url of urls) t.equal((await ask(`${url}/api/cards`, { headers: { cookie } })).status, 401)
  })

  t.test('a session is live by the clock of the database, whatever time the servers have', async t => {
    const { urls } = await startBoards(t, { BOARD_PASSWORD: PASSWORD })
    const { now } = Date
    t.teardown(() => {
      Date.now = now
    })
    const login = (url: string) => ask(`${url}/api/login`, { method: 'POST', body: { password: PASSWORD } })
    const cookie = (await login(urls[0])).headers.getSetCookie()[0]?.split(';')[0] ?? ''
    Date.now = () => now() + 400 * DAY_MS
    await login(urls[1]) // ends expired sessions
    Date.now = now
    for (const url of urls) t.equal((await ask(`${url}/api/cards`, { headers: { cookie } })).status, 200)
  })

  t.test('failed logins at both servers are counted together', async t => {
    const { urls } = await startBoards(t, { BOARD_PASSWORD: PASSWORD })
    const login = async (n: number, password = 'guess') => {
      return (await ask(`${urls[n % 2]}/api/login`, { method: 'POST', body: { password } })).status
    }
    for (let n = 0; n < 10; n++) t.equal(await login(n), 401)
    t.same([await login(0), await login(1), await login(1, PASSWORD)], [429, 429, 429])
  })

  t.test('runs of both servers are performed one at a time, and their logs are followed on the other one', async t => {
    const { urls } = await startBoards(t)
    const [one, two] = urls
    const card = await makeCard(one)
    const made: Run[] = []
    for (const url of [one, two, two, one]) made.push(await startRun(url, card))
    const logs = await Promise.all(
      made.map(({ id }, n) => fetch(`${urls[n % 2]}/api/runs/${id}/log`).then(answer => answer.text())),
    )
    for (const log of logs) t.match(log, /Step 1 of 3.*Step 3 of 3.*event: end/s)
    const runs = await Promise.all(made.map(async ({ id }) => (await ask<Run>(`${two}/api/runs/${id}`)).body))
    t.same(
      runs.map(({ state }) => state),
      ['done', 'done', 'done', 'done'],
    )
    for (const [n, run] of runs.entries()) {
      t.ok(n === 0 || (runs[n - 1]?.finished_at ?? '') <= (run.started_at ?? ''), 'in the order of the requests')
    }
  })

  t.test('a pause and a cancellation at one server apply to the other', async t => {
    const { urls } = await startBoards(t, { BOARD_EXECUTOR_COMMAND: '["sleep","60"]' })
    const [one, two] = urls
    const card = await makeCard(one)
    const status = async (url: string) => (await ask<ExecutorStatus>(`${url}/api/executor`)).body
    const post = (path: string) => ask<Run>(path, { method: 'POST', headers: execute })
    await post(`${one}/api/executor/pause`)
    const [first, second] = [await startRun(two, card, 'real'), await startRun(one, card, 'real')]
    t.match(await status(two), { paused: true, running: null, queued: 2 })
    t.match((await post(`${one}/api/runs/${second.id}/cancel`)).body, { state: 'cancelled', started_at: null })
    await post(`${two}/api/executor/resume`)
    while ((await ask<Run>(`${one}/api/runs/${first.id}`)).body.state !== 'running') await sleep(20)
    t.match(await status(one), { running: first.id, queued: 0 })
    // One of them is not the server that performs it.
    const cancelled = await Promise.all(urls.map(url => post(`${url}/api/runs/${first.id}/cancel`)))
    const accepted = cancelled.filter(({ status }) => status === 200)
    t.ok(accepted.length > 0)
    for (const { body } of accepted) t.match(body, { state: 'cancelled' })
    t.match((await ask(`${two}/api/cards/${card.id}/history`)).body, {
      items: [{ action: 'run_cancelled' }, {}, {}, {}, {}],
    })
  })

  t.test('a copy of the files of a board in PostgreSQL is refused', async t => {
    const board = { home: ownFolder(t), postgres: await cluster.emptyBoard(t) }
    const refused = { category: 'configuration', code: 'board_not_a_file' }
    await t.rejects(backUpBoard(board, `${board.home}/copy`, 'cards'), refused)
    t.same(readdirSync(board.home), [])
  })
}
