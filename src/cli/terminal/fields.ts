import { toTerminalLine, toTerminalText } from './text.js'

/**
 * Reads from a JSON response. A missing member, or one of another type, counts as empty: a card with a gap is more
 * useful than a failed command.
 */
export function at(value: unknown, ...path: string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = Reflect.get(found, name)
  }
  return found
}

/** A string, number or boolean as one line, safe for a terminal; else empty. */
export function lineAt(value: unknown, ...path: string[]): string {
  return toTerminalLine(scalar(at(value, ...path)))
}

/** The same with its line breaks. */
export function textAt(value: unknown, ...path: string[]): string {
  return toTerminalText(scalar(at(value, ...path)))
}

export function listAt(value: unknown, ...path: string[]): unknown[] {
  const list = at(value, ...path)
  return Array.isArray(list) ? list : []
}

/** The strings, numbers and booleans of a list, each on one line. */
export function linesAt(value: unknown, ...path: string[]): string[] {
  return listAt(value, ...path).map(item => toTerminalLine(scalar(item)))
}

export function entriesAt(value: unknown, ...path: string[]): [string, unknown][] {
  const members = at(value, ...path)
  return typeof members === 'object' && members !== null ? Object.entries(members) : []
}

/** A count with thousands separators, or empty. */
export function countAt(value: unknown, ...path: string[]): string {
  const count = at(value, ...path)
  return typeof count === 'number' ? count.toLocaleString('en') : ''
}

/** A timestamp of the ledger, in UTC, without its fraction, for display: 2031-05-04 09:00:00. */
export function timeAt(value: unknown, ...path: string[]): string {
  const text = lineAt(value, ...path)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) ? text.slice(0, 19).replace('T', ' ') : text
}

function scalar(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
