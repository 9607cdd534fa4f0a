const LONGEST = 2048
/** One slash, then printable ASCII without quotes, angle brackets, braces, backslash, caret, backtick and bar. */
const LOCAL_PATH = /^\/(?![/\\])[!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]*$/
const BROKEN_ESCAPE = /%(?![0-9a-f]{2})/i
/**
 * Escapes that a proxy or a second decoding could turn into a separator, a control character or another escape: slash,
 * backslash, percent, control, and the overlong forms that lax decoders read as ASCII.
 */
const DOUBTFUL_ESCAPE = /%(?:2f|5c|25|[01][0-9a-f]|7f|c0|c1|e0%80)/
const DOTS = new Set(['.', '..'])
const NOWHERE = 'http://x.invalid'

/**
 * Where to send a browser after login: `value` if it is a path on this server that no browser or proxy could read as
 * another host or path, else the root. The text is returned unchanged. Redirects must send exactly this text: parsing
 * it first would turn `/.//host` into `//host`.
 *
 * @param value what the caller sent; anything but a string of 1 to 2048 characters is ignored.
 * @param rootPath empty, or the prefix below which we are mounted, such as `/events`.
 *
 * Source: decisions on security, 0.13 and section 2, "safeNext".
 */
export function safeNext(value: unknown, rootPath: string): string {
  return typeof value === 'string' && isLocalPath(value, rootPath) ? value : `${rootPath}/`
}

function isLocalPath(text: string, rootPath: string): boolean {
  if (text.length > LONGEST || !LOCAL_PATH.test(text) || BROKEN_ESCAPE.test(text)) return false
  const path = text.replace(/[?#].*/s, '')
  const lowered = path.toLowerCase()
  if (path.includes('//') || DOUBTFUL_ESCAPE.test(lowered)) return false
  if (
    lowered
      .replaceAll('%2e', '.')
      .split('/')
      .some(segment => DOTS.has(segment))
  )
    return false
  const parsed = new URL(text, NOWHERE)
  return parsed.origin === NOWHERE && parsed.pathname === path && isBelow(path, rootPath)
}

function isBelow(path: string, rootPath: string): boolean {
  return path === rootPath || path.startsWith(`${rootPath}/`)
}
