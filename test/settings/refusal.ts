import { AppError, type FieldProblem } from '../../src/model/app-error.js'

/** The problems for which reading settings is refused; empty if it is not. */
export function problemsOf(read: () => unknown): FieldProblem[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof AppError && error.code === 'settings_invalid' && error.category === 'configuration') {
      return error.errors
    }
    throw error
  }
}
