import t from 'tap'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { TestCluster } from '../../support/postgres/cluster.js'
import { findPostgres } from '../../support/postgres/find-postgres.js'

const programs = findPostgres()
const MANY = 3

t.test(
  'sessions that several servers share',
  { skip: programs === undefined ? 'there is no PostgreSQL server' : false },
  async t => {
    const cluster = await TestCluster.shared(t, programs as string)
    /** Adds sessions in this order to a store for `maxSessions`, and returns the ones that are left. */
    const keptOf = async (users: string, maxSessions: number) => {
      const store = await openPostgresStore({ address: cluster.newAddress() })
      try {
        const sessions = store.multiServer.sessions
        for (const [at, userId] of [...users].entries()) {
          const bounds = { ttlSeconds: 60, maxSessions, manyForOne: MANY }
          await sessions.add(String(at), { id: `session_${at}`, userId, address: null }, bounds)
        }
        const kept = await Promise.all([...new Set(users)].map(userId => sessions.list(userId)))
        return kept.flat().map(({ id }) => Number(id.slice('session_'.length)))
      } finally {
        await store.close()
      }
    }

    t.test('with no room, a login replaces the least recently used session', async t => {
      t.same((await keptOf('abbc', 3)).sort(), [1, 2, 3])
    })

    t.test('with no room, a user with many sessions loses one of them to the login of another', async t => {
      t.same((await keptOf('baaac', 4)).sort(), [0, 2, 3, 4])
    })

    t.test('with no room, a login of a user with many sessions replaces one of its own first', async t => {
      t.same((await keptOf('bbbaaaa', 6)).sort(), [0, 1, 2, 4, 5, 6])
    })

    t.test('concurrent logins at several servers all succeed, and do not exceed the limit together', async t => {
      const address = await cluster.emptyLedger(t)
      const stores = await Promise.all([openPostgresStore({ address }), openPostgresStore({ address })])
      t.teardown(() => Promise.all(stores.map(store => store.close())))
      const bounds = { ttlSeconds: 60, maxSessions: 4, manyForOne: MANY }
      const logins = Array.from({ length: 60 }, (_, at) =>
        stores[at % 2]?.multiServer.sessions.add(
          String(at),
          { id: `session_${at}`, userId: 'a', address: null },
          bounds,
        ),
      )
      const failed = (await Promise.allSettled(logins)).filter(({ status }) => status === 'rejected')
      t.same(failed, [])
      t.equal((await stores[0].multiServer.sessions.list('a')).length, 4)
    })
  },
)
