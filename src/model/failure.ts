import { AppError, type ErrorCategory, type FieldProblem } from './app-error.js'

/** An error in transit between threads, which preserve neither class nor own members. */
export interface Failure {
  category: ErrorCategory
  code: string
  message: string
  errors?: FieldProblem[]
  retryAfterSeconds?: number
  /** The stack of a defect, only for the log. */
  stack?: string
}

/** A defect keeps its stack, for the log. */
export function toFailure(error: unknown): Failure {
  if (error instanceof AppError) {
    const { category, code, message, errors, retryAfterSeconds } = error
    return {
      category,
      code,
      message,
      ...(errors.length > 0 ? { errors } : {}),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    }
  }
  const stack = error instanceof Error ? error.stack : String(error)
  return { category: 'internal', code: 'internal', message: 'A thread failed.', ...(stack ? { stack } : {}) }
}

export function fromFailure({ category, code, message, stack, ...options }: Failure): AppError {
  const error = new AppError(category, code, message, options)
  if (stack) error.stack = stack
  return error
}
