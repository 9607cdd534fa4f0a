import { LedgerClient, OWN } from '../client/ledger-client.js'
import { AppError } from '../model/app-error.js'
import type { Profile } from '../settings/profiles.js'
import { toTerminalLine } from './terminal/text.js'

/**
 * Revokes the token of a profile, if its login issued the token. If that fails, reports the token on standard error,
 * because the profile is removed in any case.
 *
 * @returns whether it was revoked
 */
export async function revokeIssuedToken({ api_url, token, token_id }: Profile): Promise<boolean> {
  if (token_id === undefined) return false
  try {
    const client = new LedgerClient({ apiUrl: api_url }, { credential: { kind: 'token', secret: token } })
    await client.revokeToken(OWN, token_id)
    return true
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    process.stderr.write(`The token ${token_id} was not revoked. ${toTerminalLine(error.message)}\n`)
    return false
  }
}
