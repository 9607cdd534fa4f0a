import { AppError } from '../../model/app-error.js'
import type { HttpRequest } from '../http/route.js'

/**
 * A segment of the path, decoded once, from the path as sent: polka decodes parameters too, but treats a broken escape as
 * text.
 *
 * @param fromEnd how many segments follow it
 * @throws AppError `invalid/invalid_path`
 */
export function pathParam(req: HttpRequest, fromEnd = 0): string {
  try {
    return decodeURIComponent(pathSegment(req, fromEnd))
  } catch (cause) {
    throw new AppError('invalid', 'invalid_path', 'A part of the path is not percent-encoded UTF-8.', {
      hint: 'Encode it, "/" as %2F and "%" itself as %25.',
      cause,
    })
  }
}

/** A segment of the path as sent. @param fromEnd how many segments follow it */
export function pathSegment(req: HttpRequest, fromEnd = 0): string {
  const path = req.path.endsWith('/') ? req.path.slice(0, -1) : req.path
  return path.split('/').at(-1 - fromEnd) ?? ''
}
