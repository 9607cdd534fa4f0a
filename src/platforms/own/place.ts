import { invalidField } from '../../model/app-error.js'
import { isPayload, memberOf } from '../mapping/payload.js'

/** What a mapping reads from. */
export interface Scope {
  /** The parsed body. */
  root: unknown
  /** One of the list of a delivery with several events; else the parsed body. */
  item: unknown
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
}

/** Reads the value at a place. */
export type ReadPlace = (scope: Scope) => unknown

const HEADER = /^header:([A-Za-z0-9-]{1,100})$/u
const SEGMENTS = 32

/**
 * Compiles a place: a JSON Pointer into the body (`/repo/name`, empty for all of it), into the item of a list (`./status`,
 * `.`), or a header (`header:x-event`).
 *
 * @param field where the place is in the definition, for the error
 * @throws AppError `invalid/invalid_field`
 *
 * Source: RFC 6901.
 */
export function compilePlace(text: string, field: string): ReadPlace {
  const header = HEADER.exec(text)?.[1]?.toLowerCase()
  if (header !== undefined) return ({ headers }) => headers[header]
  const isOfItem = text.startsWith('.')
  const pointer = compilePointer(isOfItem ? text.slice(1) : text, field)
  return isOfItem ? ({ item }) => pointer(item) : ({ root }) => pointer(root)
}

/** @throws AppError `invalid/invalid_field` */
export function compilePointer(text: string, field: string): (value: unknown) => unknown {
  const names = namesOf(text, field)
  return value => {
    let found = value
    for (const name of names) found = memberAt(found, name)
    return found
  }
}

/** The names of a JSON Pointer, unescaped. @throws AppError `invalid/invalid_field` */
export function namesOf(text: string, field: string): string[] {
  if (text === '') return []
  if (!text.startsWith('/')) {
    const detail = `"${text}" is no place. Write a JSON Pointer such as /repo/name, ./status in an item, or header:x-event.`
    throw invalidField(field, detail)
  }
  const names = text.slice(1).split('/')
  if (names.length > SEGMENTS) throw invalidField(field, `A place has at most ${SEGMENTS} parts.`)
  const wrong = names.find(name => /~(?![01])/u.test(name))
  if (wrong !== undefined) throw invalidField(field, 'A JSON Pointer writes ~ as ~0 and / as ~1.')
  return names.map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Own members only: names come from outside. */
function memberAt(from: unknown, name: string): unknown {
  if (Array.isArray(from)) return /^(?:0|[1-9]\d{0,8})$/u.test(name) ? from[Number(name)] : undefined
  return isPayload(from) ? memberOf(from, name) : undefined
}
