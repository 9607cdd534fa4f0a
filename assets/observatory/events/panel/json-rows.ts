import { findMatches } from '../../../shared/words/text.js'

/** A line of a JSON tree: a member, or the rest of a long list of members. */
export interface JsonRow {
  /** A JSON pointer; for `more`, the container's. */
  path: string
  depth: number
  kind: 'object' | 'array' | 'string' | 'number' | 'literal' | 'more' | 'end'
  /** Absent in arrays and for the root. */
  name?: string
  value: unknown
  /** Whether an object or array is open; undefined if it is empty. */
  isOpen?: boolean
  left?: number
}

/** Members of one object or array shown initially. */
export const MEMBERS = 100
/** Maximum depth; the server's parser allows no more. */
const DEEPEST = 200

export interface JsonView {
  isOpen: (path: string) => boolean
  shown: (path: string) => number
}

/** The visible lines of a value. The cost depends on the number of unfolded lines, not on the size of the value. */
export function jsonRows(value: unknown, view: JsonView): JsonRow[] {
  const rows: JsonRow[] = []
  addRows(rows, { path: '', depth: 0, value }, view)
  return rows
}

function addRows(
  rows: JsonRow[],
  at: { path: string; depth: number; value: unknown; name?: string },
  view: JsonView,
): void {
  const { path, depth, value } = at
  const kind = kindOf(value)
  if (kind !== 'object' && kind !== 'array') {
    rows.push({ ...at, kind })
    return
  }
  const names = Object.keys(value as object)
  const isOpen = names.length > 0 && depth < DEEPEST ? view.isOpen(path) : undefined
  rows.push({ ...at, kind, ...(isOpen === undefined ? {} : { isOpen }) })
  if (!isOpen) return
  const most = view.shown(path)
  for (const name of names.slice(0, most)) {
    const member = (value as Record<string, unknown>)[name]
    const child = { path: `${path}/${pointerPart(name)}`, depth: depth + 1, value: member }
    addRows(rows, kind === 'array' ? child : { ...child, name }, view)
  }
  if (names.length > most) rows.push({ path, depth: depth + 1, kind: 'more', value, left: names.length - most })
  rows.push({ path, depth, kind: 'end', value })
}

function kindOf(value: unknown): JsonRow['kind'] {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'object' && value !== null) return 'object'
  if (typeof value === 'string') return 'string'
  return typeof value === 'number' ? 'number' : 'literal'
}

function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

const PREVIEW = { members: 2, characters: 60 }

/** Preview of a folded object or array: `{ id: "17", display: "Ada", … }`, `{ 18 }`. */
export function jsonPreview(value: object): string {
  const entries = Object.entries(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) return `${open}${close}`
  const first = entries.slice(0, PREVIEW.members)
  // Checks lengths before creating any text, which may be long.
  const isShort = first.every(([, member]) => typeof member !== 'object' && String(member).length <= PREVIEW.characters)
  const shown = isShort
    ? first.map(([name, member]) => (Array.isArray(value) ? '' : `${name}: `) + JSON.stringify(member)).join(', ')
    : ''
  if (shown === '' || shown.length > PREVIEW.characters) return `${open} ${entries.length} ${close}`
  return `${open} ${shown}${entries.length > first.length ? ', …' : ''} ${close}`
}

const SEARCH = { values: 20_000, found: 20 }

/** Pointers to unfold so that the first matches are visible. */
export function pathsToMatches(value: unknown, terms: readonly string[]): Set<string> {
  const paths = new Set<string>()
  if (terms.length === 0) return paths
  const open: { value: unknown; path: string; above: readonly string[] }[] = [{ value, path: '', above: [] }]
  for (let looked = 0, found = 0; open.length > 0 && looked < SEARCH.values && found < SEARCH.found; looked++) {
    const { value, path, above } = open.pop() as (typeof open)[number]
    if (typeof value === 'object' && value !== null) {
      if (above.length >= DEEPEST) continue
      const members = Object.entries(value).slice(0, MEMBERS).reverse()
      const inside = { above: [...above, path] }
      open.push(...members.map(([name, value]) => ({ ...inside, value, path: `${path}/${pointerPart(name)}` })))
    } else if (typeof value === 'string' && findMatches(value, terms, 1).length > 0) {
      found += 1
      for (const one of above) paths.add(one)
    }
  }
  return paths
}

/** Whether a number differs from what was sent: integers beyond 2^53 are rounded by JavaScript. */
export function hasRounded(value: unknown): boolean {
  const open = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (isRounded(one)) return true
    if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) open.push(member)
  }
  return false
}

export function isRounded(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
}
