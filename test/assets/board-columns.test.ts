import fc from 'fast-check'
import t from 'tap'
import { arrange, columnTitle, narrow, placeAt, step, walk } from '../../assets/board/columns/columns.js'
import type { Card } from '../../src/model/board/card.js'

const NAMES = ['backlog', 'doing', 'done']

function card(id: string, column: string, rank: number): Card {
  const at = '2026-11-20T13:00:00.000000Z'
  return {
    id,
    title: id,
    body: '',
    column,
    labels: [],
    assignee: null,
    links: [],
    rank,
    version: 1,
    created_at: at,
    updated_at: at,
  }
}

const CARDS = [card('b', 'backlog', 2), card('a', 'backlog', 1), card('c', 'backlog', 3), card('x', 'done', 1)]
const shape = (columns: ReturnType<typeof arrange>) =>
  columns.map(({ name, cards }) => `${name}: ${cards.map(({ id }) => id).join(' ')}`)

t.test('cards are ordered by rank; a removed column is shown last as long as it has cards', async t => {
  t.same(shape(arrange(CARDS, NAMES)), ['backlog: a b c', 'doing: ', 'done: x'])
  const columns = arrange([...CARDS, card('o', 'old', 1)], NAMES)
  t.same(shape(columns).at(-1), 'old: o')
  t.equal(columns.at(-1)?.isKnown, false)
})

t.test('moves that the server has not confirmed yet are shown in their order', async t => {
  const moves = [
    { id: 'a', column: 'doing', position: 0 },
    { id: 'c', column: 'backlog', position: 0 },
    { id: 'x', column: 'doing', position: 1 },
    { id: 'gone', column: 'done', position: 0 },
    { id: 'a', column: 'nowhere', position: 0 },
  ]
  const columns = arrange(CARDS, NAMES, moves)
  t.same(shape(columns), ['backlog: c b', 'doing: a x', 'done: '])
  t.equal(columns[1]?.cards[0]?.column, 'doing')
})

t.test('the arrow keys move the selection across the columns, and skip empty ones', async t => {
  const columns = arrange(CARDS, NAMES)
  t.equal(walk(columns, undefined, 'down'), 'a')
  t.equal(walk(columns, 'gone', 'left'), 'a')
  t.equal(walk(columns, 'a', 'down'), 'b')
  t.equal(walk(columns, 'a', 'up'), undefined)
  t.equal(walk(columns, 'c', 'right'), 'x', 'the last of a shorter column')
  t.equal(walk(columns, 'x', 'left'), 'a')
  t.equal(walk([], 'x', 'left'), undefined)
})

t.test('a step moves a card past a visible card, and its position also counts the hidden ones', async t => {
  const all = arrange(CARDS, NAMES)
  t.same(step({ shown: all, all }, 'a', 'down'), { column: 'backlog', position: 1 })
  t.same(step({ shown: all, all }, 'c', 'right'), { column: 'doing', position: 0 })
  t.same(step({ shown: all, all }, 'b', 'up'), { column: 'backlog', position: 0 })
  t.equal(step({ shown: all, all }, 'x', 'right'), undefined)
  t.equal(step({ shown: all, all }, 'c', 'down'), undefined)
  const shown = narrow(all, ({ id }) => id !== 'b')
  t.same(step({ shown, all }, 'a', 'down'), { column: 'backlog', position: 2 }, 'behind c, and so behind b')
})

t.test('a card in a removed column moves only to an existing column', async t => {
  const all = arrange([...CARDS, card('o', 'old', 1), card('p', 'old', 2)], NAMES)
  t.equal(step({ shown: all, all }, 'o', 'down'), undefined)
  t.equal(step({ shown: all, all }, 'x', 'right'), undefined)
  t.same(step({ shown: all, all }, 'o', 'left'), { column: 'done', position: 0 })
})

t.test('a card that is dropped among the visible cards is shown in that place', async () => {
  const cards = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.boolean()), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.property(cards, fc.nat(), fc.nat(2), fc.nat(12), (given, which, columnAt, wanted) => {
      const made = given.map(([column], at) => card(`card${at}`, column, at))
      const id = made[which % made.length]?.id ?? ''
      const isShown = (other: Card) => other.id === id || given[Number(other.id.slice(4))]?.[1] === true
      const all = arrange(made, NAMES)
      const column = NAMES[columnAt] ?? ''
      const shown = narrow(all, isShown)
      const others = shown[columnAt]?.cards.filter(other => other.id !== id).length ?? 0
      const index = Math.min(wanted, others)
      const place = placeAt({ shown, all }, id, { column, index })
      const after = narrow(arrange(made, NAMES, [{ id, ...place }]), isShown)
      return after[columnAt]?.cards[index]?.id === id
    }),
  )
})

t.test('the title of a column is its name in words', async t => {
  t.equal(columnTitle('in-review_now'), 'In review now')
})
