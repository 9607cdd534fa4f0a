import { COMMON_PASSWORDS } from './common-passwords.js'

let common: ReadonlySet<string> | undefined

/**
 * Why a new password is easy to guess: it equals the user's name, or it is one of the most common passwords. The
 * comparison ignores case and uses the compatibility form (NFKC), so that another spelling counts as equal.
 *
 * @returns the end of a sentence that begins with the password; undefined if nothing is wrong with it
 *
 * Source: OWASP ASVS 5.0, 6.2.4.
 */
export function weaknessOf(password: string, username: string | undefined): string | undefined {
  const folded = fold(password)
  if (username !== undefined && folded === fold(username)) return 'must not be the username'
  common ??= new Set(COMMON_PASSWORDS.trim().split(/\s+/))
  return common.has(folded) ? 'is one of the most common passwords, and would be guessed. Choose another' : undefined
}

function fold(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase()
}
