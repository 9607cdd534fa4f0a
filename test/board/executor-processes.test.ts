import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { endTree } from '../../src/board/process-tree.js'
import { testFolder } from '../support/test-folder.js'
import { until } from '../support/until.js'
import { ADA } from './actor.js'
import { CARD, createExecutor, program, runs, SHORT_TIMES, shell } from './executor-rig.js'

/** The ids that the program has written so far. */
function pidsIn(folder: string): number[] {
  const file = join(folder, 'pids')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
}

/** On a busy machine, the last processes that were killed are still about to end. None of them would end otherwise. */
function untilGone(folder: string): Promise<void> {
  return until(() => !pidsIn(folder).some(runs))
}

/** Ends the remaining processes after the test; its folder may be gone by then. */
async function untilComplete(t: Test, folder: string): Promise<void> {
  await until(() => pidsIn(folder).length === HEADS)
  const pids = pidsIn(folder)
  t.teardown(() => {
    for (const pid of pids.filter(runs)) process.kill(pid, 'SIGKILL')
  })
}

/** Everything that stays: three with the mark, one in the group, one child, and the first process. */
const HEADS = 6

function startStranger(t: Test): ChildProcess {
  const stranger = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  t.teardown(() => stranger.kill('SIGKILL'))
  return stranger
}

t.test('cancelling a run ends all its processes, even those that ignore signals', async t => {
  const stranger = startStranger(t)
  const { executor, folder } = await createExecutor(t, {
    settings: { command: program('persistent-processes', 'flood') },
  })
  const run = await executor.start(CARD.id, 'real', ADA)
  await untilComplete(t, folder)
  t.ok(pidsIn(folder).every(runs))
  const cancelled = await executor.cancel(run.id, ADA)
  t.match(cancelled, { state: 'cancelled', reason: null, exit_code: null, signal: 'SIGKILL' })
  await untilGone(folder)
  t.ok(runs(stranger.pid ?? 0), 'others are left alone')
})

t.test('the time limit of a run ends all its processes, even those that ignore signals', async t => {
  const { executor, over, folder } = await createExecutor(t, {
    settings: { command: program('persistent-processes', 'stay'), timeoutSeconds: 4 },
  })
  const done = await over(await executor.start(CARD.id, 'real', ADA))
  t.match(done, { state: 'failed', reason: 'timeout', signal: 'SIGKILL', timeout_seconds: 4 })
  t.ok(pidsIn(folder).length > 0)
  await untilGone(folder)
})

t.test('the log contains the reason why a run was ended', async t => {
  const { executor, over, text } = await createExecutor(t, {
    settings: { command: shell('sleep 60'), timeoutSeconds: 1 },
  })
  const done = await over(await executor.start(CARD.id, 'real', ADA))
  t.match(done, { state: 'failed', reason: 'timeout', exit_code: null, signal: 'SIGTERM' })
  t.match(await text(done), /The run took longer than 1 s and is being ended\.\nThe program was ended by SIGTERM\.\n$/)
})

t.test('a program that handles SIGTERM can clean up, and its exit code is reported', async t => {
  const { executor, text } = await createExecutor(t, {
    settings: { command: shell('trap "echo bye; exit 9" TERM; echo up; while :; do sleep 0.02; done') },
  })
  const run = await executor.start(CARD.id, 'real', ADA)
  await until(async () => (await text(run)).includes('up'))
  t.match(await executor.cancel(run.id, ADA), { state: 'cancelled', exit_code: 9, signal: null })
  t.match(await text(run), /bye/)
})

t.test('processes that a run leaves behind end with it, and do not delay its end', async t => {
  const { executor, over, folder } = await createExecutor(t, {
    settings: { command: program('persistent-processes', 'leave') },
  })
  const done = await over(await executor.start(CARD.id, 'real', ADA))
  t.match(done, { state: 'failed', reason: 'exit', exit_code: 3 })
  t.ok(pidsIn(folder).length >= 4)
  await untilGone(folder)
})

t.test('a hidden process that holds the pipes open and keeps writing delays no run', async t => {
  const hide = `setsid -f env -i PATH="$PATH" sh -c 'echo $$ > hidden; while echo mumble; do sleep 0.02; done'`
  const { executor, over, folder, text } = await createExecutor(t, {
    settings: { command: shell(`${hide}; until [ -s hidden ]; do sleep 0.02; done; echo last; exit 3`) },
  })
  const done = await over(await executor.start(CARD.id, 'real', ADA))
  t.match(done, { state: 'failed', exit_code: 3 })
  t.match(await text(done), /^last$/m)
  const hidden = Number(readFileSync(join(folder, 'hidden'), 'utf8'))
  await until(() => !runs(hidden))
})

