import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { Engine } from '../../../../src/store/sqlite/engine.js'
import { Database } from '../../../../src/store/sqlite/files/database.js'
import { candidates } from '../../../../src/store/sqlite/search/event-candidates.js'
import { TextIndex } from '../../../../src/store/sqlite/search/text-index.js'
import { UnindexedFacets } from '../../../../src/store/sqlite/search/unindexed-facets.js'
import { encodeWithoutInstants, packEvents } from '../../../../src/store/sqlite/write/packed-events.js'
import { messageCreated } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'

/** More of those by the robot than one statement lists. */
const EVENTS = 12_000
/** Small, so that a walk meets many segments, with more events of a common word in each than it reads without facets. */
const BOUNDS = { events: 1_000, bytes: 1_000_000, storedBytes: 1_000_000 }
const NOON = 1_800_000_000_000_000

/** Event n of all those for which `n % each === 0` has the value. */
const EACH = { word: { everywhere: 1, often: 3, rarely: 97 }, actor: { robot: 1, ada: 7, grace: 601 } } as const
type Word = keyof (typeof EACH)['word']
type Actor = keyof (typeof EACH)['actor']

const has = (seq: number, each: number) => seq % each === 0
const actorOf = (seq: number): Actor | 'other' =>
  (['grace', 'ada', 'robot'] as const).find(actor => has(seq, EACH.actor[actor])) ?? 'other'
const textOf = (seq: number) => (Object.keys(EACH.word) as Word[]).filter(word => has(seq, EACH.word[word])).join(' ')

t.test('a walk by words and facets misses no event, repeats none and keeps the order, whichever is rarer', async t => {
  const { database, indexes } = recorded(t)
  const oneOf = <Value>(...values: Value[]) => fc.constantFrom(...values)
  const filter = fc.record({
    word: oneOf<Word>('everywhere', 'often', 'rarely'),
    actor: oneOf<Actor>('robot', 'ada', 'grace'),
    order: oneOf('asc' as const, 'desc' as const),
    ends: fc.tuple(fc.integer({ min: 1, max: EVENTS }), fc.integer({ min: 1, max: EVENTS })),
  })
  fc.assert(
    fc.property(filter, ({ word, actor, order, ends }) => {
      const range = { low: Math.min(...ends), high: Math.max(...ends) }
      const query = { order, search: [word], actors: [actor] }
      const walked = [...candidates(database, indexes, query, range)]
      const seqs = walked.flatMap(piece => piece.seqs)
      const step = order === 'asc' ? 1 : -1
      t.ok(seqs.slice(1).every((seq, at) => step * (seq - (seqs[at] as number)) > 0))
      const found = new Set(seqs)
      const matching = all().filter(seq => actorOf(seq) === actor && has(seq, EACH.word[word]))
      const missing = matching.filter(seq => seq >= range.low && seq <= range.high && !found.has(seq))
      t.same(missing, [])
    }),
    { numRuns: 20 },
  )
})

function all(): number[] {
  return Array.from({ length: EVENTS }, (_, at) => at + 1)
}

/** The facets as the store indexes them, and the texts in small segments. */
function recorded(t: Test) {
  const path = join(testFolder(t), 'events.db')
  const engine = new Engine(path)
  const events = all().map(seq => {
    const actor = { id: actorOf(seq), display: '', metadata: {} }
    return messageCreated(String(seq), { actor, conversation: { text: textOf(seq) } })
  })
  engine.commit([{ task: 'events.record', args: [packEvents(events, events.map(encodeWithoutInstants)), NOON] }])
  while (engine.unindexed > 0) engine.advanceIndex(EVENTS)
  engine.close()
  const database = new Database(path, { noun: 'tested', refuseForeign: () => undefined })
  t.teardown(() => database.close())
  const texts = new TextIndex(database, BOUNDS)
  for (const seq of all()) {
    texts.add(textOf(seq), 500)
    texts.store()
  }
  return { database, indexes: { indexedSeq: EVENTS, texts, unindexed: new UnindexedFacets() } }
}
