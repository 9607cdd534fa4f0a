/**
 * The value of the cookie `name` exactly as sent: nothing is decoded or unquoted, and only space and tab are trimmed
 * around a pair (a parser that trims other white space takes a neighbour's `\u00a0name=` for `name=`). Two different
 * values yield none: one of them comes from a neighbouring host or path, and the header does not show which.
 *
 * @param header every `Cookie` line, joined by `; `.
 *
 * Source: decisions on security, section 2, "cookie parsing".
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  const start = `${name}=`
  let value: string | undefined
  for (const part of header.split(';')) {
    const pair = withoutBlanks(part)
    if (!pair.startsWith(start)) continue
    const found = pair.slice(start.length)
    if (value !== undefined && value !== found) return undefined
    value = found
  }
  return value
}

/** Not a pattern: one that looks for trailing blanks retries from each blank of a header full of them. */
function withoutBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

export interface CookiePlace {
  name: string
  /** `/` or the root path. A name that begins with `__Host-` needs `/` and `secure`, or browsers drop the cookie. */
  path: string
  /** Browsers send it over TLS only. */
  secure: boolean
}

/**
 * The `Set-Cookie` that starts a session. The cookie has no age, so it ends with the browser, and no domain, so no
 * other host gets it.
 */
export function sessionCookie(cookie: CookiePlace & { value: string }): string {
  return `${cookie.name}=${cookie.value}; ${attributes(cookie)}`
}

/** The `Set-Cookie` that ends a session. Same name and path: otherwise the browser keeps the old cookie next to it. */
export function endedCookie(cookie: CookiePlace): string {
  return `${cookie.name}=; Max-Age=0; ${attributes(cookie)}`
}

function attributes({ path, secure }: CookiePlace): string {
  return `Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}
