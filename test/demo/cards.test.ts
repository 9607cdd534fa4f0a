import t from 'tap'
import { readCard } from '../../src/board/read-card.js'
import { CardNotes } from '../../src/demo/cards.js'
import { Company } from '../../src/demo/company.js'
import { DEFAULT_COLUMNS } from '../../src/model/board/card.js'

const NOON = Date.UTC(2026, 10, 20, 12) * 1000

t.test('every card links to an event of the history and fits on a board, and every column has cards', async t => {
  const notes = new CardNotes()
  const keys = new Set<string>()
  for (const step of new Company({ seed: 4_711, ends: NOON }).history()) {
    notes.note(step)
    if (step.does === 'record') for (const { event } of step.deliveries) keys.add(event.dedupe_key)
  }
  const cards = notes.cards()
  for (const { card } of cards) {
    t.ok(readCard(card, DEFAULT_COLUMNS))
    t.ok(
      card.links?.every(link => keys.has(link)),
      card.title,
    )
  }
  t.same([...new Set(cards.map(({ card }) => card.column))].sort(), [...DEFAULT_COLUMNS].sort())
  t.same(
    cards.map(({ at }) => at),
    cards.map(({ at }) => at).sort((left, right) => left - right),
  )
})

t.test('without a history, there are no cards', async t => t.same(new CardNotes().cards(), []))
