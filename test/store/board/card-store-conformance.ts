import fc from 'fast-check'
import type { Test } from 'tap'
import type { Card } from '../../../src/model/board/card.js'
import type { CardStore } from '../../../src/store/card-store.js'
import { ADA } from '../../board/actor.js'
import type { OpenBoardStore } from './open-board-store.js'

const AT = '2031-05-04T09:00:00.000000Z'
const LATER = '2031-05-04T10:00:00.000000Z'
const MAX = 5_000
const COLUMNS = ['backlog', 'doing', 'done']

function cardWith(id: string, members: Partial<Card> = {}): Omit<Card, 'rank' | 'version'> {
  const made = { id, title: id, body: '', column: 'backlog', labels: [], assignee: null, links: [] }
  return { ...made, created_at: AT, updated_at: AT, ...members }
}

/** Ids in the order of their ranks. */
async function standing(cards: CardStore, column: string): Promise<string[]> {
  const { items } = await cards.list({ column }, { limit: MAX, after: 0 })
  const ranks = items.map(({ rank }) => rank)
  if (new Set(ranks).size !== ranks.length) throw new Error('Two cards of a column have one rank')
  return items.sort((one, other) => one.rank - other.rank).map(({ id }) => id)
}

/**
 * Tests of cards for every engine.
 *
 * @param examples how many sequences of moves are tried
 */
