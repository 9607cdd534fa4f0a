/** Compares a delivery with the configured secrets; all platforms share it. */
import { AppError } from '../../model/app-error.js'

/** The configured secrets without empty ones, which prove nothing. */
export function usableSecrets(secrets: readonly string[]): string[] {
  return secrets.filter(secret => secret !== '')
}

/** Whether any secret matches. Tries all, so that the duration does not reveal which one matches. */
export function anyMatches<Secret>(secrets: readonly Secret[], matches: (secret: Secret) => boolean): boolean {
  let found = false
  for (const secret of secrets) if (matches(secret)) found = true
  return found
}

/** @param challenge `WWW-Authenticate`, for senders that wait for it */
export function signatureInvalid(message: string, hint: string, challenge?: string): AppError {
  return new AppError('unauthenticated', 'signature_invalid', message, { hint, ...(challenge ? { challenge } : {}) })
}
