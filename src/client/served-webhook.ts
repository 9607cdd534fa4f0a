import { isObject } from '../model/json-object.js'
import type { LedgerClient } from './ledger-client.js'
import type { CallOptions } from './server-client.js'

/** What a running ledger reports about the webhook of one source. */
export interface ServedWebhook {
  isSecretConfigured: boolean
  /**
   * Messages of this source are captured too, so not every repeat is a delivery. A poll skips events that its watch
   * has.
   */
  isCaptured: boolean
  /** Origin of the platform's server, if set in the ledger rather than taken from the hook's address. */
  site?: string
}

/** @throws AppError as `LedgerClient` */
export async function askForWebhook(
  client: Pick<LedgerClient, 'platforms'>,
  source: string,
  options?: CallOptions,
): Promise<ServedWebhook> {
  const answer = (await client.platforms(options)).json()
  const items = isObject(answer) ? answer.items : undefined
  const platform = Array.isArray(items) ? items.find(item => item?.source === source) : undefined
  const modes: unknown = platform?.capture_modes
  const site: unknown = platform?.site
  return {
    isSecretConfigured: platform?.secret_configured === true,
    isCaptured: Array.isArray(modes) && modes.includes('api_cursor'),
    ...(typeof site === 'string' ? { site } : {}),
  }
}
