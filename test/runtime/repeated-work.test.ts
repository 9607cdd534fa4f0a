import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { RepeatedWork } from '../../src/runtime/repeated-work.js'

const MONTH_MS = 30 * 24 * 3_600_000

t.test('work that is due in a month is not repeated earlier', async t => {
  let calls = 0
  const work = async () => {
    calls += 1
    return MONTH_MS
  }
  const running = [new RepeatedWork(work), new RepeatedWork(work, MONTH_MS)]
  // A timer that is too long ends after 1 ms, so before these, which begin later.
  await sleep(1)
  await sleep(1)
  t.equal(calls, 1)
  await Promise.all(running.map(repeated => repeated.stop()))
})
