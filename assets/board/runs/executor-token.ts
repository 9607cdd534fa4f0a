import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { Glyph } from '../../shared/controls/glyph.js'
import { html } from '../../shared/html.js'
import { ApiProblem } from '../../shared/server/api.js'
import { boardName, executorHeader } from '../place.js'

/** By board, only in this page's memory: not in storage, addresses or the document. */
const tokens = new Map<string, string>()
const held = signal<ReadonlySet<string>>(new Set())

/** Characters that are valid in a header. */
const TOKEN = /^[\x21-\x7e]{1,1024}$/

/**
 * The boards whose executor tokens are needed to execute something on the shown one: this machine's board forwards
 * requests to another only with its own token. Source: docs/decisions/0016.
 */
const asked: ReadonlySignal<readonly string[]> = computed(() => [...new Set(['', boardName.value])])

/** Those whose token is in memory. */
export const heldTokens: ReadonlySignal<readonly string[]> = computed(() =>
  asked.value.filter(board => held.value.has(board)),
)

/** Those whose token is missing. */
export const missingTokens: ReadonlySignal<readonly string[]> = computed(() =>
  asked.value.filter(board => !held.value.has(board)),
)

export function holdsTokens(): boolean {
  return missingTokens.value.length === 0
}

/** Clears the tokens that apply to the shown board. */
export function forgetTokens(): void {
  forget(asked.peek())
}

export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/** Suffix of "token" to distinguish several; empty if there can be only one. */
export function ofBoard(board: string): string {
  if (asked.value.length === 1) return ''
  return ` of ${board === '' ? 'this machine' : board}`
}

/** Explains why a token is needed. */
export function whyTokens(): string {
  const needed = `executor token${asked.value.length === 1 ? '' : 's'}${asked.value.map(ofBoard).join(' and')}`
  return `This also requires the ${needed}.`
}

/** The same text for every refusal, so that it does not help guessing. */
export function refusalWords(): string {
  return asked.value.length === 1
    ? 'The executor refused. Check the token, or ask an operator of this board.'
    : 'The executor refused. Check both tokens, or ask an operator of these boards.'
}

/** An action of the executor that needs its token. */
export type Execution<T> = (headers: Readonly<Record<string, string>>) => Promise<T>

/**
 * Executes it with the held and the typed tokens; accepted ones are kept.
 *
 * @param typed tokens by board
 * @throws ApiProblem; `isRefusal` if a token was refused: the server does not say which, so none of the sent ones is
 *   kept
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

/** Shows for which boards executor tokens are in memory, with a button to forget them. */
export function HeldTokenStatus() {
  const [first, ...others] = heldTokens.value
  if (first === undefined) return null
  const isOne = others.length === 0
  const what = isOne ? `Executor token${ofBoard(first)}` : 'Executor tokens of both boards'
  return html`<p class="held-token hint row wrap"><${Glyph} name="key" />${what} held in this page only
    <button type="button" class="link" onClick=${forgetTokens}>Forget ${isOne ? 'it' : 'them'}</button></p>`
}
