import type { Test } from 'tap'
import type { OpenStore } from './event-store-conformance.js'

/** Tests of notes of servers for every engine. */
export function noteStoreConformance(t: Test, open: OpenStore): void {
  t.test('a note is created and replaced with a higher revision, and each kind has its own names', async t => {
    const { notes } = await open(t)
    t.equal(await notes.find('feed', 'news'), undefined)
    const body = JSON.stringify({ text: 'ä\u0000\ud800 "quoted"' })
    t.equal(await notes.save({ kind: 'feed', name: 'news', body }), true)
    t.strictSame(await notes.find('feed', 'news'), { name: 'news', revision: 1, body })
    t.equal(await notes.save({ kind: 'feed', name: 'news', body: '{}' }), true)
    t.equal(await notes.save({ kind: 'comparison', name: 'news', body: '[]' }), true)
    t.strictSame(await notes.list('feed'), [{ name: 'news', revision: 2, body: '{}' }])
    t.equal(await notes.find('feed', 'with\0nul'), undefined)
  })

  t.test('a replacement of an older revision of a note is refused', async t => {
    const { notes } = await open(t)
    const save = (body: string, replaces: number) => notes.save({ kind: 'deliveries', name: 'all', body, replaces })
    t.equal(await save('1', 0), true)
    t.equal(await save('2', 0), false)
    t.equal(await save('2', 1), true)
    t.equal(await save('3', 1), false)
    t.match(await notes.find('deliveries', 'all'), { revision: 2, body: '2' })
    await notes.delete('deliveries', 'all')
    t.equal(await save('4', 2), true, 'a missing note is created')
    t.match(await notes.find('deliveries', 'all'), { revision: 1, body: '4' })
  })

  t.test('one of several servers that replace a revision concurrently succeeds', async t => {
    const { notes } = await open(t)
    await notes.save({ kind: 'deliveries', name: 'all', body: '0' })
    const saved = await Promise.all(
      ['1', '2', '3', '4'].map(body => notes.save({ kind: 'deliveries', name: 'all', body, replaces: 1 })),
    )
    t.same(saved.filter(Boolean).length, 1)
    t.match(await notes.find('deliveries', 'all'), { revision: 2, body: String(saved.indexOf(true) + 1) })
  })

  t.test('the list is ordered by name, and a deleted note is gone', async t => {
    const { notes } = await open(t)
    for (const name of ['b', 'B', 'a']) await notes.save({ kind: 'feed', name, body: '{}' })
    t.same(
      (await notes.list('feed')).map(({ name }) => name),
      ['B', 'a', 'b'],
    )
    t.equal(await notes.delete('feed', 'a'), true)
    t.equal(await notes.delete('feed', 'a'), false)
    t.equal(await notes.delete('feed', 'with\0nul'), false)
    t.match(await notes.list('feed'), [{ name: 'B' }, { name: 'b' }])
  })
}
