import { setImmediate as turn } from 'node:timers/promises'
import type { Step } from '../demo/stories/story.js'
import { Ledger } from '../ledger/ledger.js'
import type { Micros } from '../model/timestamp.js'
import { openSqliteStore } from '../store/sqlite/store.js'

/** The parts of a ledger that a demo writes to. */
export type DemoLedger = Pick<Ledger, 'record' | 'saveSubscription' | 'recordCaptured' | 'noteCapture'>

/**
 * So many steps go to the store in a row: it then has many to write at once. Each is a group of its own, as each has an
 * instant of its own.
 */
const BATCH = 128

/**
 * Makes a ledger file with a history. The ledger alone says when it captured an event, so it is opened with a clock that
 * goes through the past.
 *
 * @param path of a file that is not there yet, in a folder of ours
 */
export async function fillDemoLedger(path: string, history: Iterable<Step>): Promise<void> {
  let now: Micros = 0
  const clock = () => now
  // Whatever waits for a store that has failed is refused, so that is where it is told.
  const store = await openSqliteStore({ path, clock, groupsUnderWay: BATCH, onFailure: () => undefined })
  try {
    const ledger = await Ledger.open({ store, clock, newSubscriptionId: unnamedSubscription })
    let underWay: Promise<unknown> = Promise.resolve()
    for (const steps of inBatches(history)) {
      await underWay
      const taken: Promise<void>[] = []
      for (const step of steps) {
        now = step.at
        const told = takeStep(ledger, step)
        told.catch(() => undefined) // it is told where all of them are waited for
        taken.push(told)
        // The store looks at the clock when it sends what this turn has brought.
        await turn()
      }
      underWay = Promise.all(taken)
      underWay.catch(() => undefined) // and so is this
    }
    await underWay
  } finally {
    await store.close()
  }
}

/** Tells the ledger what happened. */
export async function takeStep(ledger: DemoLedger, step: Step): Promise<void> {
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

/** What is saved stands alone: the ledger looks at the clock for it later, and what follows is matched with it. */
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
