import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Card } from '../../../../src/model/board/card.js'
import { openBoardDatabase } from '../../../../src/store/sqlite/board/board-database.js'
import { ADA } from '../../../board/actor.js'
import { testFolder } from '../../../support/test-folder.js'

const AT = '2031-05-04T09:00:00.000000Z'
const LATER = '2031-05-04T10:00:00.000000Z'
const MAX = 5_000
const COLUMNS = ['backlog', 'doing', 'done']

function openStore(t: Test) {
  const path = join(testFolder(t), 'board.sqlite3')
  const database = openBoardDatabase(path)
  t.teardown(() => database.close())
  return database.cards
}

function cardWith(id: string, members: Partial<Card> = {}): Omit<Card, 'rank' | 'version'> {
  const made = { id, title: id, body: '', column: 'backlog', labels: [], assignee: null, links: [] }
  return { ...made, created_at: AT, updated_at: AT, ...members }
}

type Cards = ReturnType<typeof openStore>

/** Ids in the order of their ranks. */
function standing(cards: Cards, column: string): string[] {
  const { items } = cards.list({ column }, { limit: MAX, after: 0 })
  const ranks = items.map(({ rank }) => rank)
  if (new Set(ranks).size !== ranks.length) throw new Error('Two cards of a column have one rank')
  return items.sort((one, other) => one.rank - other.rank).map(({ id }) => id)
}

t.test('a card is kept with all of its members', async t => {
  const cards = openStore(t)
  const full = cardWith('card_1', {
    title: 'Rotate the keys 🔑',
    body: '# Why\n\n"quoted" \\ and \u2028 odd',
    labels: ['security', 'ключи'],
    assignee: 'ada',
    links: ['chat:a/b:1', 'code_a:pull_request:7'],
  })
  const made = cards.create(full, { max: MAX, by: ADA })
  t.same(made, { ...full, rank: 1, version: 1 })
  t.same(cards.find('card_1'), made)
  t.equal(cards.count(), 1)
  for (const unknown of ['card_2', '', 'card_1\0', '\ud800']) t.equal(cards.find(unknown), undefined)
})

t.test('a change raises the version, and what changes nothing does not', async t => {
  const cards = openStore(t)
  cards.create(cardWith('card_1'), { max: MAX, by: ADA })
  const changed = cards.update('card_1', { labels: ['a'] }, { updatedAt: LATER, by: ADA })
  t.match(changed, { version: 2, labels: ['a'], updated_at: LATER, created_at: AT })
  t.same(cards.update('card_1', { labels: ['a'], title: 'card_1' }, { updatedAt: AT, by: ADA }), changed)
  t.match(cards.update('card_1', { column: 'doing' }, { updatedAt: LATER, by: ADA }), { version: 3, column: 'doing' })
  t.equal(cards.update('card_2', { title: 'x' }, { updatedAt: LATER, by: ADA }), undefined)
})

t.test('the place of a card in its column is no part of its version', async t => {
  const cards = openStore(t)
  for (const id of ['a', 'b', 'c']) cards.create(cardWith(id), { max: MAX, by: ADA })
  const moved = cards.update('c', { position: 0 }, { updatedAt: LATER, by: ADA })
  t.match(moved, { version: 1, updated_at: AT })
  t.same(standing(cards, 'backlog'), ['c', 'a', 'b'])
  t.same(cards.update('c', { position: 0 }, { updatedAt: LATER, by: ADA }), moved)
})

t.test('a change of another version is refused, and so is a deletion', async t => {
  const cards = openStore(t)
  cards.create(cardWith('card_1'), { max: MAX, by: ADA })
  cards.update('card_1', { title: 'second' }, { updatedAt: LATER, by: ADA })
  const refused = { category: 'outdated', code: 'version_conflict', message: /version 2 now/ }
  t.throws(() => cards.update('card_1', { title: 'third' }, { version: 1, updatedAt: LATER, by: ADA }), refused)
  t.throws(() => cards.delete('card_1', { version: 3, deletedAt: AT, by: ADA }), refused)
  t.match(cards.find('card_1'), { title: 'second', version: 2 })
  t.equal(cards.delete('card_1', { version: 2, deletedAt: AT, by: ADA }), true)
  t.equal(cards.delete('card_1', { deletedAt: AT, by: ADA }), false)
})

