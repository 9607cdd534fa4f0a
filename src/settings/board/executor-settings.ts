import { join } from 'node:path'
import { place, type SettingReader } from '../reading/setting-reader.js'

/** The command of a real run, and its environment. */
export interface BoardExecutorSettings {
  /** Program and arguments; absent: real runs are disabled. */
  command?: readonly string[]
  timeoutSeconds: number
  /** Variables passed to the program, with their current values. Unset ones are absent; empty without a command. */
  environment: Readonly<Record<string, string>>
  /** Absolute: the working folder, created when needed. */
  folder: string
}

const COMMAND = 'BOARD_EXECUTOR_COMMAND'
const ENVIRONMENT = 'BOARD_EXECUTOR_ENV'
const TIMEOUT_SECONDS = { min: 1, max: 86_400, default: 600 }
const MAX_WORDS = 64
const MAX_COMMAND_CHARACTERS = 32 * 1024
const MAX_VARIABLES = 64
/** Variables that every program needs. They contain no secrets. */
const ALWAYS_PASSED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
/** Our own settings. With the board's secrets, a run could authorise itself. */
const OURS = /^(?:BOARD|EVENT|ARCH|DAYBOOK)_/i
/** Characters that an argument cannot contain. */
const UNFIT = /[\0\p{Cs}]/u

/**
 * Settings of the executor, as part of a larger set that ends with `reader.finish()`.
 *
 * @param boardHome absolute
 *
 * Source: decisions on the board, section 8.
 */
export function readBoardExecutor(reader: SettingReader, boardHome: string): BoardExecutorSettings {
  const command = readCommand(reader)
  const names = new Set([...ALWAYS_PASSED, ...readVariables(reader)])
  // Without a command, no program receives the variables.
  const environment = command ? valuesOf(names, reader.sources.env) : {}
  const folder = reader.find('BOARD_EXECUTOR_FOLDER')
  return {
    ...(command ? { command } : {}),
    timeoutSeconds: reader.integer('BOARD_EXECUTOR_TIMEOUT_SECONDS', TIMEOUT_SECONDS),
    environment,
    folder: folder ? reader.path(folder.value) : join(boardHome, 'work'),
  }
}

/** The value is never shown: arguments may contain secrets. */
function readCommand(reader: SettingReader): readonly string[] | undefined {
  const found = reader.find(COMMAND)
  if (!found) return undefined
  const command = found.value.length > MAX_COMMAND_CHARACTERS ? undefined : parseJson(found.value)
  if (isCommand(command)) return command
  const allowed = `a JSON array of 1 to ${MAX_WORDS} strings, the program first, none of them empty, together up to ${MAX_COMMAND_CHARACTERS / 1024} KiB`
  reader.refuse(
    COMMAND,
    `${COMMAND}${place(found)} is not ${allowed}. Write it like ["/usr/local/bin/agent","--card"].`,
  )
  return undefined
}

function isCommand(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_WORDS) return false
  return value.every(word => typeof word === 'string' && word !== '' && !UNFIT.test(word))
}

/** Only names are ever shown: a user who assumes a list of values may have written secrets. */
function readVariables(reader: SettingReader): readonly string[] {
  const found = reader.find(ENVIRONMENT)
  if (!found) return []
  const names = found.value.split(',').map(name => name.trim())
  if (names.length > MAX_VARIABLES || !names.every(name => VARIABLE.test(name))) {
    const allowed = `is not a list of up to ${MAX_VARIABLES} names of variables with commas between them`
    reader.refuse(ENVIRONMENT, `${ENVIRONMENT}${place(found)} ${allowed}, and without their values.`)
    return []
  }
  const refused = names.filter(name => OURS.test(name))
  if (refused.length === 0) return names
  const detail = `names ${refused.join(', ')}: variables that begin with BOARD_, EVENT_, ARCH_ or DAYBOOK_ are not passed on`
  reader.refuseValue(found, detail)
  return []
}

/** Only from the process: the shared environment contains settings, not variables for other programs. */
function valuesOf(names: ReadonlySet<string>, env: Readonly<Record<string, string | undefined>>) {
  const values: Record<string, string> = {}
  for (const name of names) {
    const value = env[name]
    if (value !== undefined) values[name] = value
  }
  return values
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
