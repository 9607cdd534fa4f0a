import { type ReadonlySignal, signal } from '@preact/signals'
import { ApiProblem } from '../shared/api.js'
import { boardName, executorHeader } from './place.js'

/** By board, in the memory of this page alone: not in storage, not in an address, not in the document. */
const tokens = new Map<string, string>()
const held = signal<ReadonlySet<string>>(new Set())

/** Names of the boards whose token is held. */
export const heldTokens: ReadonlySignal<ReadonlySet<string>> = held

/** Every refusal reads the same: what was wrong is nothing for whoever guesses. */
export const REFUSED = 'The executor refused. Check the token, or ask whoever runs this board.'

/** What can be sent as a header. */
const TOKEN = /^[\x21-\x7e]{1,1024}$/

export function holdsToken(): boolean {
  return held.value.has(boardName.value)
}

export function forgetToken(board: string = boardName.peek()): void {
  tokens.delete(board)
  held.value = new Set(tokens.keys())
}

export function isToken(text: string): boolean {
  return TOKEN.test(text)
}

/** Something that the executor does for whoever shows its token. */
export type Execution<T> = (headers: Readonly<Record<string, string>>) => Promise<T>

/**
 * Does it with the token that was typed in, or with the one that is held; one that was taken is held from then on.
 *
 * @throws ApiProblem; `isRefusal` when the token was refused, which is then not held any more
 */
export async function execute<T>(run: Execution<T>, typed?: string): Promise<T> {
  const board = boardName.peek()
  const token = typed ?? tokens.get(board) ?? ''
  try {
    const done = await run({ [executorHeader(board)]: token })
    tokens.set(board, token)
    held.value = new Set(tokens.keys())
    return done
  } catch (error) {
    if (isRefusal(error)) forgetToken(board)
    throw error
  }
}

export function isRefusal(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 403 && error.code.startsWith('executor_')
}
