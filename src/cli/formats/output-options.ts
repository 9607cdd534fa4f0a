import { AppError } from '../../model/app-error.js'

export const FORMATS = ['table', 'json', 'jsonl', 'yaml', 'csv', 'name'] as const
export type Format = (typeof FORMATS)[number]

/** Flags for how a command prints its result. */
export interface OutputFlags {
  json: boolean
  output?: Format | undefined
  /** Members, separated by commas. */
  fields?: string | undefined
  'no-color'?: boolean | undefined
  local?: boolean | undefined
}

/** How the items of a result become names and rows. */
export interface ItemShape {
  /** The name of an item for other commands: a member, or made of several. */
  name: string | ((item: unknown) => string)
  /** The columns of a CSV file; absent: all members of the items that are not lists or objects. */
  columns?: readonly string[]
  /** The member of the result that lists the items; `items` when absent. */
  list?: string
}

export const BY_ID: ItemShape = { name: 'id' }
export const BY_NAME: ItemShape = { name: 'name' }

/** `kind,actor.display` as a list. @throws AppError `invalid/wrong_usage` */
export function readFields(list: string): string[] {
  const fields = list.split(',').map(field => field.trim())
  if (fields.some(field => field === '' || field.split('.').includes(''))) {
    const hint = 'Write it like --fields kind,actor.display.'
    throw new AppError('invalid', 'wrong_usage', '--fields is not a comma list of names.', { hint })
  }
  return fields
}
