import { AppError } from '../model/app-error.js'
import type { LedgerClient } from './ledger-client.js'

/**
 * Whether a running ledger has a secret for the webhook of this source.
 *
 * @returns undefined when no ledger answers
 * @throws AppError as `LedgerClient`, but for one that cannot be reached
 */
export async function isSecretConfigured(
  client: Pick<LedgerClient, 'platforms'>,
  source: string,
): Promise<boolean | undefined> {
  try {
    const answer = (await client.platforms()).json()
    const items = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'items') : undefined
    const platform = Array.isArray(items) ? items.find(item => item?.source === source) : undefined
    return platform?.secret_configured === true
  } catch (error) {
    if (error instanceof AppError && error.code === 'server_unreachable') return undefined
    throw error
  }
}
