import { mock } from 'node:test'
import t from 'tap'
import { holdLease } from '../../src/runtime/held-lease.js'

t.test(
  'work whose lease another server has taken over is notified, and its end releases nothing of that server',
  async t => {
    mock.timers.enable({ apis: ['setInterval'] })
    t.teardown(() => mock.timers.reset())
    const released: unknown[] = []
    let isOurs = true
    const leases = {
      acquireLease: async (name: string) => ({ name, fence: 1 }),
      renewLease: async () => isOurs,
      releaseLease: async (lease: unknown) => void released.push(lease),
    }
    const held = await holdLease(leases, 'reconcile')
    const outcome = held?.during(async lost => {
      mock.timers.tick(10_000)
      await new Promise(setImmediate)
      t.equal(lost.aborted, false)
      isOurs = false
      mock.timers.tick(10_000)
      await new Promise(setImmediate)
      lost.throwIfAborted()
    })
    await t.rejects(outcome ?? Promise.resolve(), { code: 'lease_lost' })
    t.same(released, [{ name: 'reconcile', fence: 1 }], 'by its fence, which is an older one')
  },
)

t.test('a renewal that fails is no loss: it is tried again', async t => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const leases = {
    acquireLease: async (name: string) => ({ name, fence: 1 }),
    renewLease: () => Promise.reject(new Error('The database is away.')),
    releaseLease: async () => {},
  }
  const held = await holdLease(leases, 'reconcile')
  await held?.during(async lost => {
    mock.timers.tick(10_000)
    await new Promise(setImmediate)
    t.equal(lost.aborted, false)
  })
})
