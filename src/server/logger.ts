import pino, { type Logger } from 'pino'
import pretty from 'pino-pretty'

export interface LoggerSettings {
  level: string
  /** For a person at a terminal; else one JSON object a line. */
  pretty: boolean
}

const STANDARD_ERROR = 2

/** A logger to standard error: standard output belongs to what a command prints. Lines are written as they come. */
export function createLogger({ level, pretty: forPeople }: LoggerSettings): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (!forPeople) return pino(options, pino.destination({ fd: STANDARD_ERROR, sync: true }))
  return pino(options, pretty({ destination: STANDARD_ERROR, sync: true, colorize: true, translateTime: 'HH:MM:ss' }))
}
