import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Cards } from '../../board/cards.js'
import type { DemoCard } from '../../demo/cards.js'
import type { Step } from '../../demo/stories/story.js'
import { Ledger } from '../../ledger/ledger.js'
import type { Micros } from '../../model/timestamp.js'
import { openBoardDatabase } from '../../store/sqlite/board/board-database.js'
import { openSqliteStore } from '../../store/sqlite/store.js'
import { asyncStore } from '../../store/sqlite/thread/task.js'

/** The parts of a ledger that a demo writes to. */
export type DemoLedger = Pick<Ledger, 'record' | 'saveSubscription' | 'recordCaptured' | 'noteCapture'>

/** Steps that are sent to the store together. Each is a group of its own, because it has its own instant. */
const BATCH = 128

/**
 * Creates a ledger file with a history. The ledger itself sets `captured_at`, so it is opened with a clock that runs
 * through the past.
 *
 * @param path of a file that does not exist yet, in a private folder
 */
export async function fillDemoLedger(path: string, history: Iterable<Step>): Promise<void> {
  let now: Micros = 0
  const clock = () => now
  // A failed store refuses every waiting step, which reports the failure.
  const store = await openSqliteStore({ path, clock, groupsInProgress: BATCH, onFailure: () => undefined })
  try {
    const ledger = await Ledger.open({ store, clock, newSubscriptionId: unnamedSubscription })
    let inProgress: Promise<unknown> = Promise.resolve()
    for (const steps of inBatches(history)) {
      await inProgress
      const recorded: Promise<void>[] = []
      for (const step of steps) {
        now = step.at
        const done = recordStep(ledger, step)
        done.catch(() => undefined) // reported by `Promise.all` below
        recorded.push(done)
        // The store reads the clock when it sends the steps of this turn.
        await nextTurn()
      }
      inProgress = Promise.all(recorded)
      inProgress.catch(() => undefined) // reported where it is awaited
    }
    await inProgress
  } finally {
    await store.close()
  }
}

/** Applies one step of the story to the ledger. */
export async function recordStep(ledger: DemoLedger, step: Step): Promise<void> {
  switch (step.does) {
    case 'record':
      await ledger.record(step.deliveries)
      break
    case 'save':
      await ledger.saveSubscription(step.subscription)
      break
    case 'capture':
      await ledger.recordCaptured(step.id, step.page)
      break
    case 'note':
      await ledger.noteCapture(step.id, step.changes)
  }
}

/** A saved subscription is a batch of its own: the ledger reads the clock later, and matches later events with it. */
function* inBatches(history: Iterable<Step>): Generator<Step[]> {
  let batch: Step[] = []
  for (const step of history) {
    if (batch.length === BATCH || (step.does === 'save' && batch.length > 0)) {
      yield batch
      batch = []
    }
    batch.push(step)
    if (step.does !== 'save') continue
    yield batch
    batch = []
  }
  yield batch
}

function unnamedSubscription(): string {
  throw new Error('Every subscription of the demo has an id.')
}

/**
 * Creates a board with cards.
 *
 * @param path of a file that does not exist yet, in a private folder
 * @param ends latest time of a card
 */
export async function fillDemoBoard(
  path: string,
  { cards, columns, ends }: { cards: readonly DemoCard[]; columns: readonly string[]; ends: number },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const database = openBoardDatabase(path)
  try {
    let made = 0
    let now = 0
    const board = new Cards({
      store: asyncStore(database.cards),
      history: asyncStore(database.history),
      columns,
      now: () => now,
      newCardId: () => `card_demo_${++made}`,
    })
    for (const { at, card } of cards) {
      now = Math.min(at, ends)
      await board.create(card, { kind: 'open', name: null })
    }
  } finally {
    database.close()
  }
}
