import { computed, type ReadonlySignal } from '@preact/signals'
import type { List } from '#model/ledger-answers'
import { queryState } from '../shared/address.js'
import { oneOf, type Param, text, texts } from '../shared/query-state.js'
import { type ApiCall, api, apiResponse, createResource, segment } from '../shared/server/api.js'

/** Form of a profile name. Source: docs/how-to/reach-another-board.md. */
const PROFILE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

const profile: Param<string> = {
  read: ([value = '']) => (PROFILE.test(value) ? value : ''),
  write: value => (value === '' ? [] : [value]),
}

export const place = queryState({
  /** Board whose cards and runs are shown; empty for this one. */
  board: profile,
  /** The card in the panel; `new` for a new one. */
  card: text,
  show: oneOf('card', 'runs'),
  run: text,
  q: text,
  label: texts,
  assignee: texts,
})

export const NEW_CARD = 'new'

/** The profile of the shown board; empty for this one. */
export const boardName: ReadonlySignal<string> = computed(() => place.value.value.board)

/** The query shared by all views: the board. */
export const boardQuery: ReadonlySignal<URLSearchParams> = computed(
  () => new URLSearchParams(boardName.value === '' ? {} : { board: boardName.value }),
)

function base(board: string): string {
  return board === '' ? '/api' : `/api/backends/${segment(board)}/api`
}

/**
 * Calls the API of the shown board, or of the given one.
 *
 * @param path from `/`, below `/api`
 * @throws as `api`
 */
export function boardApi<T>(path: string, call: ApiCall = {}, board: string = boardName.peek()): Promise<T> {
  return api<T>(base(board) + path, call)
}

/** Like `boardApi`, but returns the response itself. */
export function boardResponse(path: string, call: ApiCall = {}): Promise<Response> {
  return apiResponse(base(boardName.peek()) + path, call)
}

export function executorHeader(board: string): string {
  return board === '' ? 'X-Board-Executor-Token' : 'X-Board-Backend-Executor-Token'
}

/** The other boards that this one can reach, without unusable profiles. */
export const backends = createResource<List<{ name: string; url: string }>>(signal => api('/api/backends', { signal }))
