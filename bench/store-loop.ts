import { join } from 'node:path'
import { readEvent } from '../src/ledger/read-event.js'
import type { NewEvent } from '../src/model/events/event.js'
import type { EventToRecord } from '../src/store/event-store.js'
import { openSqliteStore } from '../src/store/sqlite/store.js'
import { EventMaker } from './events.js'

/** Number of different batches that are created before the start. Later batches differ from them only in their keys. */
const DIFFERENT_BATCHES = 40

interface LoopPlan {
  batches: number
  /** Number of events in each batch. */
  size: number
  /** Number of batches that wait for the store at a time. */
  inProgress: number
}

/** Records batches in a new store, without a server. @returns milliseconds from the start to the end of each batch */
export async function recordInLoop(folder: string, { batches, size, inProgress }: LoopPlan): Promise<number[]> {
  const maker = new EventMaker()
  const made = Array.from({ length: Math.min(DIFFERENT_BATCHES, batches) }, (_, batch) =>
    Array.from({ length: size }, (_, at) => readEvent(JSON.parse(maker.eventText(batch * size + at)))),
  )
  let failure: unknown
  const store = await openSqliteStore({
    path: join(folder, 'events.db'),
    clock: () => Math.round((performance.timeOrigin + performance.now()) * 1_000),
    onFailure: error => {
      failure = error
    },
  })
  const marks: number[] = []
  let next = 0
  const startedAt = performance.now()
  const recordNext = async () => {
    while (next < batches && failure === undefined) {
      const batch = next++
      const events = made[batch % made.length] ?? []
      await store.events.record(events.map((event, at) => toRecord(event, batch * size + at)))
      marks.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: inProgress }, recordNext))
  await store.close()
  if (failure !== undefined) throw failure
  return marks
}

function toRecord(event: NewEvent, index: number): EventToRecord {
  const own = { dedupe_key: `loop:${index}`, subject_id: String(index) }
  return { event: { ...event, ...own }, provenance: { route: 'api', verified: 'none' }, matches: [] }
}
