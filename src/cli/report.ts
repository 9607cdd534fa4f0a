import { AppError, type FieldProblem } from '../model/app-error.js'
import { processSources } from '../settings/reading/setting-sources.js'
import { readTerminalSettings } from '../settings/terminal-settings.js'
import { EXIT_DEFECT, exitCodeOf } from './exit-codes.js'
import { toTerminalLine, toTerminalText } from './terminal/text.js'
import { toExit, toUsageError } from './usage-error.js'

/** Output of a failed command. */
export interface Report {
  exitCode: number
  /** JSON for standard output; only with `--json`. */
  out?: string
  /** Lines on standard error, for people. */
  err?: string
}

interface ReportOptions {
  json: boolean
  /** Whether to show the stack of defects. */
  stacks: boolean
}

const MAX_MESSAGE_CHARACTERS = 2_000
const MAX_PROBLEMS = 50

/**
 * Formats a failure. An expected failure has one line, plus one for each refused field; a defect has one line. With
 * `--json`, `{"error":{"code","detail","errors"}}` replaces the result on standard output, and standard error stays
 * empty.
 */
export function toReport(thrown: unknown, { json, stacks }: ReportOptions): Report {
  const exit = toExit(thrown)
  if (exit !== undefined) return { exitCode: exit }
  const error = toUsageError(thrown) ?? (thrown instanceof AppError ? thrown : undefined)
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

/** The JSON form of a failure, at the top level or within a result. */
interface ReportedError {
  code: string
  detail: string
  errors: readonly FieldProblem[]
}

export function toReportedError({ code, message, operatorDetail, errors = [] }: Reportable): ReportedError {
  return { code, detail: operatorDetail === undefined ? message : `${message} (${operatorDetail})`, errors }
}

type Reportable = Pick<AppError, 'code' | 'message'> & Partial<Pick<AppError, 'errors' | 'operatorDetail'>>

function toJson(error: Reportable): string {
  return JSON.stringify({ error: toReportedError(error) })
}

function toLines({ message, operatorDetail, errors }: AppError): string[] {
  // A single problem is often the whole message.
  const problems = errors.filter(({ detail }) => !message.includes(detail)).map(toLine)
  const shown = problems.slice(0, MAX_PROBLEMS).map(line => `  ${line}`)
  const hidden = problems.length - shown.length
  const place = operatorDetail === undefined ? [] : [`  ${line(operatorDetail)}`]
  return [line(message), ...place, ...shown, ...(hidden > 0 ? [`  … and ${hidden} more.`] : [])]
}

function toLine({ field, detail }: FieldProblem): string {
  return line(field === '' || detail.includes(field) ? detail : `${field}: ${detail}`)
}

/** Only the first line. The rest would be pages of third-party code. */
function defect(thrown: unknown): string {
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  const first = what.split('\n').find(text => text.trim() !== '') ?? 'unknown'
  return `Internal error in daybook (${line(first).slice(0, 300)}). EVENT_LOG_LEVEL=debug shows where.`
}

function line(text: string): string {
  const clean = toTerminalLine(text)
  return clean.length > MAX_MESSAGE_CHARACTERS ? `${clean.slice(0, MAX_MESSAGE_CHARACTERS)}…` : clean
}

/** Reports the failure of a command line and ends the process, even if the command left something open. */
export function exitWithError(error: unknown, argv: readonly string[]): void {
  const { stacks } = readTerminalSettings(processSources())
  const json = wantsJson(argv) && !isOfOutput(error)
  const { exitCode, out, err } = toReport(error, { json, stacks })
  // Standard error is closed, so nothing can be reported.
  process.stderr.on('error', () => process.exit(EXIT_DEFECT))
  const streams = [
    [process.stdout, out],
    [process.stderr, err],
  ] as const
  let waiting = streams.length
  for (const [stream, text] of streams) {
    stream.write(text ? `${text}\n` : '', () => {
      waiting -= 1
      if (waiting === 0) process.exit(exitCode)
    })
  }
}

/** Whether standard output failed: it takes no JSON either. */
function isOfOutput(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'output_full' || error.code === 'output_closed')
}

/** The flag that names a format. */
const OUTPUT = ['-o', '--output']

/** Whether a program reads standard output as JSON, and so expects the failure there. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? undefined : end).some((word, index, words) => {
    const value = OUTPUT.includes(words[index - 1] ?? '') ? word : /^(?:--output=|-o=?)(.*)$/.exec(word)?.[1]
    return word === '--json' || value === 'json' || value === 'jsonl'
  })
}
