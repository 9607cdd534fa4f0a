import { AppError } from '../../model/app-error.js'

/** A header in the form of a flag, `name=value`. @throws AppError `invalid/wrong_usage` */
export function readHeader(text: string): [name: string, value: string] {
  const equals = text.indexOf('=')
  if (equals < 1) {
    throw new AppError('invalid', 'wrong_usage', `--header "${text}" is not a name, "=" and a value.`)
  }
  return [text.slice(0, equals).trim().toLowerCase(), text.slice(equals + 1)]
}
