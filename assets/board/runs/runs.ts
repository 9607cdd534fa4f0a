import { computed, type ReadonlySignal } from '@preact/signals'
import type { ExecutorStatus, Run, RunMode } from '#model/board/run'
import { createResource, segment } from '../../shared/server/api.js'
import { boardApi } from '../board-address.js'
import { isOver } from './run-words.js'

/** Source: docs/reference/board-rest.md. */
export interface RunPage {
  items: Run[]
  next: number | null
}

/** The newest runs of the board: the source of run states on cards, and the first page of the list. */
const NEWEST = 200

export const newest = createResource<RunPage | undefined>(signal =>
  boardApi('/runs', { query: { limit: NEWEST }, signal }),
)
const status = createResource<ExecutorStatus | undefined>(signal => boardApi('/executor', { signal }))

export const newestRuns: ReadonlySignal<RunPage | undefined> = newest.value
export const executor: ReadonlySignal<ExecutorStatus | undefined> = status.value

export const runByCard: ReadonlySignal<ReadonlyMap<string, Run>> = computed(() => {
  const runs = newest.value.value?.items ?? []
  return new Map(runs.toReversed().map(run => [run.card_id, run]))
})

/** Whether any run is queued or running; then refreshes are more frequent. */
export const isBusy: ReadonlySignal<boolean> = computed(() => {
  const { running, queued } = status.value.value ?? { running: null, queued: 0 }
  return running !== null || queued > 0 || (newest.value.value?.items ?? []).some(run => !isOver(run))
})

export async function loadRuns(): Promise<void> {
  await Promise.all([newest.load(), status.load()])
}

export function resetRuns(): void {
  newest.set(undefined)
  status.set(undefined)
}

/** @throws ApiProblem */
export function olderRuns(after: number): Promise<RunPage> {
  return boardApi('/runs', { query: { limit: NEWEST, after } })
}

/** @param headers with the executor's token, for a real run @throws ApiProblem */
export async function startRun(
  cardId: string,
  mode: RunMode,
  headers: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const run = await boardApi<Run>(`/cards/${segment(cardId)}/runs`, { body: { mode }, headers })
  noteRun(run)
  void loadRuns()
  return run
}

export function noteRun(run: Run): void {
  const { value } = newest.value
  if (!value) return
  const isKnown = value.items.some(({ id }) => id === run.id)
  const items = isKnown ? value.items.map(other => (other.id === run.id ? run : other)) : [run, ...value.items]
  newest.set({ ...value, items })
}

export function setExecutor(next: ExecutorStatus): void {
  status.set(next)
}
