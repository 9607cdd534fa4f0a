/** One value of a view in the address, with functions that read it from and write it to the query. */
export interface Param<T> {
  /** Accepts any values; unreadable ones count as an empty list. */
  read(values: readonly string[]): T
  /** An empty list for the default. */
  write(value: T): readonly string[]
}

/** A typed view of the query, by its parameter names. */
export type Params<State> = { readonly [Name in keyof State]: Param<State[Name]> }

export const text: Param<string> = {
  read: ([value = '']) => value,
  write: value => (value === '' ? [] : [value]),
}

/** Repeated parameters, in order, without duplicates. */
export const texts: Param<readonly string[]> = {
  read: values => [...new Set(values.filter(value => value !== ''))],
  write: values => values,
}

export const flag: Param<boolean> = {
  read: ([value]) => value === 'true' || value === '1',
  write: value => (value ? ['true'] : []),
}

/** One of a few words; the first is the default. */
export function oneOf<const Word extends string>(...words: readonly [Word, ...Word[]]): Param<Word> {
  return {
    read: ([value]) => words.find(word => word === value) ?? words[0],
    write: value => (value === words[0] ? [] : [value]),
  }
}

/** A whole number within limits, or undefined. */
export function integer({ least, most }: { least: number; most: number }): Param<number | undefined> {
  return {
    read: ([value = '']) => {
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
      return number >= least && number <= most ? number : undefined
    },
    write: value => (value === undefined ? [] : [String(value)]),
  }
}

export function readState<State>(params: Params<State>, query: URLSearchParams): State {
  const entries = names(params).map(name => [name, params[name].read(query.getAll(String(name)))])
  return Object.fromEntries(entries) as State
}

/** Parameters unknown to the state stay in the query. */
export function writeState<State>(
  params: Params<State>,
  state: NoInfer<State>,
  query: URLSearchParams,
): URLSearchParams {
  const changed = new URLSearchParams(query)
  for (const name of names(params)) {
    changed.delete(String(name))
    for (const value of params[name].write(state[name])) changed.append(String(name), value)
  }
  return changed
}

function names<State>(params: Params<State>): (keyof State)[] {
  return Object.keys(params) as (keyof State)[]
}
