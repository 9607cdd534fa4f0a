import { string } from '@oclif/core/flags'
import type { Answer } from '../client/answer.js'
import type { LedgerClient } from '../client/ledger-client.js'
import { DaybookCommand } from './daybook-command.js'
import { LedgerCaller, type LedgerFlags } from './ledger-caller.js'
import type { Rendering } from './server-caller.js'

/** A command that asks a running ledger something. */
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

  protected readonly caller = new LedgerCaller(this.output, this.sources)

  protected client(flags: LedgerFlags): LedgerClient {
    return this.caller.client(flags)
  }

  /** A person is to read it. */
  protected isForPeople(flags: LedgerFlags): boolean {
    return this.caller.isForPeople(flags)
  }

  protected show(answer: Answer, flags: LedgerFlags, load: () => Promise<Rendering>): Promise<void> {
    return this.caller.show(answer, flags, load)
  }
}
