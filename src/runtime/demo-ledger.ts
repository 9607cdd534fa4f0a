import { setImmediate as turn } from 'node:timers/promises'
import type { Step } from '../demo/story.js'
import { Ledger } from '../ledger/ledger.js'
import type { NewEvent } from '../model/event.js'
import type { Micros } from '../model/timestamp.js'
import { openSqliteStore } from '../store/sqlite/store.js'

/** The parts of a ledger that a demo writes to. */
export type DemoLedger = Pick<Ledger, 'record' | 'saveSubscription' | 'recordCaptured' | 'noteCapture'>

/** So many deliveries may be on their way, fewer than the store gathers into one group: each keeps its own instant. */
const UNDER_WAY = 6

/**
 * Makes a ledger file with a history. The ledger alone says when it captured an event, so it is opened with a clock that
 * goes through the past.
 *
 * @param path of a file that is not there yet, in a folder of ours
 * @returns the events, in order
 */
export async function fillDemoLedger(path: string, history: Iterable<Step>): Promise<NewEvent[]> {
  let now: Micros = 0
  const clock = () => now
  // Whatever waits for a store that has failed is refused, so that is where it is told.
  const store = await openSqliteStore({ path, clock, onFailure: () => undefined })
  const events: NewEvent[] = []
  try {
    const ledger = await Ledger.open({ store, clock, newSubscriptionId: unnamedSubscription })
    const underWay: Promise<void>[] = []
    for (const step of history) {
      // What is not recorded reads what is, and is looked at by what comes.
      const most = step.does === 'record' ? UNDER_WAY - 1 : 0
      while (underWay.length > most) await underWay.shift()
      now = step.at
      if (step.does === 'record') events.push(...step.deliveries.map(({ event }) => event))
      const taken = takeStep(ledger, step)
      taken.catch(() => undefined) // it is told where it is waited for
      if (step.does === 'record') underWay.push(taken)
      else await taken
      // The store looks at the clock when it sends what this turn has brought.
      await turn()
    }
    await Promise.all(underWay)
  } finally {
    await store.close()
  }
  return events
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

function unnamedSubscription(): string {
  throw new Error('Every subscription of the demo has an id.')
}
