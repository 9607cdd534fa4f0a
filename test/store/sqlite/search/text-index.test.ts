import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { foldCase } from '../../../../src/model/events/search.js'
import { Database } from '../../../../src/store/sqlite/files/database.js'
import { TextIndex, termLookup } from '../../../../src/store/sqlite/search/text-index.js'
import { LEDGER_MIGRATIONS } from '../../../../src/store/sqlite/upgrade/ledger-migrations.js'
import { migrate } from '../../../../src/store/sqlite/upgrade/migrate.js'
import { testFolder } from '../../../support/test-folder.js'

/** Small, so that a few events fill segments, and a segment takes several batches to store. */
const BOUNDS = { events: 5, bytes: 100_000, storedBytes: 1_000 }

/** Letters of several lengths in UTF-8, and halves of surrogate pairs. */
const character = fc.constantFrom('a', 'b', 'Ä', 'ß', ' ', '\n', '日', '本', '😀', '😁', '\ud83d', '\ude00')
const words = fc.array(character, { maxLength: 12 }).map(each => foldCase(each.join('')))
const longWords = fc.tuple(words, fc.nat(20_000)).map(([text, times]) => `${text}${text.slice(0, 3).repeat(times / 3)}`)
const event = fc.record({
  text: fc.option(fc.oneof({ weight: 9, arbitrary: words }, longWords), { nil: undefined }),
  bodyBytes: fc.integer({ min: 0, max: 100_000 }),
})
const step = fc.oneof(
  { weight: 12, arbitrary: event.map(added => ({ step: 'add' as const, added })) },
  { weight: 3, arbitrary: fc.constant({ step: 'store' as const }) },
  { weight: 1, arbitrary: fc.constant({ step: 'fail to store' as const }) },
  { weight: 1, arbitrary: fc.constant({ step: 'restart' as const }) },
)

t.test(
  'a search finds every text with all terms, in each state of its segment, after failures and restarts',
  async t => {
    const open = opener(t)
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.array(words, { minLength: 1, maxLength: 3 }),
        (steps, terms) => {
          const database = open()
          let index = new TextIndex(database, BOUNDS)
          const events: { text: string | undefined; bodyBytes: number }[] = []
          for (const next of steps) {
            if (next.step === 'add') {
              events.push(next.added)
              index.add(next.added.text, next.added.bodyBytes)
            } else if (next.step === 'store') index.store()
            else if (next.step === 'fail to store') failToStore(database, index)
            else {
              index = new TextIndex(database, BOUNDS)
              for (const { text, bodyBytes } of events.slice(index.through)) index.add(text, bodyBytes)
            }
          }
          const isFound = (seq: number, found: number[]) => found.includes(seq) || events[seq - 1]?.text === undefined
          const searched = [terms, ...terms.map(term => [term]), ...partsOf(events.map(({ text }) => text ?? ''))]
          for (const each of searched) {
            const found = find(index, each)
            const expected = [...events.keys()].filter(at => each.every(term => events[at]?.text?.includes(term)))
            if (found && !expected.every(at => isFound(at + 1, found))) return false
          }
          database.close()
          return index.through === events.length
        },
      ),
      { numRuns: 60 },
    )
  },
)

t.test('hardly any signature matches a word, two letters or two CJK characters that no text has', async t => {
  const index = new TextIndex(opener(t)())
  for (let at = 0; at < 2_000; at++) {
    const text = `the deploy of release ${at} to cluster ${at % 7} is ready\n部署 完成 ${at}`
    index.add(text, 900)
  }
  for (const absent of ['zugzwang', 'zz', '鲸鱼', 'release 4213371']) {
    t.ok((find(index, [absent])?.length ?? 2_000) < 20, absent)
  }
  t.equal(find(index, ['release', 'ready'])?.length, 2_000)
  t.ok(find(index, ['release 1234'])?.includes(1_235))
})

t.test('no signature matches a removed text, even if its segment is stored during the removal', async t => {
  const open = opener(t)
  for (const added of [5, 6]) {
    let isDone = false
    for (let pieces = 0; !isDone; pieces++) {
      const database = open()
      const index = new TextIndex(database, BOUNDS)
      for (let seq = 1; seq <= added; seq++) index.add(seq === 2 ? 'zebra' : 'giraffe', seq * 1_000)
      index.store()
      const removal = index.forget([2])
      for (let piece = 0; piece < pieces && !isDone; piece++) isDone = removal.next().done === true
      if (added === 5) index.add('giraffe', 1_000)
      const storeAll = () => {
        for (let batch = 0; batch < 100; batch++) index.store()
      }
      storeAll()
      while (!removal.next().done) {
        // The rest of the work.
      }
      storeAll()
      for (const each of [index, new TextIndex(database, BOUNDS)]) {
        t.same(find(each, ['zebra']), [], `stored after ${pieces} pieces of work`)
        t.same(find(each, ['giraffe'])?.slice(0, 4), [1, 3, 4, 5], 'the others are found')
      }
    }
  }
})

t.test('a search for an empty term reads every event', t => {
  t.equal(termLookup(['']), undefined)
  t.end()
})

function opener(t: Test): () => Database {
  const folder = testFolder(t)
  let opened = 0
  return () => {
    const database = new Database(join(folder, `${opened++}.db`), { noun: 'tested', refuseForeign: () => undefined })
    t.teardown(() => database.close())
    migrate(database, { noun: 'tested', steps: LEDGER_MIGRATIONS })
    return database
  }
}

function find(index: TextIndex, terms: readonly string[]): number[] | undefined {
  const lookup = termLookup(terms)
  return lookup && index.segments.flatMap(lookup)
}

/** Two pieces of each text, which do not respect characters. */
function partsOf(texts: readonly string[]): string[][] {
  return texts.filter(text => text.length > 3).map(text => [text.slice(1, 4), text.slice(-2)])
}

function failToStore(database: Database, index: TextIndex): void {
  const { run } = database
  let left = 2
  database.run = (...args: Parameters<typeof run>) => {
    if (left-- > 0) return run.apply(database, args)
    throw new Error('the disk is full')
  }
  try {
    index.store()
  } catch (error) {
    if ((error as Error).message !== 'the disk is full') throw error
  } finally {
    database.run = run
  }
}
