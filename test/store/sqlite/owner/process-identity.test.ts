import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { liveness, ownIdentity, processState } from '../../../../src/store/sqlite/owner/process-identity.js'

t.test('a process finds itself alive, always with the same identity', async t => {
  const self = await ownIdentity()
  t.same(await ownIdentity(), self)
  t.equal(await liveness(self, self), 'alive')
  t.match(self, { pid: process.pid, machine: /^[0-9a-f]{12}$/, boot: /^[0-9a-f]{12}$/, namespace: /^\d+$/ })
})

t.test('a process is judged as dead, alive or unknown', async t => {
  const self = await ownIdentity()
  const other = { machine: 'a'.repeat(12), boot: 'b'.repeat(12) }
  const cases = [
    { name: 'the same pid, started at another time', change: { started: '1' }, expected: 'dead' },
    { name: 'a pid that no process has', change: { pid: 2 ** 22 + 1 }, expected: 'dead' },
    { name: 'this machine before it was started again', change: { boot: other.boot }, expected: 'dead' },
    {
      name: 'this machine before a restart, in a container',
      change: { boot: other.boot, namespace: '1' },
      expected: 'dead',
    },
    { name: 'another container of this machine', change: { namespace: '1' }, expected: 'elsewhere' },
    {
      name: 'another container with its own host name',
      change: { namespace: '1', machine: other.machine },
      expected: 'elsewhere',
    },
    { name: 'another machine', change: other, expected: 'elsewhere' },
    { name: 'this process, after the host name changed', change: { machine: other.machine }, expected: 'alive' },
  ]
  for (const { name, change, expected } of cases) t.equal(await liveness({ ...self, ...change }, self), expected, name)
})

t.test('a zombie process is dead', async t => {
  // The shell starts a child, becomes `sleep`, and so never collects it; before that it still might.
  const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.teardown(() => parent.kill('SIGKILL'))
  const [bytes] = await once(parent.stdout, 'data')
  const child = Number(String(bytes))
  while (programOf(parent.pid) !== 'sleep') await sleep(10)
  process.kill(child, 'SIGKILL')
  for (const platform of ['linux', 'elsewhere']) {
    let state = await processState(child, platform)
    // The system may need a moment to end it.
    while (typeof state === 'object' && !state.isZombie) {
      await sleep(10)
      state = await processState(child, platform)
    }
    t.match(state, { isZombie: true }, platform)
  }
})

t.test('without /proc, the state of a process is read from ps', async t => {
  t.match(await processState(process.pid, 'elsewhere'), { isZombie: false, started: /^[a-z]{6}\d+$/ })
  t.same(await processState(process.pid, 'elsewhere'), await processState(process.pid, 'elsewhere'))
  t.equal(await processState(2 ** 22 + 1, 'elsewhere'), 'gone')
})

function programOf(pid: number | undefined): string {
  return spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
}
