import { isUtf8 } from 'node:buffer'
import { AppError, invalidField } from '../../model/app-error.js'
import { isDeeperThan, JSON_DEPTH } from '../../model/json-depth.js'
import { refuseInexactNumbers } from './exact-numbers.js'
import { walkJson } from './json-walk.js'

/**
 * The value of a JSON text. If two members have the same name, the last one counts.
 *
 * @throws AppError `invalid/invalid_json` with the place; `invalid/invalid_field` for a number that a double cannot represent,
 *   and for a value nested deeper than 64 levels
 */
export function readJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalidJson('it is not UTF-8')
  const text = bytes.toString('utf8', startsWithMark(bytes) ? 3 : 0)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw invalidJson(whereItBreaks(text), cause)
  }
  if (isDeeperThan(value, JSON_DEPTH)) {
    throw invalidField('', `The body is nested deeper than ${JSON_DEPTH} levels. Send it with fewer.`)
  }
  refuseInexactNumbers(text)
  return value
}

/** Whether a text begins with a byte order mark. */
export function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

export function invalidJson(reason: string, cause?: unknown): AppError {
  return new AppError('invalid', 'invalid_json', `The body is not valid JSON: ${reason}.`, { cause })
}

function whereItBreaks(text: string): string {
  if (text.trim() === '') return 'it is empty'
  const fault = walkJson(text)
  // If there is no syntax error, the text is too deep or too long for the engine.
  if (!fault) return 'it cannot be read'
  const before = text.slice(0, fault.offset)
  const line = before.split('\n').length
  const column = fault.offset - before.lastIndexOf('\n')
  return `at line ${line}, column ${column}: ${fault.problem}`
}
