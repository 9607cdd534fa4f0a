import t, { type Test } from 'tap'
import { holdLease } from '../../src/runtime/held-lease.js'

/** @returns the function that renews the lease, instead of a timer */
function renewing(t: Test): () => Promise<void> {
  let renew = async () => {}
  t.intercept(globalThis, 'setInterval', {
    value: (work: typeof renew) => {
      renew = work
      return undefined
    },
  })
  return () => renew()
}

t.test('work whose lease another server took over ends, and does not release that lease', async t => {
  const renew = renewing(t)
  const released: unknown[] = []
  let isOurs = true
  const leases = {
    acquireLease: async (name: string) => ({ name, fence: 1 }),
    renewLease: async () => isOurs,
    releaseLease: async (lease: unknown) => void released.push(lease),
  }
  const held = await holdLease(leases, 'reconcile')
  const outcome = held?.during(async lost => {
    await renew()
    t.equal(lost.aborted, false)
    isOurs = false
    await renew()
    if (lost.aborted) throw new Error('The work was aborted.')
  })
  await t.rejects(outcome ?? Promise.resolve(), { code: 'lease_lost' })
  t.same(released, [{ name: 'reconcile', fence: 1 }], 'by its fence, which is an older one')
})

t.test('a failed renewal is retried, and does not lose the lease', async t => {
  const renew = renewing(t)
  const leases = {
    acquireLease: async (name: string) => ({ name, fence: 1 }),
    renewLease: () => Promise.reject(new Error('The database is away.')),
    releaseLease: async () => {},
  }
  const held = await holdLease(leases, 'reconcile')
  await held?.during(async lost => {
    await renew()
    t.equal(lost.aborted, false)
  })
})