export function cardStoreConformance(t: Test, open: OpenBoardStore, examples: number): void {
  t.test('a card is stored with all its members', async t => {
    const { cards } = await open(t)
    const full = cardWith('card_1', {
      title: 'Rotate the keys 🔑',
      body: '# Why\n\n"quoted" \\ and \u2028 odd',
      labels: ['security', 'ключи'],
      assignee: 'ada',
      links: ['chat:a/b:1', 'code_a:pull_request:7'],
    })
    const made = await cards.create(full, { max: MAX, by: ADA })
    t.same(made, { ...full, rank: 1, version: 1 })
    t.same(await cards.find('card_1'), made)
    t.equal(await cards.count(), 1)
    for (const unknown of ['card_2', '', 'card_1\0', '\ud800']) t.equal(await cards.find(unknown), undefined)
  })

  t.test('a change increases the version, and a save without a change does not', async t => {
    const { cards } = await open(t)
    await cards.create(cardWith('card_1'), { max: MAX, by: ADA })
    const changed = await cards.update('card_1', { labels: ['a'] }, { updatedAt: LATER, by: ADA })
    t.match(changed, { version: 2, labels: ['a'], updated_at: LATER, created_at: AT })
    t.same(await cards.update('card_1', { labels: ['a'], title: 'card_1' }, { updatedAt: AT, by: ADA }), changed)
    t.match(await cards.update('card_1', { column: 'doing' }, { updatedAt: LATER, by: ADA }), {
      version: 3,
      column: 'doing',
    })
    t.equal(await cards.update('card_2', { title: 'x' }, { updatedAt: LATER, by: ADA }), undefined)
  })

  t.test('a move within the column does not increase the version', async t => {
    const { cards } = await open(t)
    for (const id of ['a', 'b', 'c']) await cards.create(cardWith(id), { max: MAX, by: ADA })
    const moved = await cards.update('c', { position: 0 }, { updatedAt: LATER, by: ADA })
    t.match(moved, { version: 1, updated_at: AT })
    t.same(await standing(cards, 'backlog'), ['c', 'a', 'b'])
    t.same(await cards.update('c', { position: 0 }, { updatedAt: LATER, by: ADA }), moved)
  })

  t.test('a change or a deletion with another version is refused', async t => {
    const { cards } = await open(t)
    await cards.create(cardWith('card_1'), { max: MAX, by: ADA })
    await cards.update('card_1', { title: 'second' }, { updatedAt: LATER, by: ADA })
    const refused = { category: 'outdated', code: 'version_conflict', message: /version 2 now/ }
    await t.rejects(cards.update('card_1', { title: 'third' }, { version: 1, updatedAt: LATER, by: ADA }), refused)
    await t.rejects(cards.delete('card_1', { version: 3, deletedAt: AT, by: ADA }), refused)
    t.match(await cards.find('card_1'), { title: 'second', version: 2 })
    t.equal(await cards.delete('card_1', { version: 2, deletedAt: AT, by: ADA }), true)
    t.equal(await cards.delete('card_1', { deletedAt: AT, by: ADA }), false)
  })

  t.test('filters match exactly, and can be combined', async t => {
    const { cards } = await open(t)
    const make = (id: string, members: Partial<Card>) => cards.create(cardWith(id, members), { max: MAX, by: ADA })
    await make('a', { labels: ['x', 'y'], links: ['k:1'], assignee: 'ada' })
    await make('b', { labels: ['x%', '"x"'], links: ['k:12'], column: 'doing' })
    await make('c', { labels: ['X'], assignee: 'Ada', column: 'doing' })
    const ids = async (filter: object) => (await cards.list(filter, { limit: MAX, after: 0 })).items.map(({ id }) => id)
    t.same(await ids({}), ['a', 'b', 'c'])
    t.same(await ids({ label: 'x' }), ['a'])
    t.same(await ids({ label: '"x"' }), ['b'])
    t.same(await ids({ link: 'k:1' }), ['a'])
    t.same(await ids({ assignee: 'ada' }), ['a'])
    t.same(await ids({ column: 'doing', label: 'X' }), ['c'])
    for (const label of ['', "' OR 1=1 --", 'x\0', '\ud800', '1']) t.same(await ids({ label }), [])
  })

  t.test('pages have every card once, even if others are created and deleted between them', async t => {
    const { cards } = await open(t)
    for (let n = 0; n < 5; n++) await cards.create(cardWith(`card_${n}`), { max: MAX, by: ADA })
    const first = await cards.list({}, { limit: 2, after: 0 })
    t.same(
      first.items.map(({ id }) => id),
      ['card_0', 'card_1'],
    )
    await cards.delete('card_1', { deletedAt: AT, by: ADA })
    await cards.delete('card_4', { deletedAt: AT, by: ADA })
    await cards.create(cardWith('card_5'), { max: MAX, by: ADA })
    const second = await cards.list({}, { limit: 2, after: first.next ?? -1 })
    t.same(
      second.items.map(({ id }) => id),
      ['card_2', 'card_3'],
    )
    const third = await cards.list({}, { limit: 2, after: second.next ?? -1 })
    t.match({ ids: third.items.map(({ id }) => id), next: third.next }, { ids: ['card_5'], next: null })
  })

  t.test('a full board refuses further cards', async t => {
    const { cards } = await open(t)
    for (const id of ['a', 'b']) await cards.create(cardWith(id), { max: 2, by: ADA })
    await t.rejects(cards.create(cardWith('c'), { max: 2, by: ADA }), { category: 'conflict', code: 'board_full' })
    await cards.delete('a', { deletedAt: AT, by: ADA })
    await cards.create(cardWith('c'), { max: 2, by: ADA })
    t.equal(await cards.count(), 2)
  })

  t.test('cards can be inserted repeatedly between the same two cards', async t => {
    const { cards } = await open(t)
    for (const id of ['first', 'last']) await cards.create(cardWith(id), { max: MAX, by: ADA })
    const between = Array.from({ length: 80 }, (_, n) => `card_${n}`)
    for (const id of between) await cards.create(cardWith(id), { position: 1, max: MAX, by: ADA })
    t.same(await standing(cards, 'backlog'), ['first', ...between.reverse(), 'last'])
  })

  t.test('moves give the same order as in a list', async t => {
    const place = fc.oneof(fc.nat(8), fc.constantFrom(undefined, 0, 1, Number.MAX_SAFE_INTEGER))
    const move = fc.record({ card: fc.nat(7), column: fc.nat(2), position: place })
    const { cards } = await open(t)
    let tried = 0
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 60 }), async moves => {
        // Columns of their own, on the same board.
        const columns = COLUMNS.map(column => `${column}_${tried}`)
        const model = new Map<string, string[]>(columns.map(column => [column, []]))
        const made = tried++
        for (const { card, column: at, position } of moves) {
          const column = columns[at] ?? ''
          const id = `card_${made}_${card}`
          const from = (await cards.find(id))?.column
          const options = position === undefined ? {} : { position }
          if (from === undefined) await cards.create(cardWith(id, { column }), { ...options, max: MAX, by: ADA })
          else await cards.update(id, { column, ...options }, { updatedAt: LATER, by: ADA })
          if (from === column && position === undefined) continue
          for (const ids of model.values()) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1)
          const ids = model.get(column) ?? []
          ids.splice(position ?? ids.length, 0, id)
        }
        for (const column of columns) {
          if ((await standing(cards, column)).join() !== model.get(column)?.join()) return false
        }
        return true
      }),
      { numRuns: examples },
    )
  })
}
