import { LedgerClient } from '../client/ledger-client.js'
import { readClientSettings } from '../settings/client-settings.js'
import { ApiCommandContext } from './api-command-context.js'
import { warnOfVisibleSecret } from './visible-secret.js'

/** The flags of every command that calls a ledger. */
export interface LedgerFlags {
  json: boolean
  'api-url'?: string | undefined
  token?: string | undefined
}

/** Calls a running ledger on behalf of a command. */
export class LedgerApiContext extends ApiCommandContext {
  client(flags: LedgerFlags): LedgerClient {
    if (flags.token !== undefined) warnOfVisibleSecret('--token', 'EVENT_API_TOKEN')
    const { apiUrl, credential } = readClientSettings({ apiUrl: flags['api-url'], token: flags.token }, this.sources)
    return new LedgerClient({ apiUrl }, credential ? { credential } : {})
  }
}
