import { LedgerClient } from '../client/ledger-client.js'
import { readClientSettings } from '../settings/client-settings.js'
import { ServerCaller } from './server-caller.js'

/** The flags of every command that speaks to a ledger. */
export interface LedgerFlags {
  json: boolean
  'api-url'?: string | undefined
  token?: string | undefined
}

/** Asks a running ledger on behalf of a command. */
export class LedgerCaller extends ServerCaller {
  client(flags: LedgerFlags): LedgerClient {
    const { apiUrl, credential } = readClientSettings({ apiUrl: flags['api-url'], token: flags.token }, this.sources)
    return new LedgerClient({ apiUrl }, credential ? { credential } : {})
  }
}
