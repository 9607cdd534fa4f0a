import { resolve } from 'node:path'
import { AppError, type FieldProblem } from '../../model/app-error.js'
import { aliasOf } from './aliases.js'
import { expandHome } from './paths.js'
import type { SettingSources } from './setting-sources.js'
import { readSharedEnvironment, type SharedEnvironment } from './shared-environment.js'

/** The value of a command's flag, and the flag's name. */
export interface GivenFlag {
  flag: string
  value: string | undefined
}

/** A value that was found, and its name in an error. */
export interface FoundSetting {
  /** `--port`, or `EVENT_PORT`. */
  name: string
  value: string
  /** The file, if it comes from the shared environment. */
  file?: string
}

const SHOWN_CHARACTERS = 80

/**
 * Looks up settings (command flag, process environment, shared environment, default) and collects all problems, so that
 * they are reported together. An empty value counts as none.
 *
 * For a refused value, a read returns the default. Use the results only after `finish`.
 */
export class SettingReader {
  readonly shared: SharedEnvironment
  readonly #problems: FieldProblem[] = []
  readonly #warnings: string[] = []

  constructor(readonly sources: SettingSources) {
    const { problem, ...shared } = readSharedEnvironment(sources)
    this.shared = shared
    if (problem) this.refuse(problem.setting, problem.detail)
  }

  find(name: string, given?: GivenFlag): FoundSetting | undefined {
    if (given?.value !== undefined) return { name: given.flag, value: given.value }
    const found = this.findEvenEmpty(name)
    return found?.value ? found : undefined
  }

  /** Like `find`, but without flags. Also finds a setting that is empty everywhere. */
  findEvenEmpty(name: string): FoundSetting | undefined {
    const { env } = this.sources
    const fromProcess = this.#findIn(name, each => env[each])
    if (fromProcess?.value) return fromProcess
    const fromFile = this.#findIn(name, each => this.shared.values.get(each))
    if (fromFile && (fromFile.value || !fromProcess)) return { ...fromFile, file: this.shared.path }
    return fromProcess
  }

  /** By the name, or by its alias; refuses two that differ. */
  #findIn(name: string, lookUp: (name: string) => string | undefined): FoundSetting | undefined {
    const alias = aliasOf(name)
    const value = lookUp(name)
    const other = alias === undefined ? undefined : lookUp(alias)
    if (alias === undefined || other === undefined) return value === undefined ? undefined : { name, value }
    if (value && other && value !== other && !this.hasRefused([alias])) {
      this.refuse(alias, `${alias} and ${name} are both set, and differ. Keep one of them.`)
    }
    return value ? { name, value } : { name: alias, value: other }
  }

  integer(name: string, range: { min: number; max: number; default: number }, given?: GivenFlag): number {
    const found = this.find(name, given)
    if (!found) return range.default
    const value = /^\d{1,15}$/.test(found.value) ? Number(found.value) : Number.NaN
    if (value >= range.min && value <= range.max) return value
    this.refuseValue(found, `is not a whole number from ${range.min} to ${range.max}`)
    return range.default
  }

  oneOf<Word extends string>(name: string, words: readonly Word[], fallback: Word, given?: GivenFlag): Word {
    const found = this.find(name, given)
    if (!found) return fallback
    const word = words.find(candidate => candidate === found.value)
    if (word === undefined) this.refuseValue(found, `is not one of: ${words.join(', ')}`)
    return word ?? fallback
  }

  isOn(name: string, fallback = false): boolean {
    const found = this.find(name)
    if (!found) return fallback
    const word = found.value.toLowerCase()
    if (['1', 'true', 'yes', 'on'].includes(word)) return true
    if (!['0', 'false', 'no', 'off'].includes(word))
      this.refuseValue(found, 'is not one of: 1, true, yes, on, 0, false, no, off')
    return false
  }

  /** Reads a value with `accept`, which converts it, or returns `undefined` to refuse it. */
  text<Value>(
    name: string,
    accept: (text: string) => Value | undefined,
    allowed: string,
    given?: GivenFlag,
  ): Value | undefined {
    const found = this.find(name, given)
    if (!found) return undefined
    const value = accept(found.value)
    if (value === undefined) this.refuseValue(found, allowed)
    return value
  }

  /** An absolute path: expands `~/` and resolves against the current folder. */
  path(value: string): string {
    return resolve(expandHome(value, this.sources.homedir))
  }

  /** Never for a secret: the message contains the value. */
  refuseValue(found: FoundSetting, reason: string): void {
    this.refuse(found.name, `${found.name} ${shown(found.value)}${place(found)} ${reason}.`)
  }

  refuse(setting: string, detail: string): void {
    // Several parts of a program may read the same setting.
    if (this.#problems.some(known => known.field === setting && known.detail === detail)) return
    this.#problems.push({ field: setting, detail })
  }

  /** A questionable but accepted setting; never pass a secret's value. */
  warn(sentence: string): void {
    this.#warnings.push(sentence)
  }

  get problems(): readonly FieldProblem[] {
    return this.#problems
  }

  get warnings(): readonly string[] {
    return this.#warnings
  }

  /** Whether any of these settings was refused, so that it does not count as missing. */
  hasRefused(settings: readonly string[]): boolean {
    return this.#problems.some(({ field }) => settings.includes(field))
  }

  /** @throws AppError `configuration/settings_invalid` with all collected problems */
  finish(): void {
    const errors = this.#problems
    if (errors.length === 0) return
    const message = errors.length === 1 ? 'A setting is invalid.' : `${errors.length} settings are invalid.`
    throw new AppError('configuration', 'settings_invalid', message, { errors })
  }
}

/** The file of a refused value, if the value comes from one. */
export function place(found: FoundSetting): string {
  return found.file === undefined ? '' : ` (in ${found.file})`
}

/** The value in quotes, shortened, and without the credentials of a URL. */
function shown(value: string): string {
  const safe = value.replace(/\/\/[^/@]*@/gu, '//…@')
  return JSON.stringify(safe.length > SHOWN_CHARACTERS ? `${safe.slice(0, SHOWN_CHARACTERS)}…` : safe)
}
