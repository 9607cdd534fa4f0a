import { string } from '@oclif/core/flags'
import type { Answer } from '../../client/answer.js'
import type { LedgerClient } from '../../client/ledger-client.js'
import { LedgerApiContext, type LedgerFlags, type Rendering } from './api-context.js'
import { DaybookCommand } from './daybook-command.js'

/** A command that calls a running ledger. */
export abstract class LedgerCommand extends DaybookCommand {
  static override baseFlags = {
    ...DaybookCommand.baseFlags,
    'api-url': string({
      description: 'Address of the ledger; else EVENT_API_URL, else http://127.0.0.1:8765.',
      helpValue: '<url>',
      helpGroup: 'GLOBAL',
    }),
    token: string({
      description: 'API token (tok_…); else EVENT_API_TOKEN, else the admin token.',
      helpValue: '<token>',
      helpGroup: 'GLOBAL',
    }),
  }

  protected readonly context = new LedgerApiContext(this.output, this.sources)

  protected client(flags: LedgerFlags): LedgerClient {
    return this.context.client(flags)
  }

  /** Whether the output is for a person. */
  protected isForPeople(flags: LedgerFlags): boolean {
    return this.context.isForPeople(flags)
  }

  protected show(answer: Answer, flags: LedgerFlags, load: () => Promise<Rendering>): Promise<void> {
    return this.context.show(answer, flags, load)
  }
}
