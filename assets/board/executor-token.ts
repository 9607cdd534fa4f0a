import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { ApiProblem } from '../shared/api.js'
import { boardName, executorHeader } from './place.js'

/** By board, in the memory of this page alone: not in storage, not in an address, not in the document. */
const tokens = new Map<string, string>()
const held = signal<ReadonlySet<string>>(new Set())

/** What can be sent as a header. */
const TOKEN = /^[\x21-\x7e]{1,1024}$/

/**
 * The boards whose executor's tokens it takes to execute something on the one that is shown: this machine's own lets
 * nothing through to another one without its own. Source: docs/decisions/0016.
 */
const asked: ReadonlySignal<readonly string[]> = computed(() => [...new Set(['', boardName.value])])

/** Of these, the ones whose token is held. */
export const heldTokens: ReadonlySignal<readonly string[]> = computed(() =>
  asked.value.filter(board => held.value.has(board)),
)

/** Of these, the ones whose token is still to be asked for. */
export const missingTokens: ReadonlySignal<readonly string[]> = computed(() =>
  asked.value.filter(board => !held.value.has(board)),
)

export function holdsTokens(): boolean {
  return missingTokens.value.length === 0
}

/** Forgets the tokens that count for the board that is shown. */
export function forgetTokens(): void {
  forget(asked.peek())
}

export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/** What is said behind "token" to tell one from the other; nothing while it can only be one. */
export function ofBoard(board: string): string {
  if (asked.value.length === 1) return ''
  return ` of ${board === '' ? 'this machine' : board}`
}

/** Why one has to type something in. */
export function whyTokens(): string {
  const needed = `executor token${asked.value.length === 1 ? '' : 's'}${asked.value.map(ofBoard).join(' and')}`
  return `Your login is not enough for that: it needs the ${needed}.`
}

/** Every refusal reads the same: what was wrong is nothing for whoever guesses. */
export function refusalWords(): string {
  return asked.value.length === 1
    ? 'The executor refused. Check the token, or ask whoever runs this board.'
    : 'The executor refused. Check both tokens, or ask whoever runs these boards.'
}

/** Something that the executor does for whoever shows its token. */
export type Execution<T> = (headers: Readonly<Record<string, string>>) => Promise<T>

/**
 * Does it with the tokens that are held, and those that were typed in; what was taken is held from then on.
 *
 * @param typed tokens by board
 * @throws ApiProblem; `isRefusal` when a token was refused: which of them is not told, so none of those that were sent is
 *   held any more
 */
export async function execute<T>(run: Execution<T>, typed: ReadonlyMap<string, string> = new Map()): Promise<T> {
  const sent = asked.peek().map((board): [string, string] => [board, typed.get(board) ?? tokens.get(board) ?? ''])
  try {
    const done = await run(Object.fromEntries(sent.map(([board, token]) => [executorHeader(board), token])))
    for (const [board, token] of sent) tokens.set(board, token)
    held.value = new Set(tokens.keys())
    return done
  } catch (error) {
    if (isRefusal(error)) forget(sent.map(([board]) => board))
    throw error
  }
}

export function isRefusal(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 403 && error.code.startsWith('executor_')
}

function forget(boards: readonly string[]): void {
  for (const board of boards) tokens.delete(board)
  held.value = new Set(tokens.keys())
}
