import { AppError } from '../../model/app-error.js'
import { trimOf } from '../../model/trim.js'
import type { HttpRequest } from '../http/route.js'

/**
 * The media type of a body, without parameters, in lower case.
 *
 * @param accepted the media types of the route
 * @throws AppError `unsupported_type/unsupported_media_type`, also for a charset other than UTF-8
 */
export function readMediaType<T extends string>(req: HttpRequest, accepted: readonly T[]): T {
  const header = req.headers['content-type'] ?? ''
  const exact = accepted.find(type => type === header)
  if (exact) return exact
  const [type = '', ...parameters] = header.toLowerCase().split(';')
  // Not trim(), which would remove blanks that HTTP does not allow here.
  const blankless = trimOf(type, ' \t')
  const found = accepted.find(candidate => candidate === blankless)
  if (!found) throw unsupported(`The body must be ${accepted.join(' or ')}. Set the Content-Type header.`)
  if (parameters.some(parameter => /^[ \t]*charset[ \t]*=(?![ \t]*"?utf-?8"?[ \t]*$)/.test(parameter))) {
    throw unsupported('JSON must be UTF-8. Send it in that charset.')
  }
  return found
}

function unsupported(detail: string): AppError {
  return new AppError('unsupported_type', 'unsupported_media_type', detail)
}