t.test('a run that is cancelled immediately after its start ends', async t => {
  const { executor } = await createExecutor(t, { settings: { command: shell('sleep 60') } })
  for (const turns of [0, 1, 3, 8]) {
    const run = await executor.start(CARD.id, 'real', ADA)
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
    t.equal((await executor.cancel(run.id, ADA)).state, 'cancelled')
  }
  t.match(await executor.status(), { running: null, queued: 0 })
})

t.test('a stopping server ends the run in progress and starts no other', async t => {
  const home = testFolder(t)
  const rig = await createExecutor(t, { home, settings: { command: program('persistent-processes', 'stay') } })
  const first = await rig.executor.start(CARD.id, 'real', ADA)
  const second = await rig.executor.start(CARD.id, 'real', ADA)
  await untilComplete(t, rig.folder)
  await rig.executor.close()
  await untilGone(rig.folder)
  await t.rejects(rig.executor.start(CARD.id, 'mock', ADA), { category: 'unavailable', code: 'stopping' })
  t.match(await rig.executor.get(first.id), { state: 'interrupted', finished_at: /Z$/ })
  t.match(await rig.executor.get(second.id), { state: 'interrupted', started_at: null })
})

t.test('after a kill of the server, its runs are marked as interrupted, and their processes are ended', async t => {
  const home = testFolder(t)
  const [node = '', ...args] = program('killed-server', home)
  const server = spawn(node, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  t.teardown(() => server.kill('SIGKILL'))
  const folder = join(home, 'work')
  await untilComplete(t, folder)
  server.kill('SIGKILL')
  await once(server, 'exit')
  rmSync(join(home, 'board.sqlite3.lock'), { recursive: true })

  const { executor, over } = await createExecutor(t, { home, newId: () => 'run_3' })
  t.match(await executor.get('run_1'), { state: 'interrupted', reason: null, finished_at: /Z$/ })
  t.match(await executor.get('run_2'), { state: 'interrupted', started_at: null })
  t.equal((await over(await executor.start(CARD.id, 'mock', ADA))).state, 'done')
  await untilGone(folder)
  t.match(await executor.get('run_1'), { state: 'interrupted' })
})

t.test('without /proc, the process group of the run is ended', async t => {
  const folder = testFolder(t)
  const [node = '', ...args] = program('persistent-processes', 'stay')
  const first = spawn(node, args, { cwd: folder, detached: true, stdio: 'ignore' })
  await untilComplete(t, folder)
  const nowhere = join(folder, 'proc')
  t.ok(await endTree({ mark: 'NAME=none', pid: first.pid ?? 0 }, SHORT_TIMES, nowhere))
  t.notOk(runs(first.pid ?? 0))
  t.equal(pidsIn(folder).filter(runs).length, HEADS - 3, 'those of other sessions stay')
  t.ok(await endTree({ mark: 'NAME=none', pid: null }, SHORT_TIMES, nowhere), 'there is nothing to go by')
})

t.test('a process that is ending belongs to its run until it is gone, even without its environment', async t => {
  const proc = testFolder(t)
  // On SIGTERM it loses its environment, like every process that ends.
  const script = "trap ': > environ' TERM; : > ready; while :; do sleep 0.01; done"
  const child = spawn('/bin/sh', ['-c', script], { cwd: proc, stdio: 'ignore' })
  t.teardown(() => child.kill('SIGKILL'))
  const entryOf = (pid = 0) => {
    mkdirSync(join(proc, `${pid}`))
    // Of one group and session, so that only the environment distinguishes them.
    writeFileSync(join(proc, `${pid}`, 'stat'), `${pid} (sh) S 1 7 7${' 0'.repeat(15)} 12345`)
  }
  entryOf(process.pid)
  entryOf(child.pid)
  const environment = join(proc, `${child.pid}`, 'environ')
  symlinkSync(join(proc, 'environ'), environment)
  writeFileSync(join(proc, 'environ'), 'RUN=1')
  await until(() => existsSync(join(proc, 'ready')))
  const ending = endTree({ mark: 'RUN=1', pid: null }, { graceMs: 60_000, killMs: 60_000, pollMs: 1 }, proc)
  await until(() => readFileSync(environment, 'utf8') === '')
  let isOver = false
  const isNone = ending.finally(() => {
    isOver = true
  })
  await delay(50)
  t.notOk(isOver)
  rmSync(join(proc, `${child.pid}`), { recursive: true })
  t.ok(await isNone)
})
