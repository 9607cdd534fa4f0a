import { AppError } from '../../model/app-error.js'
import { csvCell } from '../../model/csv.js'
import { at } from '../terminal/fields.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'
import { toTerminalLine } from '../terminal/text.js'
import type { Format, ItemShape } from './output-options.js'

interface FormatOptions {
  format: Exclude<Format, 'table'>
  fields?: readonly string[] | undefined
  shape: ItemShape
}

/** A result as text for programs. @throws AppError `invalid/wrong_usage` if it has no names */
export async function formatted(result: unknown, { format, fields, shape }: FormatOptions): Promise<string> {
  switch (format) {
    case 'json':
      return JSON.stringify(withFields(result, fields, shape))
    case 'jsonl':
      return lines(itemsOf(result, shape).map(item => JSON.stringify(pick(item, fields))))
    case 'yaml': {
      const { stringify } = await import('yaml')
      return stringify(withFields(result, fields, shape), { aliasDuplicateObjects: false, lineWidth: 0 })
    }
    case 'csv': {
      const items = itemsOf(result, shape)
      const columns = fields ?? shape.columns ?? scalarMembers(items)
      const rows = [columns, ...items.map(item => columns.map(column => textOf(memberAt(item, column))))]
      return rows.map(row => `${row.map(csvCell).join(',')}\r\n`).join('')
    }
    case 'name':
      return lines(itemsOf(result, shape).map(item => nameOf(item, shape)))
  }
}

/** A table of the given members, under their names. */
export function fieldTable(
  result: unknown,
  { fields, shape }: { fields: readonly string[]; shape: ItemShape },
  style: TerminalStyle,
): string {
  const rows = itemsOf(result, shape).map(item => fields.map(field => toTerminalLine(textOf(memberAt(item, field)))))
  const last = fields.length - 1
  const columns = fields.map((title, index) => ({ title, ...(index === last ? { flexible: true } : {}) }))
  return table(style, columns, rows)
}

/** The items of a list or page; anything else is one item. */
function itemsOf(result: unknown, { list = 'items' }: ItemShape): readonly unknown[] {
  if (Array.isArray(result)) return result
  const items = at(result, list)
  return Array.isArray(items) ? items : [result]
}

function withFields(result: unknown, fields: readonly string[] | undefined, { list = 'items' }: ItemShape): unknown {
  if (!fields) return result
  if (Array.isArray(result)) return result.map(item => pick(item, fields))
  const items = at(result, list)
  return Array.isArray(items)
    ? { ...(result as object), [list]: items.map(item => pick(item, fields)) }
    : pick(result, fields)
}

/** The item with only these members, at their places. Missing members stay absent. */
function pick(item: unknown, fields: readonly string[] | undefined): unknown {
  if (!fields) return item
  const picked = new Map<string, unknown>()
  for (const name of new Set(fields.map(field => field.split('.')[0] ?? ''))) {
    const value = at(item, name)
    if (value === undefined) continue
    const deeper = fields.filter(field => field.startsWith(`${name}.`)).map(field => field.slice(name.length + 1))
    picked.set(name, fields.includes(name) ? value : pick(value, deeper))
  }
  return Object.fromEntries(picked)
}

function memberAt(item: unknown, path: string): unknown {
  return at(item, ...path.split('.'))
}

function scalarMembers(items: readonly unknown[]): string[] {
  const names = new Set<string>()
  for (const item of items) {
    if (typeof item !== 'object' || item === null) continue
    for (const [name, value] of Object.entries(item)) if (typeof value !== 'object' || value === null) names.add(name)
  }
  return [...names]
}

/** Joins a list of scalars with commas. Other values that are not scalars stay JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'object') return String(value)
  const isPlain = Array.isArray(value) && value.every(item => typeof item !== 'object')
  return isPlain ? value.join(', ') : JSON.stringify(value)
}

function nameOf(item: unknown, { name }: ItemShape): string {
  const value = typeof name === 'string' ? memberAt(item, name) : name(item)
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new AppError('invalid', 'wrong_usage', 'The results have no names to print.', {
    hint: 'Choose another --output.',
  })
}

function lines(texts: readonly string[]): string {
  return texts.map(text => `${text}\n`).join('')
}
