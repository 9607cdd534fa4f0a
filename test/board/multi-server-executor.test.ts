import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Executor } from '../../src/board/executor.js'
import { AppError } from '../../src/model/app-error.js'
import { isFinished, type Run } from '../../src/model/board/run.js'
import { shownAddress } from '../../src/model/postgres-address.js'
import { openPostgresBoardStore } from '../../src/store/postgres/board/board-store.js'
import type { MultiServerRuns } from '../../src/store/run-store.js'
import { TestCluster } from '../support/postgres/cluster.js'
import { findPostgres } from '../support/postgres/find-postgres.js'
import { testFolder } from '../support/test-folder.js'
import { until } from '../support/until.js'
import { ADA } from './actor.js'
import { CARD, runs as isRunning, program, SHORT_TIMES, shell } from './executor-rig.js'

/** Half of it is how long a renewal may take before the executor ends its run: longer than a busy machine pauses. */
const LEASE_SECONDS = 4

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  /** An executor of another server on a board that several servers have open. */
  async function openExecutor(
    t: Test,
    address: Parameters<typeof openPostgresBoardStore>[0],
    {
      command,
      cutOff = () => ({}),
      cancelWaitMs = 15_000,
    }: {
      command: string[]
      cutOff?: (multiServer: MultiServerRuns) => Partial<MultiServerRuns>
      cancelWaitMs?: number
    },
  ) {
    const store = await openPostgresBoardStore(address)
    const folder = testFolder(t)
    const reported: unknown[] = []
    let made = 0
    const executor = await Executor.open({
      runs: store.runs,
      multiServer: { ...store.multiServer.runs, ...cutOff(store.multiServer.runs) },
      findCard: async id => (id === CARD.id ? CARD : undefined),
      hasToken: async () => true,
      now: () => Date.now() * 1000,
      newId: () => `run_${folder}_${++made}`,
      newMarker: () => `marker-of-${folder}-${made}`,
      report: error => reported.push(error),
      times: { ...SHORT_TIMES, leaseSeconds: LEASE_SECONDS, cancelWaitMs },
      settings: { command, timeoutSeconds: 60, environment: { PATH: process.env.PATH ?? '' }, folder },
    })
    t.teardown(async () => {
      await executor.close()
      await store.close()
    })
    const over = async ({ id }: Run) => {
      await until(async () => isFinished(await executor.get(id)))
      return executor.get(id)
    }
    return { executor, store, folder, reported, over }
  }

  t.test(
    'the run of a killed server is marked as interrupted and not repeated, and its queued runs are performed',
    async t => {
      const address = await cluster.emptyBoard(t)
      const folder = testFolder(t)
      const [node = '', ...args] = program('killed-server', folder, shownAddress(address))
      const server = spawn(node, args, { stdio: ['ignore', 'inherit', 'inherit'] })
      t.teardown(() => server.kill('SIGKILL'))
      const pids = () => {
        const file = join(folder, 'work', 'pids')
        return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
      }
      await until(() => pids().length === 6)
      t.teardown(() => {
        for (const pid of pids().filter(isRunning)) process.kill(pid, 'SIGKILL')
      })
      const { executor, over } = await openExecutor(t, address, { command: shell('true'), cancelWaitMs: 100 })
      t.match(await executor.status(), { running: 'run_1', queued: 1 })
      server.kill('SIGKILL')
      await once(server, 'exit')
      const tooEarly = { category: 'unavailable', code: 'busy', message: /not ended yet/ }
      await t.rejects(executor.cancel('run_1', ADA), tooEarly, 'nothing notices that it is to be cancelled')
      // Simulates the end of the lease, which lasts half a minute.
      await cluster.sql(`UPDATE ${address.schema}.leases SET ends_at = clock_timestamp()`)
      const [first, second] = [await executor.get('run_1'), await executor.get('run_2')]
      t.match(await over(first), { state: 'interrupted', finished_at: /Z$/ })
      t.match(await over(second), { state: 'done' })
      await until(() => !pids().some(isRunning))
      t.match(
        await executor.get('run_1'),
        { state: 'interrupted' },
        'it is on this machine, so its processes were ended',
      )
    },
  )

  t.test('a server that loses its database ends its own run, and another one performs the queued runs', async t => {
    const address = await cluster.emptyBoard(t)
    let isCutOff = false
    const unlessCutOff = async <Result>(call: () => Promise<Result>) => {
      if (isCutOff) throw new AppError('unavailable', 'store_failed', 'The network is down.')
      return call()
    }
    const cut = await openExecutor(t, address, {
      command: shell('echo $$ > pid; sleep 600'),
      // From the start of its run, no call about the lease succeeds.
      cutOff: multiServer => ({
        acquireLease: options => unlessCutOff(() => multiServer.acquireLease(options)),
        renewLease: (...lease) => unlessCutOff(() => multiServer.renewLease(...lease)),
        releaseLease: lease => unlessCutOff(() => multiServer.releaseLease(lease)),
      }),
    })
    const first = await cut.executor.start(CARD.id, 'real', ADA)
    const pidFile = join(cut.folder, 'pid')
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'))
    await until(async () => (await cut.executor.get(first.id)).state === 'running')
    isCutOff = true
    const other = await openExecutor(t, address, { command: shell('true') })
    const second = await other.executor.start(CARD.id, 'real', ADA)
    t.match(await cut.over(first), { state: 'interrupted' })
    const pid = Number(readFileSync(pidFile, 'utf8'))
    await until(() => !isRunning(pid))
    t.match(await other.over(second), { state: 'done' })
  })
}
