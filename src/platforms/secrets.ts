/** The configured secrets without empty ones, which would prove nothing. */
export function usableSecrets(secrets: readonly string[]): string[] {
  return secrets.filter(secret => secret !== '')
}
