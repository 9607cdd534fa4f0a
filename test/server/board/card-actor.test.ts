import t from 'tap'
import { cardActor } from '../../../src/server/board/card-actor.js'

t.test('a change is recorded with the user of a ledger session, and other logins have no name', async t => {
  const session = { kind: 'session', csrfToken: 'c' } as const
  t.same(cardActor({ ...session, ledgerUser: 'ada' }), { kind: 'user', name: 'ada' })
  t.same(cardActor(session), { kind: 'password', name: null })
  t.same(cardActor({ kind: 'key' }), { kind: 'key', name: null })
  t.same(cardActor({ kind: 'owner' }), { kind: 'owner', name: null })
  t.same(cardActor({ kind: 'local' }), { kind: 'open', name: null })
})
