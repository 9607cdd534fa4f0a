import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openBoardDatabase } from '../../src/store/sqlite/board/board-database.js'
import { program, runs } from '../board/executor-rig.js'
import { until } from '../support/until.js'
import { ownFolder } from './own-folder.js'
import { type RunningServer, startServer } from './running-server.js'

const TOKEN = 'executor-token-of-this-test'
/** The number of processes of the program. */
const HEADS = 6
/** It writes their ids there. */
const PIDS = '.arch/board/work/pids'

async function startBoard(t: Test, home: string): Promise<RunningServer> {
  const env = {
    BOARD_EXECUTOR_COMMAND: JSON.stringify(program('persistent-processes', 'stay')),
    BOARD_EXECUTOR_TOKEN: TOKEN,
  }
  return startServer(t, { home, env, board: true })
}

async function ask(server: RunningServer, method: string, path: string, body?: object) {
  const response = await fetch(`${server.boardUrl}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-board-executor-token': TOKEN },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  return (await response.json()) as Record<string, string>
}

/** Starts a run of a card, and waits until all its processes run. */
async function startHydra(t: Test, server: RunningServer, home: string): Promise<{ run: string; pids: number[] }> {
  const card = await ask(server, 'POST', '/api/cards', { title: 'Grow' })
  const run = await ask(server, 'POST', `/api/cards/${card.id}/runs`, { mode: 'real' })
  const file = join(home, PIDS)
  const pids = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [])
  await until(() => pids().length === HEADS)
  const all = pids()
  t.teardown(() => {
    for (const pid of all.filter(runs)) process.kill(pid, 'SIGKILL')
  })
  return { run: run.id ?? '', pids: all }
}

t.test('a killed server’s run is ended by the next server, and a stopping server ends its own', async t => {
  const home = ownFolder(t)
  const first = await startBoard(t, home)
  const { run, pids } = await startHydra(t, first, home)
  t.match(await ask(first, 'GET', `/api/runs/${run}`), { state: 'running' })
  await first.kill()
  const second = await startBoard(t, home)
  t.match(await ask(second, 'GET', `/api/runs/${run}`), { state: 'interrupted', finished_at: /Z$/ })
  await until(() => !pids.some(runs))
  t.match(await ask(second, 'GET', '/api/executor'), { running: null, queued: 0, real: true })

  rmSync(join(home, PIDS))
  const next = await startHydra(t, second, home)
  t.match(await second.stop(), { code: 0 })
  // On a busy machine, the last processes that were killed are still about to end. None of them would end otherwise.
  await until(() => !next.pids.some(runs))
  const { runs: stored, close } = openBoardDatabase(join(home, '.arch/board/board.sqlite3'))
  t.match(stored.find(next.run), { state: 'interrupted', signal: 'SIGKILL' }, 'it waited for the end of its run')
  close()
  t.notMatch(second.log() + first.log(), TOKEN)
})
