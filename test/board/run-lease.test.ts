import t from 'tap'
import { holdRunLease } from '../../src/board/run-lease.js'
import type { MultiServerRuns } from '../../src/store/run-store.js'

t.test('a renewal that arrives after the release does not count as a lost lease', async t => {
  let renew = async () => {}
  t.intercept(globalThis, 'setInterval', {
    value: (work: typeof renew) => {
      renew = work
      return undefined
    },
  })
  let isReleased = false
  const leases: Pick<MultiServerRuns, 'acquireLease' | 'renewLease' | 'releaseLease'> = {
    acquireLease: async () => ({ name: 'runs', fence: 1 }),
    renewLease: async () => !isReleased,
    releaseLease: async () => {
      isReleased = true
    },
  }
  const held = await holdRunLease(leases as MultiServerRuns, { seconds: 60, at: '2031-05-04T09:00:00.000000Z' })
  await held?.release()
  await renew()
  t.equal(held?.lost.aborted, false)
})
