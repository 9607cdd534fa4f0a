import fc from 'fast-check'
import type { Test } from 'tap'
import { storedKeyOf } from '../../src/model/events/event.js'
import { readTimestamp } from '../../src/model/timestamp.js'
import { readCopyLine } from '../../src/runtime/transfer/copy-lines.js'
import type { CopiedEvent, CopyPage, CopyRange, MovedState } from '../../src/store/copy-store.js'
import type { EventToRecord } from '../../src/store/event-store.js'
import type { Store } from '../../src/store/store.js'
import { anyCharacter } from '../support/any-character.js'
import { messageCreated, readStored, serialised } from '../support/events.js'
import { erase, prune } from './erasure-conformance.js'
import type { OpenStore } from './event-store-conformance.js'

const NOON = 1_800_000_000_000_000
const ALL: CopyRange = { since: null, changes: null, limit: 1_000, maxBytes: 64 * 1024 * 1024 }
const DIFFERS = { category: 'conflict', code: 'copy_differs' }

function linesOf({ lines }: CopyPage): { appended: CopiedEvent[]; changed: CopiedEvent[] } {
  const found: { appended: CopiedEvent[]; changed: CopiedEvent[] } = { appended: [], changed: [] }
  for (const text of Buffer.from(lines).toString().split('\n').slice(0, -1)) {
    const line = readCopyLine(Buffer.from(text))
    if (line.kind === 'event') found.appended.push(line.event)
    else if (line.kind === 'changed') found.changed.push(line.event)
  }
  return found
}

/** Copies what `to` does not have. @returns the number of the last change */
async function copy(from: Store, to: Store, since: number | null, { changes, ...bounds }: Partial<CopyRange> = {}) {
  let range: CopyRange = { ...ALL, ...bounds, since, changes: changes ?? null }
  for (;;) {
    const page = await from.copies.read(range)
    if (page.neededBytes !== undefined) {
      range = { ...range, limit: 1, maxBytes: page.neededBytes }
      continue
    }
    const head = await to.copies.write({ ...linesOf(page), through: page.through })
    range = { ...ALL, ...bounds, since: head?.capturedAt ?? null, changes: page.changes }
    if (!page.hasMore) return { changes: page.changes, head }
  }
}

async function contentOf({ events }: Store): Promise<string> {
  const { items } = await events.query({ order: 'asc', limit: 500, since: 0 })
  return Buffer.from(items).toString()
}

