import { AppError } from '../model/app-error.js'
import { closest } from './closest.js'

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
  if (!(error instanceof Error) || oclifExit(error) !== WRONG_USAGE) return undefined
  const { said, missing, unknownFlags, knownFlags } = readParseError(error)
  const plural = missing.length > 1 ? 's' : ''
  if (missing.length > 0) return usage(`Missing argument${plural}: ${missing.join(' ')}.`)
  const [unknown] = unknownFlags
  if (unknown === undefined) return usage(said)
  const known = knownFlags.map(name => `--${name}`)
  const likely = closest(unknown.replace(/=.*/s, ''), known)
  return usage(`Unknown flag: ${unknown}.`, likely === undefined ? undefined : `Did you mean ${likely}?`)
}

const WRONG_USAGE = 2

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
  unknownFlags: string[]
  knownFlags: string[]
}

/** The members of oclif's errors, for which it exports no types. */
function readParseError(error: Error): ParseError {
  const lines = error.message.split('\n').map(line => line.trim().replace(/\s+/g, ' '))
  const said = lines.filter(line => line !== '' && !NOISE.test(line)).join(' ')
  const input = memberOf(memberOf(error, 'parse'), 'input')
  return {
    said: /[.?!]$/.test(said) ? said : `${said}.`,
    missing: error.constructor.name === 'RequiredArgsError' ? listOf(error, 'args').map(toArgText) : [],
    unknownFlags: listOf(error, 'flags').map(String),
    knownFlags: Object.keys(memberOf(input, 'flags') ?? {}),
  }
}

const NOISE = /^(?:See more help with --help|The following errors? occurred:)$/

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
