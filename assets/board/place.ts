import { computed, type ReadonlySignal } from '@preact/signals'
import { queryState } from '../shared/address.js'
import { type ApiCall, api, apiResponse, segment } from '../shared/api.js'
import { oneOf, type Param, text, texts } from '../shared/query-state.js'

/** Of a profile; anything else is no board. Source: docs/how-to/reach-another-board.md. */
const PROFILE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

const profile: Param<string> = {
  read: ([value = '']) => (PROFILE.test(value) ? value : ''),
  write: value => (value === '' ? [] : [value]),
}

/** Where on the page one is: what stands in the address. */
export const place = queryState({
  /** Whose cards and runs; empty for this board's own. */
  board: profile,
  /** The card in the panel; `new` for one that there is not yet. */
  card: text,
  show: oneOf('card', 'runs'),
  /** The run whose log is shown. */
  run: text,
  q: text,
  label: texts,
  assignee: texts,
})

export const NEW_CARD = 'new'

/** The profile of the board that is shown; empty for this one's own. */
export const boardName: ReadonlySignal<string> = computed(() => place.value.value.board)

/** What every view's address says: the board. */
export const boardQuery: ReadonlySignal<URLSearchParams> = computed(
  () => new URLSearchParams(boardName.value === '' ? {} : { board: boardName.value }),
)

/** In front of the paths of the API of a board. */
function base(board: string): string {
  return board === '' ? '/api' : `/api/backends/${segment(board)}/api`
}

/**
 * Calls the board that is shown, or the one that is given.
 *
 * @param path from `/`, below `/api`
 * @throws as `api`
 */
export function boardApi<T>(path: string, call: ApiCall = {}, board: string = boardName.peek()): Promise<T> {
  return api<T>(base(board) + path, call)
}

/** As `boardApi`, with the answer as it comes. */
export function boardResponse(path: string, call: ApiCall = {}): Promise<Response> {
  return apiResponse(base(boardName.peek()) + path, call)
}

/** The header that brings a board its executor's token. */
export function executorHeader(board: string): string {
  return board === '' ? 'X-Board-Executor-Token' : 'X-Board-Backend-Executor-Token'
}
