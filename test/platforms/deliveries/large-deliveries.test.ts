import t from 'tap'
import type { Verification } from '../../../src/model/events/event.js'
import { adapterOf } from '../../../src/platforms/adapters.js'
import { LargeDeliveries } from '../../../src/platforms/deliveries/large-deliveries.js'

const MIB = 1024 * 1024

t.test('only huge unverified deliveries use a separate thread', async t => {
  const taken: string[] = []
  const thread = (name: string) => ({
    take: async () => {
      taken.push(name)
      return { verified: 'none' as const, events: [], ignored: 0 }
    },
    close: async () => {
      taken.push(`closed ${name}`)
    },
  })
  const large = new LargeDeliveries({ ordinary: thread('ordinary'), huge: thread('huge') })
  const take = (bytes: number, verified?: Verification) =>
    large.take(
      adapterOf('code_a'),
      { headers: {}, body: new Uint8Array(bytes) },
      { secrets: [], requireVerified: false, context: {}, ...(verified ? { verified } : {}) },
    )
  await take(2 * MIB, 'none')
  await take(2 * MIB + 1, 'none')
  await take(25 * MIB)
  await take(25 * MIB, 'signature')
  await take(25 * MIB, 'token')
  await large.close()
  t.same(taken, ['ordinary', 'huge', 'huge', 'ordinary', 'ordinary', 'closed ordinary', 'closed huge'])
})
