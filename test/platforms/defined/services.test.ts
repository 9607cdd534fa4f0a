import t from 'tap'
import { readEvent } from '../../../src/ledger/read-event.js'
import { compileDefinedAdapter, readSourceDefinition } from '../../../src/platforms/defined/adapter.js'
import { acceptDelivery } from '../../../src/platforms/deliveries/accept-delivery.js'
import { BUILDS } from './services/builds.js'
import { CUSTOMERS } from './services/customers.js'
import { OPERATIONS } from './services/operations.js'
import { REGISTRIES } from './services/registries.js'
import { SECRET, type Service } from './services/service.js'
import { TALK } from './services/talk.js'
import { WORK } from './services/work.js'

const REFUSED = { code: 'signature_invalid' }

for (const service of [...TALK, ...WORK, ...CUSTOMERS, ...BUILDS, ...REGISTRIES, ...OPERATIONS]) {
  t.test(`deliveries of ${service.name} are verified and become events`, async t => {
    const { deliveries, secret = '' } = service
    const adapter = adapterOf(service)
    for (const { headers, body, query, sign, becomes = [], answer } of deliveries) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const accept = (shown: object, sent = text) =>
        acceptDelivery(
          adapter,
          { headers: { ...headers, ...shown }, body: Buffer.from(sent), ...(query === undefined ? {} : { query }) },
          { secrets: [secret], requireVerified: true, context: {} },
        )
      const shown = sign?.(text, Date.now()) ?? {}
      const taken = accept(shown)
      t.strictSame(taken.answer, answer ?? taken.answer)
      t.match(
        taken.events.map(({ event }) => [event.kind, event.target.key]),
        becomes.map(([kind, target]) => [kind, target.endsWith(':') ? new RegExp(`^${target}`) : target]),
      )
      t.equal(taken.events.length, becomes.length)
      for (const { event } of taken.events) {
        t.strictSame(readEvent(event), event, 'the ledger accepts it as it is')
        t.notMatch(JSON.stringify(event), /hidden|verification-token/, 'what is a secret is not kept')
        if (event.kind !== 'delivery.unmapped' && 'time' in Object(Reflect.get(service.definition, 'rules')[0])) {
          t.match(event.occurred_at, /^2025-11-20T|^2026-11-20T/)
        }
      }
      if (taken.verified === 'signature') {
        // A form is signed by its fields.
        t.throws(() => accept(shown, text.replace(/\d/u, '9').concat('&x=1')), REFUSED, 'another body')
      }
      if (sign) t.throws(() => accept({}), REFUSED, 'without a proof')
      const other = { secrets: ['another secret'], requireVerified: true, context: {} }
      const delivery = { headers: { ...headers, ...shown }, body: Buffer.from(text), query: query ?? '' }
      t.throws(() => acceptDelivery(adapter, delivery, other), REFUSED, 'another secret')
    }
  })
}

function adapterOf({ definition }: Service) {
  return compileDefinedAdapter(readSourceDefinition({ name: 's', ...definition }))
}

t.test('a secret in the query counts once', async t => {
  const adapter = adapterOf({
    name: '',
    definition: { proof: { type: 'query', parameter: 'token' }, rules: [] },
    deliveries: [],
  })
  const show = (query?: string) =>
    adapter.verify({ headers: {}, body: Buffer.from('{}'), ...(query === undefined ? {} : { query }) }, [SECRET])
  t.equal(show(`?a=b&token=${SECRET}`), 'token')
  for (const query of [
    undefined,
    '',
    '?token=',
    `?token=${SECRET}x`,
    `?Token=${SECRET}`,
    `?token=${SECRET}&token=${SECRET}`,
  ]) {
    t.throws(() => show(query), REFUSED, query ?? 'none')
  }
})
