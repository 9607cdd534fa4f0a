import { AppError } from '../model/app-error.js'
import { closest } from '../model/closest.js'

/** Recognises oclif's request to exit. @returns the exit code; undefined for any other error */
export function toExit(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIT') return undefined
  return oclifExit(error)
}

/**
 * Converts oclif's errors about flags and arguments to ours: one sentence, and the likely flag.
 *
 * @returns undefined for an error that is not about usage
 */
export function toUsageError(error: unknown): AppError | undefined {
  // oclif puts words around the message with which a flag refuses its value.
  if (error instanceof AppError) {
    const [, own] = REFUSED_VALUE.exec(error.message) ?? []
    return own === undefined ? undefined : new AppError(error.category, error.code, own)
  }
  if (!(error instanceof Error) || oclifExit(error) !== WRONG_USAGE) return undefined
  const { said, missing, missingFlags, unknownFlags, knownFlags } = readParseError(error)
  if (missing.length > 0) return usage(missingText('argument', missing))
  if (missingFlags.length > 0) return usage(missingText('flag', missingFlags))
  const [unknown] = unknownFlags
  if (unknown === undefined) return usage(said)
  const known = knownFlags.map(name => `--${name}`)
  const likely = closest(unknown.replace(/=.*/s, ''), known)
  return usage(`Unknown flag: ${unknown}.`, likely === undefined ? undefined : `Did you mean ${likely}?`)
}

const WRONG_USAGE = 2
const REFUSED_VALUE = /^Parsing --\S+ \n\t(.*)\nSee more help with --help$/s

function missingText(noun: string, names: readonly string[]): string {
  return `Missing ${noun}${names.length > 1 ? 's' : ''}: ${names.join(' ')}.`
}

function oclifExit(error: Error): number | undefined {
  const exit = memberOf(memberOf(error, 'oclif'), 'exit')
  return typeof exit === 'number' ? exit : undefined
}

function usage(message: string, hint = 'Add --help for the usage.'): AppError {
  return new AppError('invalid', 'wrong_usage', message, { hint })
}

interface ParseError {
  said: string
  missing: string[]
  missingFlags: string[]
  unknownFlags: string[]
  knownFlags: string[]
}

/** The members of oclif's errors, for which it exports no types. */
function readParseError(error: Error): ParseError {
  const lines = error.message.split('\n').map(line => line.trim().replace(/\s+/g, ' '))
  const sentences = lines.filter(line => line !== '' && !NOISE.test(line)).map(toSentence)
  const input = memberOf(memberOf(error, 'parse'), 'input')
  return {
    said: sentences.join(' '),
    missingFlags: lines.flatMap(line => /^Missing required flag (\S+)$/.exec(line)?.[1] ?? []).map(name => `--${name}`),
    missing: error.constructor.name === 'RequiredArgsError' ? listOf(error, 'args').map(toArgText) : [],
    unknownFlags: listOf(error, 'flags').map(String),
    knownFlags: Object.keys(memberOf(input, 'flags') ?? {}),
  }
}

const NOISE = /^(?:See more help with --help|The following errors? occurred:)$/

/** A flag without a value is shown without one. */
function toSentence(line: string): string {
  const shown = line.replace(/^Parsing (--\S+)$/, '$1:').replace(/^(--\S+)=true cannot also/, '$1 cannot also')
  return /[.?!:]$/.test(shown) ? shown : `${shown}.`
}

function toArgText(arg: unknown): string {
  const options = listOf(arg, 'options').join('|')
  return `<${options || memberOf(arg, 'name')}>`
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function listOf(value: unknown, name: string): unknown[] {
  const list = memberOf(value, name)
  return Array.isArray(list) ? list : []
}
