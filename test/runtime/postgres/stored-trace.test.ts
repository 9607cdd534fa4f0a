import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { AppError } from '../../../src/model/app-error.js'
import { shownAddress } from '../../../src/model/postgres-address.js'
import { readDeliveries } from '../../../src/runtime/read-deliveries.js'
import { StoredTrace } from '../../../src/runtime/serve/stored-trace.js'
import { readLocalSettings } from '../../../src/settings/local-settings.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { memorySources } from '../../settings/memory-sources.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'

const UNSIGNED = new AppError('unauthenticated', 'signature_invalid', 'The delivery is not signed.')

const programs = findPostgres()
if (programs === undefined) t.plan(0, 'there is no PostgreSQL server')
else {
  const cluster = await TestCluster.shared(t, programs)

  t.test('servers that save concurrently lose no delivery of each other, and a command shows all', async t => {
    const address = await cluster.emptyLedger(t)
    const warnings: unknown[] = []
    const logger = { warn: (...said: unknown[]) => void warnings.push(said) }
    const servers = await Promise.all(
      ['one', 'two', 'three'].map(async name => {
        const store = await openPostgresStore({ address })
        t.teardown(() => store.close())
        return {
          name,
          trace: new StoredTrace({ notes: store.notes, now: () => Date.now() * 1_000, logger, everyMs: 3 }),
        }
      }),
    )
    for (let round = 0; round < 30; round++) {
      for (const { name, trace } of servers) {
        trace.noteAccepted('forum')
        trace.noteRefused('code_a', UNSIGNED, { headers: { 'x-github-delivery': `${name}-${round}` } })
      }
      await sleep(4)
    }
    for (const { trace } of servers) await trace.close()
    const states = await Promise.all(servers.map(({ trace }) => trace.state()))
    t.match(states[0], {
      sources: [
        { source: 'code_a', refused: 90 },
        { source: 'forum', accepted: 90 },
      ],
      refused: { length: 90 },
    })
    t.equal(new Set(states[0]?.refused.map(({ delivery_id }) => delivery_id)).size, 90)
    t.same(states[1], states[0])
    t.same(states[2], states[0])
    const settings = readLocalSettings({}, memorySources({ env: { EVENT_DB: shownAddress(address) } }))
    t.same(await readDeliveries(settings), states[0])
  })
}
