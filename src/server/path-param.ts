import { AppError } from '../model/app-error.js'
import type { HttpRequest } from './route.js'

/**
 * The last segment of the path, decoded once. It is taken from the path as sent: polka decodes parameters as well, but
 * hands a broken escape on as if it were text.
 *
 * @throws AppError `invalid/invalid_path`
 */
export function pathParam(req: HttpRequest): string {
  const path = req.path.endsWith('/') ? req.path.slice(0, -1) : req.path
  try {
    return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  } catch (cause) {
    throw new AppError('invalid', 'invalid_path', 'The last part of the path is not percent-encoded UTF-8.', {
      hint: 'Encode it, "/" as %2F and "%" itself as %25.',
      cause,
    })
  }
}
