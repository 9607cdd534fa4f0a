import { AppError } from '../model/app-error.js'
import { closest } from './closest.js'

/** oclif's way to end a command. @returns the exit code; undefined for any other error */
export function toExit(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIT') return undefined
  return oclifExit(error)
}

/**
 * What oclif says about flags and arguments, as an error of ours: one sentence, and the likely flag.
 *
 * @returns undefined for an error that is not about usage
 */
export function toUsageError(error: unknown): AppError | undefined {
  if (!(error instanceof Error) || oclifExit(error) !== WRONG_USAGE) return undefined
  const { context, message } = readParseError(error)
  const unknown = context.unknownFlags[0]
  if (unknown !== undefined) {
    const likely = closest(
      unknown.replace(/=.*$/s, ''),
      context.knownFlags.map(name => `--${name}`),
    )
    return usage(`There is no flag ${unknown}.`, likely === undefined ? undefined : `Did you mean ${likely}?`)
  }
  return usage(message)
}

const WRONG_USAGE = 2

function oclifExit(error: Error): number | undefined {
  const oclif = 'oclif' in error && isObject(error.oclif) ? error.oclif : {}
  return 'exit' in oclif && typeof oclif.exit === 'number' ? oclif.exit : undefined
}

function usage(message: string, hint = 'Add --help to see what is possible.'): AppError {
  return new AppError('invalid', 'wrong_usage', message, { hint })
}

interface ParseError {
  message: string
  context: { unknownFlags: string[]; knownFlags: string[] }
}

/** The parts of oclif's error that it does not export a type for. */
function readParseError(error: Error): ParseError {
  const lines = error.message.split('\n').map(line => line.trim().replace(/\s+/g, ' '))
  const said = lines.filter(line => line !== '' && line !== 'See more help with --help').join(' ')
  const message = /[.?!]$/.test(said) ? said : `${said}.`
  const flags =
    'flags' in error && Array.isArray(error.flags) ? error.flags.filter(flag => typeof flag === 'string') : []
  const parse = 'parse' in error && isObject(error.parse) && 'input' in error.parse ? error.parse.input : undefined
  const known = isObject(parse) && 'flags' in parse && isObject(parse.flags) ? Object.keys(parse.flags) : []
  return { message, context: { unknownFlags: flags, knownFlags: known } }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
