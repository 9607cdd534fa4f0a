/** The configured secrets that prove anything: an empty one is known to everybody. */
export function usableSecrets(secrets: readonly string[]): string[] {
  return secrets.filter(secret => secret !== '')
}