/** Tests of copies for every engine. Source: decision 53. */
export function copyStoreConformance(t: Test, open: OpenStore): void {
  t.test('a copy has the rows, instants, counts and digests of its original, including later repeats', async t => {
    const delivery = fc.record({
      key: fc.integer({ min: 1, max: 12 }),
      kind: fc.constantFrom('message.created', 'badge.granted'),
      said: fc.string({ unit: anyCharacter }),
      payload: fc.object({ maxDepth: 3 }).map(value => JSON.parse(JSON.stringify(value))),
      isLarge: fc.boolean(),
      isAnonymous: fc.boolean(),
      mark: fc.option(fc.constantFrom('sub_1', 'sub_2')),
      removal: fc.constantFrom(undefined, undefined, 'erase' as const, 'prune' as const),
    })
    type Delivery = typeof delivery extends fc.Arbitrary<infer Value> ? Value : never
    const toRecord = ({ key, kind, said, payload, isLarge, isAnonymous, mark }: Delivery): EventToRecord => {
      const event = messageCreated(`chat:${key}`, {
        kind,
        payload,
        conversation: { text: said },
        source: `s${key % 3}`,
      })
      const provenance = isAnonymous ? { ...event.provenance, key_space: 'unverified' as const } : event.provenance
      const matches = mark === null ? [] : [{ id: mark, isCaptured: true as const }]
      return { ...(isLarge ? serialised(event) : event), provenance, matches }
    }
    let entries = 0
    const record = async (store: Store, batch: Delivery[]) => {
      await store.events.record(batch.map(toRecord))
      const [first] = batch
      const key = first && storedKeyOf(toRecord(first).event, toRecord(first).provenance)
      const stored = first?.removal && (await readStored(store.events, key ?? ''))
      if (!stored || stored.erased) return
      const at = readTimestamp('captured_at', stored.captured_at).micros
      if (first.removal === 'erase') await erase(store, String(++entries), [at])
      else await prune(store, String(++entries), at)
    }
    const batches = fc.array(fc.array(delivery, { maxLength: 6 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(batches, batches, fc.integer({ min: 1, max: 4 }), async (before, after, limit) => {
        // The next run uses the databases of this one again.
        await t.test('in a new pair of ledgers', async t => {
          let now = NOON
          const [from, to] = [await open(t, () => now++), await open(t)]
          for (const batch of before) await record(from, batch)
          const first = await copy(from, to, null, { limit, maxBytes: 2_000 })
          for (const batch of after) await record(from, batch)
          await copy(from, to, first.head?.capturedAt ?? null, { limit, changes: first.changes })
          t.equal(await contentOf(to), await contentOf(from))
          t.same({ ...(await to.events.stats()) }, { ...(await from.events.stats()) })
          t.same((await to.events.health()).head, (await from.events.health()).head)
          t.match(await to.events.verify({ since: null, limit: 1_000 }), { problems: { length: 0 }, pending: 0 })
        })
      }),
      { numRuns: 3 },
    )
  })

  t.test('a search in a copy finds events, and filters find the marks of a repeat', async t => {
    const [from, to] = [await open(t, () => NOON), await open(t)]
    await from.events.record([messageCreated('chat:1', { conversation: { text: 'deployed to production' } })])
    const { changes, head } = await copy(from, to, null)
    await from.events.record([{ ...messageCreated('chat:1'), matches: [{ id: 'sub_1', isCaptured: true }] }])
    await copy(from, to, head?.capturedAt ?? null, { changes })
    const asked = { order: 'asc', limit: 10, since: 0 } as const
    t.match(await to.events.query({ ...asked, search: ['production'] }), { count: 1 })
    t.match(await to.events.query({ ...asked, subscriptionIds: ['sub_1'] }), { count: 1 })
    t.match(await to.events.stats(), { event_count: 1, duplicate_count: 1 })
  })

  t.test('a ledger lists each changed event once, by its last change', async t => {
    const { events, copies } = await open(t, () => NOON)
    await events.record([messageCreated('chat:1'), messageCreated('chat:2')])
    const { changes } = await copies.read(ALL)
    for (const key of ['chat:1', 'chat:2', 'chat:1']) await events.record([messageCreated(key)])
    const since = NOON + 1
    const page = await copies.read({ ...ALL, since, changes })
    t.same(
      linesOf(page).changed.map(({ storedKey, seenCount }) => [storedKey, seenCount]),
      [
        ['chat:2', 2],
        ['chat:1', 3],
      ],
    )
    t.match(page, { events: 0, hasMore: false, through: { capturedAt: since } })
    t.match(await copies.read({ ...ALL, since, changes: page.changes }), { changes: page.changes, hasMore: false })
  })

  t.test('rows that do not continue the chain are refused, and none is stored', async t => {
    const [from, to] = [await open(t, () => NOON), await open(t)]
    await from.events.record([messageCreated('chat:1'), messageCreated('chat:2')])
    const page = await from.copies.read(ALL)
    const [first, second] = linesOf(page).appended as [CopiedEvent, CopiedEvent]
    const step = { appended: [first, second], changed: [], through: page.through }
    const other = { ...first, body: Buffer.from(Buffer.from(first.body).toString().replace('all green', 'all red')) }
    await t.rejects(to.copies.write({ ...step, appended: [second, first] }), DIFFERS, 'another order')
    await t.rejects(
      to.copies.write({ ...step, appended: [first, { ...second, storedKey: 'chat:1' }] }),
      DIFFERS,
      'a key twice',
    )
    await t.rejects(to.copies.write({ ...step, appended: [other, second] }), DIFFERS, 'another content')
    t.match(await to.events.stats(), { event_count: 0 })
    t.equal(await to.copies.findMark(), null)
    await to.copies.write(step)
    await t.rejects(to.copies.write(step), DIFFERS, 'again')
    await t.rejects(to.copies.write({ ...step, appended: [], changed: [other] }), DIFFERS, 'a changed content')
    t.match(await to.events.stats(), { event_count: 2, duplicate_count: 0 })
  })

  t.test('an event that is larger than the page is reported with its size', async t => {
    const { events, copies } = await open(t, () => NOON)
    await events.record([messageCreated('chat:1', { payload: { text: 'x'.repeat(10_000) } })])
    const page = await copies.read({ ...ALL, maxBytes: 5_000 })
    t.match(page, { events: 0, hasMore: true, through: null })
    t.match(await copies.read({ ...ALL, maxBytes: page.neededBytes ?? 0 }), { events: 1, hasMore: false })
  })

  t.test('an event that was copied before it was erased loses its content, also in the search index', async t => {
    const [from, to] = [await open(t, () => NOON), await open(t)]
    const text = { conversation: { text: 'zebra crossing' } }
    await from.events.record([messageCreated('a', text), messageCreated('b', text), messageCreated('c', text)])
    const [, , original] = linesOf(await from.copies.read(ALL)).appended
    const { changes, head } = await copy(from, to, null)
    await prune(from, '1', NOON)
    await erase(from, '2', [NOON + 2])
    await from.events.record([messageCreated('a'), messageCreated('c')])
    const before = linesOf(await from.copies.read(ALL))
    t.notMatch(JSON.stringify(before.appended.slice(0, 1).map(event => Buffer.from(event.body).toString())), /zebra/)
    await copy(from, to, head?.capturedAt ?? null, { changes })
    t.match(await to.events.query({ order: 'asc', limit: 10, since: 0, search: ['zebra'] }), { count: 1 })
    t.equal(await contentOf(to), await contentOf(from))
    for (const key of ['a', 'b', 'c']) t.same(await readStored(to.events, key), await readStored(from.events, key))
    t.match(await to.events.verify({ since: null, limit: 10 }), { problems: { length: 0 } })
    t.same((await to.events.health()).head, (await from.events.health()).head)
    const third = await open(t)
    await copy(to, third, null)
    t.equal(await contentOf(third), await contentOf(from), 'a copy of the copy is the same')
    await to.copies.write({ appended: [], changed: [original as CopiedEvent], through: null })
    t.equal(await contentOf(to), await contentOf(from), 'a change of before the erasure does not bring anything back')
  })

  t.test('a follower of the original finds in a copy the changes from before the copy', async t => {
    const [from, to, follower] = [await open(t, () => NOON), await open(t), await open(t)]
    await from.events.record([messageCreated('a'), messageCreated('b'), messageCreated('c')])
    const { head } = await copy(from, follower, null)
    await from.events.record([messageCreated('a')])
    await erase(from, '1', [NOON + 1])
    await copy(from, to, null)
    await copy(to, follower, head?.capturedAt ?? null, { changes: 0 })
    t.equal(await contentOf(follower), await contentOf(from))
    const { changed } = linesOf(await to.copies.read({ ...ALL, changes: 0 }))
    t.same(
      changed.map(({ storedKey }) => storedKey),
      ['a', 'b'],
    )
  })

  t.test('copied sources with secrets, feed states and queue position replace the existing ones', async t => {
    const [from, to] = [await open(t), await open(t)]
    const now = '2031-05-04T09:00:00.000000Z'
    const define = (name: string) => ({
      name,
      description: 'Größe \u0000',
      proof: { type: 'none' } as const,
      rules: [],
    })
    const queue = { account: 'https://chat.example.org bot', queue_id: 'q1', last_event_id: 7 }
    const missed = { after: NOON, through: NOON + 7 }
    const through = '2031-05-04T08:59:00.000000Z'
    const promotion = { at: now, epoch: 'the one before', through, digest: 'ab'.repeat(32) }
    await from.copies.writeMovedState({ sources: [], feeds: [], queue: null, missed, promotion })
    await from.sources.save({ definition: define('b'), secrets: ['two "quoted"', 'zwei\n'], now }, 10)
    await from.sources.save({ definition: define('a'), now: '2031-05-04T08:00:00.000000Z' }, 10)
    await from.sources.save({ definition: define('a'), now }, 10)
    for (const body of ['{"failures":1}', '{"failures":2}']) await from.notes.save({ kind: 'feed', name: 'b', body })
    await from.notes.save({ kind: 'deliveries', name: 'all', body: '{}' })
    await from.subscriptions.saveQueueMark(queue)
    await to.sources.save({ definition: define('b'), secrets: ['other'], now }, 10)
    await to.sources.save({ definition: define('gone'), secrets: ['other'], now }, 10)
    await to.notes.save({ kind: 'feed', name: 'gone', body: '{}' })

    const moved = await from.copies.readMovedState()
    const expected: MovedState = {
      sources: [
        { definition: define('a'), secrets: [], created_at: '2031-05-04T08:00:00.000000Z', updated_at: now },
        { definition: define('b'), secrets: ['two "quoted"', 'zwei\n'], created_at: now, updated_at: now },
      ],
      feeds: [{ name: 'b', revision: 2, body: '{"failures":2}' }],
      queue,
      missed,
      promotion,
    }
    t.strictSame(moved, expected)
    t.notMatch(JSON.stringify(await from.copies.readState()), /quoted/, 'followers and exports receive no secret')
    for (const _ of ['once', 'again']) {
      await to.copies.writeMovedState(moved)
      t.strictSame(await to.copies.readMovedState(), expected)
      t.strictSame((await to.copies.findFollow()).promotion, promotion)
    }
    t.equal(await to.sources.find('gone'), undefined)
    t.equal(await to.notes.find('deliveries', 'all'), undefined)
    const none = { sources: [], feeds: [], queue: null, missed: null, promotion: null }
    await to.copies.writeMovedState(none)
    t.strictSame(await to.copies.readMovedState(), none)
  })

  t.test('a copy of a ledger that was promoted before it received records of erasures verifies', async t => {
    const [from, to] = [await open(t, () => NOON), await open(t)]
    await from.events.record([messageCreated('a'), messageCreated('b'), messageCreated('c')])
    await erase(from, '1', [NOON])
    await prune(from, '2', NOON + 1)
    const { appended } = linesOf(await from.copies.read({ ...ALL, limit: 3 }))
    await to.copies.write({ appended, changed: [], through: null })
    const verified = () => to.events.verify({ since: null, limit: 10 })
    t.match(await verified(), { events: 3, problems: { length: 2 } })
    const moved = {
      sources: [],
      feeds: [],
      queue: null,
      missed: { after: NOON + 2, through: NOON + 4 },
      promotion: null,
    }
    await to.copies.writeMovedState(moved)
    t.match(await verified(), { events: 3, problems: { length: 0 } })
    await to.copies.writeMovedState({ ...moved, missed: { after: NOON + 2, through: NOON + 3 } })
    t.match(await verified(), { problems: { length: 2 } }, 'only records that were never copied are missing')
  })

  t.test('an open ledger is closed when it receives the state of a closed one', async t => {
    const { copies, users } = await open(t)
    t.equal(await users.isClosed(), false)
    await copies.writeState({ closed: false })
    t.equal(await users.isClosed(), false)
    await copies.writeState({ closed: true })
    t.equal(await users.isClosed(), true)
  })

  t.test('the mark of an incomplete import is stored', async t => {
    const { copies } = await open(t)
    t.equal(await copies.findMark(), null)
    await copies.saveMark({ epoch: 'e' })
    t.same(await copies.findMark(), { epoch: 'e' })
    await copies.saveMark(null)
    t.equal(await copies.findMark(), null)
  })
}
