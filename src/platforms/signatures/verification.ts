/** What the verification of a delivery has in common on all platforms. */
import { AppError } from '../../model/app-error.js'

/** The configured secrets without empty ones, which would prove nothing. */
export function usableSecrets(secrets: readonly string[]): string[] {
  return secrets.filter(secret => secret !== '')
}

/** Whether any secret matches. Tries them all: the duration must not reveal which one matches. */
export function anyMatches<Secret>(secrets: readonly Secret[], matches: (secret: Secret) => boolean): boolean {
  let found = false
  for (const secret of secrets) if (matches(secret)) found = true
  return found
}

/** @param challenge `WWW-Authenticate`, for senders that wait for it */
export function signatureInvalid(message: string, hint: string, challenge?: string): AppError {
  return new AppError('unauthenticated', 'signature_invalid', message, { hint, ...(challenge ? { challenge } : {}) })
}
