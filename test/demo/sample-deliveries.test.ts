import t from 'tap'
import { getSample, sampleDeliveries, sampleKinds } from '../../src/demo/sample-deliveries.js'
import { PLATFORM_SOURCES } from '../../src/model/platforms/platform-source.js'
import { adapterOf } from '../../src/platforms/adapters.js'
import { signDelivery } from '../../src/platforms/signatures/sign-delivery.js'

const AT = Date.UTC(2031, 4, 4, 9) * 1_000
const SITE = 'https://chat.example.org'

for (const source of PLATFORM_SOURCES) {
  t.test(`every sample of ${source} is verified by its secret and becomes its promised events`, async t => {
    const adapter = adapterOf(source)
    const secrets = ['of the test', ...(source === 'code_b' ? [`whsec_${Buffer.alloc(24, 7).toString('base64')}`] : [])]
    const samples = sampleDeliveries(source, AT)
    t.ok(samples.length >= 3)
    for (const sample of samples) {
      for (const secret of secrets) {
        const delivery = signDelivery(sample, secret, Date.now())
        const verified = adapter.verify(delivery, [secret])
        t.not(verified, 'none')
        const { events } = adapter.normalise(delivery, { site: SITE, verified })
        t.same(
          events.map(({ kind }) => kind),
          sample.kinds,
        )
        t.throws(() => adapter.verify(signDelivery(sample, 'another', Date.now()), [secret]), {
          code: 'signature_invalid',
        })
      }
    }
  })

  t.test(`samples of ${source} with another time are other events`, async t => {
    const keysAt = (at: number) =>
      sampleDeliveries(source, at).flatMap(sample =>
        adapterOf(source)
          .normalise(signDelivery(sample, undefined, 0), { site: SITE })
          .events.map(event => event.dedupe_key),
      )
    const [first, second] = [keysAt(AT), keysAt(AT + 1_000_000)]
    t.same(
      first.filter(key => second.includes(key)),
      [],
    )
  })
}

t.test('a sample is found by its kind, and an unknown kind is refused with the existing ones', async t => {
  t.ok(getSample('code_a', 'issue.created', AT).kinds.includes('issue.created'))
  t.ok(sampleKinds('code_b', AT).includes('pull_request.merged'))
  t.throws(() => getSample('chat', 'issue.created', AT), {
    code: 'unknown_kind',
    message: /There are samples of .*message\.created/,
  })
})
