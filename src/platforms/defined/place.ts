import type { Budget } from './budget.js'
import { compilePointer } from './pointer.js'

/** Values from which a mapping reads. */
export interface Scope {
  /** The parsed body. For a delivery with several events, its list contains only this item. */
  root: unknown
  /** An item of the list, in a delivery with several events. Otherwise the parsed body. */
  item: unknown
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** Budget of the whole delivery. */
  budget: Budget
}

/** Reads the value at a place. */
export type ReadPlace = (scope: Scope) => unknown

const HEADER = /^header:([A-Za-z0-9-]{1,100})$/u

/**
 * Compiles a place: a pointer into the body (`/repo/name`, empty for all of it), into the item of a list (`./status`,
 * `.`), or a header (`header:x-event`).
 *
 * @param field where the place is in the definition, for the error
 * @throws AppError `invalid/invalid_field`
 */
export function compilePlace(text: string, field: string): ReadPlace {
  const header = HEADER.exec(text)?.[1]?.toLowerCase()
  if (header !== undefined) {
    return ({ headers, budget }) => {
      budget.takeSteps(1)
      return headers[header]
    }
  }
  const isOfItem = text.startsWith('.')
  const pointer = compilePointer(isOfItem ? text.slice(1) : text, field)
  return ({ root, item, budget }) => pointer(isOfItem ? item : root, steps => budget.takeSteps(steps))
}
