import { setTimeout as sleep } from 'node:timers/promises'
import { type LoadPlan, UNHURRIED_MS } from './load-plan.js'
import { runLoad } from './programs.js'
import type { Workspace } from './workspace.js'

/**
 * Number of events that may be recorded before the ledger indexes them between the writes; when more events are behind,
 * each write also has to index. Both states are measured.
 */
export const INDEX_TAIL = 100_000

export const BATCH_EVENTS = 500
export const BATCH_CONNECTIONS = 4

/** Waiting for the index, which catches up while nothing is written, by some 10,000 events a second. */
const SETTLED = { askEveryMs: 500, boundMs: 10 * 60_000 }
/** Time limit per event. Any machine worth measuring is faster, and a hang exceeds it. */
const MOST_MS_PER_EVENT = 1

/** Saves subscriptions. */
export async function subscribe(
  workspace: Workspace,
  port: number,
  work: { which: 'watching' | 'idle'; count: number },
): Promise<void> {
  const { which, count } = work
  await runLoad(workspace, {
    port,
    connections: 64,
    requests: count,
    prepare: count,
    warmupMs: 0,
    measureMs: UNHURRIED_MS,
    work: { kind: 'subscriptions', which, first: 0 },
  })
}

/** A plan of batches of events, with a mark for each answer. */
export function batchPlan(port: number, { first, events }: { first: number; events: number }): LoadPlan {
  const work = { kind: 'batches', first, size: BATCH_EVENTS } as const
  const requests = Math.ceil(events / BATCH_EVENTS)
  const measureMs = Math.max(UNHURRIED_MS, MOST_MS_PER_EVENT * events)
  const bounds = { requests, prepare: 0, warmupMs: 0, measureMs }
  return { port, connections: BATCH_CONNECTIONS, work, ...bounds, marks: true }
}

/** Number of events that a search finds, on one page. */
export async function search(port: number, text: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${searchPath(text)}`)
  if (!answer.ok) throw new Error(`The search for ${text} was answered with ${answer.status}.`)
  const { count } = (await answer.json()) as { count: number }
  return count
}

export function searchPath(text: string): string {
  return eventsPath({ q: text })
}

export function eventsPath(filter: Readonly<Record<string, string>>): string {
  return `/api/events?${new URLSearchParams({ ...filter, limit: '100' })}`
}

/** Waits, within bounds, until the search index is up to date. */
export async function settle(port: number, progress: (text: string) => void): Promise<void> {
  const startedAt = performance.now()
  while ((await unindexedEvents(port)) > 0) {
    if (performance.now() - startedAt > SETTLED.boundMs) {
      progress('the search index does not come up to date: what follows is slower for it')
      return
    }
    await sleep(SETTLED.askEveryMs)
  }
}

async function unindexedEvents(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/health`)
  const { unindexed_events: unindexed } = (await answer.json()) as { unindexed_events?: number }
  if (unindexed === undefined) throw new Error('The health of the ledger has no unindexed_events.')
  return unindexed
}
