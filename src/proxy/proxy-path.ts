import { AppError } from '../model/app-error.js'

/** The target of a request for a backend. */
interface ProxyPath {
  profile: string
  /** Below the backend's base address, with its query, as sent. Begins with `/api/`. */
  path: string
}

const LONGEST = 4096
export const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
/** The characters of RFC 3986, section 3.3, with complete escapes only. */
const API_PATH = /^\/api\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/
/** The characters of section 3.4. A query has no folders, so any escape is allowed. */
const QUERY = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/
/**
 * Escapes that the backend, or a proxy in front of it, could decode to a dot, a separator, another escape or a control
 * character: `. / ; \ %`, and the overlong and full-width forms that lax decoders accept as ASCII.
 */
const DOUBTFUL_ESCAPE = /%(?:2[ef5]|3b|5c|[01][0-9a-f]|7f|c0|c1|e0%80|ef%bc)/i
/** `..`, also with parts that some servers cut off first: parameters, blanks, an escaped query. */
const DOTS = /^\.+\s*(?:[;?#]|$)/

/**
 * Splits the target of a request for a backend as raw text: nothing is decoded, resolved or assembled again, so the text
 * that was checked is the text that is sent.
 *
 * @param target the request's target, as sent
 * @param rootPath in front of our own paths: empty, or `/x`; case-sensitive
 * @throws AppError `not_found/not_found` without the name of a profile, `invalid/invalid_path`
 *
 * Source: decisions on security, section 5.
 */
export function proxyPath(target: string, rootPath: string): ProxyPath {
  const before = `${rootPath}/api/backends/`
  const end = target.indexOf('/', before.length)
  const profile = target.slice(before.length, end)
  if (!target.startsWith(before) || end === -1 || !PROFILE_NAME.test(profile)) throw unknownProfile()
  const path = target.slice(end)
  if (!isBackendPath(path)) {
    throw new AppError('invalid', 'invalid_path', 'This path is not passed on to a backend.', {
      hint: 'Send /api/… in plain characters, without "//", segments of dots and escaped separators, up to 4 KiB.',
    })
  }
  return { profile, path }
}

/** Whether this is a path, with or without a query, that cannot lead out of `/api/`. */
export function isBackendPath(text: string): boolean {
  if (text.length > LONGEST) return false
  const mark = text.indexOf('?')
  const path = mark === -1 ? text : text.slice(0, mark)
  if (!API_PATH.test(path) || (mark !== -1 && !QUERY.test(text.slice(mark + 1)))) return false
  if (path.includes('//') || DOUBTFUL_ESCAPE.test(path)) return false
  const decoded = decode(path)
  return decoded !== undefined && !decoded.split('/').some(segment => DOTS.test(segment))
}

/** Undefined for escapes that are not UTF-8, such as other overlong forms. */
function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

export function unknownProfile(): AppError {
  return new AppError('not_found', 'not_found', 'There is no backend profile of this name.', {
    hint: 'GET /api/backends lists them.',
  })
}
