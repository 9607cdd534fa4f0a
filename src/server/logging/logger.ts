import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import pino, { type LogFn, type Logger } from 'pino'
import type pretty from 'pino-pretty'
import { LogOutput } from './log-output.js'

interface LoggerSettings {
  level: string
  /** Text for a person at a terminal; otherwise one JSON object a line. */
  pretty: boolean
}

const STANDARD_ERROR = 2

/**
 * A logger to standard error, because standard output is for the output of commands. It writes lines immediately, never
 * throws, and survives a full disk and a closed pipe.
 *
 * @param write writes some of the bytes, as `fs.writeSync` does; to standard error when absent
 */
export function createLogger(
  { level, pretty: forPeople }: LoggerSettings,
  write = (bytes: Uint8Array) => writeSync(STANDARD_ERROR, bytes),
): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { logMethod: logSafely } }
  const toText = forPeople ? prettyText() : String
  const lostLines = pino(options, { write: line => lost.push(line) })
  const lost: string[] = []
  const output = new LogOutput({
    write,
    lostLine: count => {
      lostLines.warn({ lost_lines: count }, 'lines are missing here: they could not be written')
      return lost.splice(0).map(toText).join('')
    },
  })
  return pino(options, { write: line => output.write(toText(line)) })
}

/** Loaded only for output to people, because it takes longer than the rest of the logger. */
function prettyText(): (line: string) => string {
  const { prettyFactory }: typeof pretty = createRequire(import.meta.url)('pino-pretty')
  return prettyFactory({ colorize: true, translateTime: 'HH:MM:ss' })
}

/** Members that cannot be serialised affect only their own line. */
function logSafely(this: Logger, args: Parameters<LogFn>, log: LogFn): void {
  try {
    log.apply(this, args)
  } catch (error) {
    const text = args.find(arg => typeof arg === 'string') ?? ''
    const reason = error instanceof Error ? error.message : typeof error
    log.call(this, `a line of the log could not be serialised (${reason}): ${text}`)
  }
}
