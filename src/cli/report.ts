import { AppError, type FieldProblem } from '../model/app-error.js'
import { EXIT_DEFECT, exitCodeOf } from './exit-codes.js'
import { toTerminalLine, toTerminalText } from './terminal-text.js'
import { toExit, toUsageError } from './usage-error.js'

/** How a command that failed ends. */
export interface Report {
  exitCode: number
  /** JSON on standard output, for who asked for JSON. */
  out?: string
  /** Lines on standard error, for people. */
  err?: string
}

export interface ReportOptions {
  json: boolean
  /** Defects show where they happened. */
  stacks: boolean
}

const MAX_MESSAGE_CHARACTERS = 2_000
const MAX_PROBLEMS = 50

/**
 * What to say about a failure. An expected one is one line, and one more for each field that was refused; a defect is one
 * line. With `--json` it is `{"error":{"code","detail","errors"}}` on standard output, where the answer would have been,
 * and standard error stays silent.
 */
export function toReport(thrown: unknown, { json, stacks }: ReportOptions): Report {
  const exit = toExit(thrown)
  if (exit !== undefined) return { exitCode: exit }
  const error = thrown instanceof AppError ? thrown : toUsageError(thrown)
  if (!error) {
    const detail = defect(thrown)
    const stack = stacks && thrown instanceof Error && thrown.stack ? `\n${toTerminalText(thrown.stack)}` : ''
    if (json)
      return {
        exitCode: EXIT_DEFECT,
        out: toJson({ code: 'internal', message: detail }),
        ...(stack ? { err: stack.trim() } : {}),
      }
    return { exitCode: EXIT_DEFECT, err: `${detail}${stack}` }
  }
  const exitCode = exitCodeOf(error)
  if (json) return { exitCode, out: toJson(error) }
  return { exitCode, err: toLines(error).join('\n') }
}

/** What JSON output says of a failure, wherever it stands there. */
export interface ReportedError {
  code: string
  detail: string
  errors: readonly FieldProblem[]
}

export function toReportedError({ code, message, errors = [] }: Reportable): ReportedError {
  return { code, detail: message, errors }
}

type Reportable = Pick<AppError, 'code' | 'message'> & Partial<Pick<AppError, 'errors'>>

function toJson(error: Reportable): string {
  return JSON.stringify({ error: toReportedError(error) })
}

function toLines({ message, errors }: AppError): string[] {
  // A single problem is often the whole message.
  const problems = errors.filter(({ detail }) => !message.includes(detail)).map(toLine)
  const shown = problems.slice(0, MAX_PROBLEMS).map(line => `  ${line}`)
  const hidden = problems.length - shown.length
  return [line(message), ...shown, ...(hidden > 0 ? [`  … and ${hidden} more.`] : [])]
}

function toLine({ field, detail }: FieldProblem): string {
  return line(field === '' || detail.includes(field) ? detail : `${field}: ${detail}`)
}

/** The first line of what is known. More would be pages of somebody else's code. */
function defect(thrown: unknown): string {
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  const first = what.split('\n').find(text => text.trim() !== '') ?? 'unknown'
  return `Something went wrong inside daybook (${line(first).slice(0, 300)}). EVENT_LOG_LEVEL=debug shows where.`
}

function line(text: string): string {
  const clean = toTerminalLine(text)
  return clean.length > MAX_MESSAGE_CHARACTERS ? `${clean.slice(0, MAX_MESSAGE_CHARACTERS)}…` : clean
}
