import { AppError } from './app-error.js'

/** Whether a JSON value is an object: neither a list nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Refuses JSON that is not an object: `invalid/invalid_json`. @param what begins the sentence: "An event" */
export function readObject(input: unknown, what: string): Record<string, unknown> {
  if (isObject(input)) return input
  const detail = `${what} must be a JSON object.`
  throw new AppError('invalid', 'invalid_json', detail, { errors: [{ field: '', detail }] })
}