t.test('filters find what fits exactly, and combine', async t => {
  const cards = openStore(t)
  const make = (id: string, members: Partial<Card>) => cards.create(cardWith(id, members), { max: MAX, by: ADA })
  make('a', { labels: ['x', 'y'], links: ['k:1'], assignee: 'ada' })
  make('b', { labels: ['x%', '"x"'], links: ['k:12'], column: 'doing' })
  make('c', { labels: ['X'], assignee: 'Ada', column: 'doing' })
  const ids = (filter: object) => cards.list(filter, { limit: MAX, after: 0 }).items.map(({ id }) => id)
  t.same(ids({}), ['a', 'b', 'c'])
  t.same(ids({ label: 'x' }), ['a'])
  t.same(ids({ label: '"x"' }), ['b'])
  t.same(ids({ link: 'k:1' }), ['a'])
  t.same(ids({ assignee: 'ada' }), ['a'])
  t.same(ids({ column: 'doing', label: 'X' }), ['c'])
  for (const label of ['', "' OR 1=1 --", 'x\0', '\ud800', '1']) t.same(ids({ label }), [])
})

t.test('pages show every card once, although others are created and deleted between them', async t => {
  const cards = openStore(t)
  for (let n = 0; n < 5; n++) cards.create(cardWith(`card_${n}`), { max: MAX, by: ADA })
  const first = cards.list({}, { limit: 2, after: 0 })
  t.same(
    first.items.map(({ id }) => id),
    ['card_0', 'card_1'],
  )
  cards.delete('card_1', { deletedAt: AT, by: ADA })
  cards.delete('card_4', { deletedAt: AT, by: ADA })
  cards.create(cardWith('card_5'), { max: MAX, by: ADA })
  const second = cards.list({}, { limit: 2, after: first.next ?? -1 })
  t.same(
    second.items.map(({ id }) => id),
    ['card_2', 'card_3'],
  )
  const third = cards.list({}, { limit: 2, after: second.next ?? -1 })
  t.match({ ids: third.items.map(({ id }) => id), next: third.next }, { ids: ['card_5'], next: null })
})

t.test('a full board refuses further cards', async t => {
  const cards = openStore(t)
  for (const id of ['a', 'b']) cards.create(cardWith(id), { max: 2, by: ADA })
  t.throws(() => cards.create(cardWith('c'), { max: 2, by: ADA }), { category: 'conflict', code: 'board_full' })
  cards.delete('a', { deletedAt: AT, by: ADA })
  cards.create(cardWith('c'), { max: 2, by: ADA })
  t.equal(cards.count(), 2)
})

t.test('a place is found again and again between the same two cards', async t => {
  const cards = openStore(t)
  for (const id of ['first', 'last']) cards.create(cardWith(id), { max: MAX, by: ADA })
  const between = Array.from({ length: 200 }, (_, n) => `card_${n}`)
  for (const id of between) cards.create(cardWith(id), { position: 1, max: MAX, by: ADA })
  t.same(standing(cards, 'backlog'), ['first', ...between.reverse(), 'last'])
})

t.test('any moves give the order that they give in a list', async t => {
  const place = fc.oneof(fc.nat(8), fc.constantFrom(undefined, 0, 1, Number.MAX_SAFE_INTEGER))
  const move = fc.record({ card: fc.nat(7), column: fc.constantFrom(...COLUMNS), position: place })
  let run = 0
  const folder = testFolder(t)
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), moves => {
      const database = openBoardDatabase(join(folder, `board-${run++}.sqlite3`))
      try {
        const { cards } = database
        const model = new Map<string, string[]>(COLUMNS.map(column => [column, []]))
        for (const { card, column, position } of moves) {
          const id = `card_${card}`
          const from = cards.find(id)?.column
          const options = position === undefined ? {} : { position }
          if (from === undefined) cards.create(cardWith(id, { column }), { ...options, max: MAX, by: ADA })
          else cards.update(id, { column, ...options }, { updatedAt: LATER, by: ADA })
          if (from === column && position === undefined) continue
          for (const ids of model.values()) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1)
          const ids = model.get(column) ?? []
          ids.splice(position ?? ids.length, 0, id)
        }
        for (const column of COLUMNS) {
          if (standing(cards, column).join() !== model.get(column)?.join()) return false
        }
        return true
      } finally {
        database.close()
      }
    }),
    { numRuns: 60 },
  )
})
