import type { Test } from 'tap'
import type { OpenBoardStore } from './open-board-store.js'

const NOW = 1_800_000_000
const KEY = 'digest of the key in use'
const digest = (i: number) => i.toString(16).padStart(64, '0')

/** Tests of sessions of the board for every engine. */
export function boardSessionConformance(t: Test, open: OpenBoardStore): void {
  t.test('a session is live until it expires', async t => {
    const { sessions } = await open(t)
    t.equal(await sessions.add({ digest: digest(1), key: KEY, expiresAt: NOW + 60 }, { now: NOW, max: 10 }), true)
    t.equal(await sessions.isLive(digest(1), KEY, NOW + 59), true)
    t.equal(await sessions.isLive(digest(1), KEY, NOW + 60), false)
    t.equal(await sessions.isLive(digest(2), KEY, NOW), false)
    t.equal(await sessions.isLive('', KEY, NOW), false)
    t.equal(await sessions.isLive(`${digest(1)}' OR 1=1 --`, KEY, NOW), false)
  })

  t.test('the store has room for the maximum number of sessions, without expired ones', async t => {
    const { sessions } = await open(t)
    const add = (i: number, expiresAt: number, now = NOW) =>
      sessions.add({ digest: digest(i), key: KEY, expiresAt }, { now, max: 64 })
    const added = await Promise.all(Array.from({ length: 64 }, (_, i) => add(i, NOW + 60 + (i % 2))))
    t.ok(added.every(Boolean))
    t.equal(await add(2000, NOW + 60), false)
    t.equal(await sessions.count(), 64)
    t.equal(await sessions.isLive(digest(2000), KEY, NOW), false)
    t.equal(await add(2000, NOW + 120, NOW + 60), true)
    t.equal(await sessions.count(), 33)
  })

  t.test('a session that replaces another needs no room', async t => {
    const { sessions } = await open(t)
    const add = (i: number, replaces?: string) =>
      sessions.add(
        { digest: digest(i), key: KEY, expiresAt: NOW + 60 },
        { now: NOW, max: 1, ...(replaces ? { replaces } : {}) },
      )
    t.equal(await add(1), true)
    t.equal(await add(2, digest(9)), false, 'of a session that there is not')
    t.equal(await add(2, digest(1)), true)
    t.same([await sessions.isLive(digest(1), KEY, NOW), await sessions.isLive(digest(2), KEY, NOW)], [false, true])
  })

  t.test('a purge, or the end of another session, removes expired sessions', async t => {
    const { sessions } = await open(t)
    for (let i = 0; i < 3; i++)
      await sessions.add({ digest: digest(i), key: KEY, expiresAt: NOW + i }, { now: NOW - 9, max: 10 })
    t.equal(await sessions.purge(NOW), 1)
    t.equal(await sessions.purge(NOW), 0)
    await sessions.end(digest(2), NOW + 1)
    t.equal(await sessions.count(), 0)
    await sessions.end(digest(2), NOW)
  })

  t.test('sessions of another signing key are not live, take no room, and are removed', async t => {
    const { sessions } = await open(t)
    const add = (i: number, key: string) =>
      sessions.add({ digest: digest(i), key, expiresAt: NOW + 60 }, { now: NOW, max: 2 })
    t.same([await add(1, 'a'), await add(2, 'a'), await add(3, 'a')], [true, true, false])
    t.same([await sessions.isLive(digest(1), 'a', NOW), await sessions.isLive(digest(1), 'b', NOW)], [true, false])
    t.same([await add(4, 'b'), await add(5, 'b'), await add(6, 'b')], [true, true, false])
    await sessions.keepSignedBy('a')
    t.equal(await sessions.count(), 2)
    t.same([await sessions.isLive(digest(2), 'a', NOW), await sessions.isLive(digest(4), 'b', NOW)], [true, false])
    await sessions.keepSignedBy(undefined)
    t.equal(await sessions.count(), 0)
  })
}
