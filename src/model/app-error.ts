/** All expected failures of a request or command. The category selects the HTTP status and the exit code. */
export type ErrorCategory =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  /** It existed, and was removed. */
  | 'gone'
  /** The client's version of the resource is outdated. */
  | 'outdated'
  | 'too_large'
  | 'unsupported_type'
  | 'throttled'
  /** The header section, or one line of it, is too large. */
  | 'headers_too_large'
  /** The request named a host that this server does not serve. */
  | 'misdirected'
  | 'unavailable'
  | 'configuration'
  | 'internal'

/** One refused field: a JSON pointer (or parameter name) and a sentence for people. */
export interface FieldProblem {
  field: string
  detail: string
}

interface AppErrorOptions {
  /** What to do next, as a sentence. Appended to the message. */
  hint?: string
  /** Every refused field, if the message cannot name them all. */
  errors?: FieldProblem[]
  /** Seconds until a retry makes sense. May be fractional. */
  retryAfterSeconds?: number
  /** The checkpoint with which a consumer can continue. */
  nextSince?: string
  /** The `WWW-Authenticate` header of the answer. Replaces the program's own. */
  challenge?: string
  /** For the operator: in the log and in the errors of commands. Answers of a server do not contain it. */
  operatorDetail?: string | undefined
  cause?: unknown
}

/**
 * An expected failure. Anything else thrown is a defect, answered without details.
 *
 * `code` is for programs and is never reworded; `message` is for people: what was wrong with their input, then what to
 * do. Never put a secret in either.
 */
export class AppError extends Error {
  readonly errors: FieldProblem[]
  readonly retryAfterSeconds: number | undefined
  readonly nextSince: string | undefined
  readonly challenge: string | undefined
  readonly operatorDetail: string | undefined

  constructor(
    readonly category: ErrorCategory,
    readonly code: string,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(options.hint ? `${message} ${options.hint}` : message, { cause: options.cause })
    this.name = 'AppError'
    this.errors = options.errors ?? []
    this.retryAfterSeconds = options.retryAfterSeconds
    this.nextSince = options.nextSince
    this.challenge = options.challenge
    this.operatorDetail = options.operatorDetail
  }
}

const REFUSALS: readonly ErrorCategory[] = ['unauthenticated', 'forbidden', 'throttled']

/** Whether the caller was refused. Includes `throttled`: the address showed too many wrong keys or tokens. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && REFUSALS.includes(error.category)
}

/** Refuses one field of an input: `invalid/invalid_field`. */
export function invalidField(field: string, detail: string): AppError {
  return new AppError('invalid', 'invalid_field', detail, { errors: [{ field, detail }] })
}

/** Refuses an input with these problems. `what` begins the sentence: "The event". */
export function refusedInput(what: string, errors: FieldProblem[]): AppError {
  const [first] = errors
  const more = errors.length > 1 ? ` (And ${errors.length - 1} more.)` : ''
  return new AppError('invalid', 'invalid_field', `${what} is refused: ${first?.detail}${more}`, { errors })
}

/**
 * Joins several refusals of one input to one that lists every field. Its code is the common one, or `invalid_field`.
 */
export function joinRefusals(refusals: readonly AppError[]): AppError {
  const [first, ...others] = refusals
  if (first && others.length === 0) return first
  const code = first && others.every(refusal => refusal.code === first.code) ? first.code : 'invalid_field'
  const message = `${refusals.length} parts of the request are not acceptable; "errors" lists them. The first: ${first?.message ?? ''}`
  return new AppError('invalid', code, message, { errors: refusals.flatMap(fieldsOf) })
}

/** The refused fields; an input refused as a whole is the field "". */
export function fieldsOf(refusal: AppError): FieldProblem[] {
  return refusal.errors.length > 0 ? refusal.errors : [{ field: '', detail: refusal.message }]
}
