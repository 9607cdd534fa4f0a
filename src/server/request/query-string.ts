import { AppError, invalidField, joinRefusals } from '../../model/app-error.js'
import { type Instant, readTimestamp } from '../../model/timestamp.js'

const MAX_PAIRS = 200

/** The parameters of one request, read one by one. Problems are collected; `finish` refuses the request with all of them. */
export class QueryString<Name extends string> {
  readonly #values = new Map<Name, string[]>()
  readonly #refusals: AppError[] = []

  /**
   * @param search the query string as sent, with its `?`
   * @param names the parameters of the route; any other is refused
   * @param repeatable those that may be given several times
   */
  constructor(search: string, names: readonly Name[], repeatable: readonly Name[] = []) {
    const pairs = search.length > 1 ? search.slice(1).split('&') : []
    if (pairs.length > MAX_PAIRS) throw invalidField('', `The query string has more than ${MAX_PAIRS} parameters.`)
    for (const pair of pairs) {
      if (pair === '') continue
      const equals = pair.indexOf('=')
      const sentName = decode(equals === -1 ? pair : pair.slice(0, equals)) ?? pair
      const name = names.find(known => known === sentName)
      const value = decode(equals === -1 ? '' : pair.slice(equals + 1))
      if (name === undefined) {
        this.refuse(sentName.slice(0, 100), `There is no parameter of this name. Known here: ${names.join(', ')}.`)
      } else if (value === undefined) {
        this.refuse(name, `${name} is not percent-encoded UTF-8. Encode it, "%" itself as %25.`)
      } else {
        this.#add(name, value, repeatable.includes(name))
      }
    }
  }

  /** Every value of a repeatable parameter; none when absent. */
  all(name: Name): readonly string[] {
    return this.#values.get(name) ?? []
  }

  /** The value as sent, possibly empty. */
  raw(name: Name): string | undefined {
    return this.#values.get(name)?.[0]
  }

  /** A value that is not empty and at most `maxLength` characters long. */
  text(name: Name, maxLength: number): string | undefined {
    const value = this.raw(name)
    if (value === '') this.refuse(name, `${name} is empty. Leave it out or give it a value.`)
    else if (value && value.length > maxLength) this.refuse(name, `${name} is longer than ${maxLength} characters.`)
    else return value
    return undefined
  }

  /** A whole number within bounds, in decimal digits. */
  integer(name: Name, bounds: { min: number; max: number }): number | undefined {
    const value = this.raw(name)
    if (value === undefined) return undefined
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    if (number >= bounds.min && number <= bounds.max) return number
    this.refuse(name, `${name} must be a whole number from ${bounds.min} to ${bounds.max}.`)
    return undefined
  }

  oneOf<Word extends string>(name: Name, words: readonly Word[]): Word | undefined {
    const value = this.raw(name)
    const word = words.find(known => known === value)
    if (value !== undefined && word === undefined) this.refuse(name, `${name} must be one of: ${words.join(', ')}.`)
    return word
  }

  timestamp(name: Name): Instant | undefined {
    const value = this.raw(name)
    return value === undefined ? undefined : this.attempt(() => readTimestamp(name, value))
  }

  /** The result of a reader that throws refusals, or undefined when it did. */
  attempt<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      this.#refusals.push(error)
      return undefined
    }
  }

  refuse(name: string, detail: string): void {
    this.#refusals.push(invalidField(name, detail))
  }

  /** @throws AppError `invalid/invalid_field`, or the code that all refusals share, listing every parameter */
  finish(): void {
    if (this.#refusals.length > 0) throw joinRefusals(this.#refusals)
  }

  #add(name: Name, value: string, repeatable: boolean): void {
    const values = this.#values.get(name)
    if (!values) this.#values.set(name, [value])
    else if (repeatable) values.push(value)
    else this.refuse(name, `${name} was given twice. Give it once.`)
  }
}

/** The value of a parameter that was given once; undefined if it is missing or was repeated. Other parameters are ignored. */
export function singleValue(search: string, name: string): string | undefined {
  const [value, ...others] = new URLSearchParams(search).getAll(name)
  return others.length === 0 ? value : undefined
}

/** Form decoding, `+` for a blank. Undefined for broken escapes and for bytes that are not UTF-8. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // `decodeURIComponent` throws nothing but a URIError.
    return undefined
  }
}
