/** Every way in which a request or a command can fail as expected. It picks the HTTP status and the exit code. */
export type ErrorCategory =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  /** What it was made for has changed since. */
  | 'outdated'
  | 'too_large'
  | 'unsupported_type'
  | 'throttled'
  | 'unavailable'
  | 'configuration'
  | 'internal'

/** One field of the input that was refused: a JSON pointer (or parameter name) and a sentence for people. */
export interface FieldProblem {
  field: string
  detail: string
}

export interface AppErrorOptions {
  /** What to do next, as a sentence; appended to the message. */
  hint?: string
  /** Every refused field, where more than the message can name. */
  errors?: FieldProblem[]
  /** Seconds, whole or broken, after which a retry makes sense. */
  retryAfterSeconds?: number
  cause?: unknown
}

/**
 * An expected failure. Anything else that is thrown is a defect and is answered without details.
 *
 * `code` is for programs and is never reworded; `message` is for people: what was wrong with what they gave,
 * then what to do. Never put a secret in either.
 */
export class AppError extends Error {
  readonly errors: FieldProblem[]
  readonly retryAfterSeconds: number | undefined

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
  }
}

/** The refusal of one field of an input: `invalid/invalid_field`, or another `code` of the same category. */
export function invalidField(field: string, detail: string, code = 'invalid_field'): AppError {
  return new AppError('invalid', code, detail, { errors: [{ field, detail }] })
}

/** The refusal of an input that has these problems. `what` begins the sentence: "The event". */
export function refusedInput(what: string, errors: FieldProblem[]): AppError {
  const [first] = errors
  const more = errors.length > 1 ? ` (And ${errors.length - 1} more.)` : ''
  return new AppError('invalid', 'invalid_field', `${what} is refused: ${first?.detail}${more}`, { errors })
}
