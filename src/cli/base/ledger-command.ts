import { string } from '@oclif/core/flags'
import type { Answer } from '../../client/answer.js'
import type { LedgerClient } from '../../client/ledger-client.js'
import type { ItemShape } from '../formats/output-options.js'
import { type LedgerFlags, LedgerResults, type Rendering } from './api-context.js'
import { ResultCommand } from './daybook-command.js'

/** The flags that select a ledger, and the credential for it. */
export const LEDGER_FLAGS = {
  'api-url': string({
    description: 'Address of the ledger; else EVENT_API_URL, else of the profile, else http://127.0.0.1:8765.',
    helpValue: '<url>',
    helpGroup: 'GLOBAL',
  }),
  token: string({
    description: 'API token (tok_…); else EVENT_API_TOKEN, else of the profile, else the admin token.',
    helpValue: '<token>',
    helpGroup: 'GLOBAL',
    relationships: [{ type: 'none', flags: ['token-file'] }],
  }),
  'token-file': string({
    description: 'File with the API token, which the process list does not show; else EVENT_API_TOKEN_FILE.',
    helpValue: '<file>',
    helpGroup: 'GLOBAL',
  }),
  profile: string({
    description: 'Profile of `daybook login` with address and token; else DAYBOOK_PROFILE, else the default profile.',
    helpValue: '<name>',
    helpGroup: 'GLOBAL',
  }),
}

/** A command that calls a running ledger. */
export abstract class LedgerCommand extends ResultCommand {
  static override baseFlags = { ...ResultCommand.baseFlags, ...LEDGER_FLAGS }

  protected override readonly results: LedgerResults = new LedgerResults(this.output, this.sources)

  protected client(flags: LedgerFlags): LedgerClient {
    return this.results.client(flags)
  }

  protected show(answer: Answer, flags: LedgerFlags, load: () => Promise<Rendering>, shape?: ItemShape): Promise<void> {
    return this.results.show(answer, flags, load, shape)
  }

  /** After a deletion, the API's response is empty, so a pipe gets no output. */
  protected async confirm(sentence: string, flags: LedgerFlags): Promise<void> {
    if (this.isForPeople(flags)) await this.output.print(sentence)
  }
}
