import { string } from '@oclif/core/flags'
import type { Answer } from '../client/answer.js'
import { LedgerClient } from '../client/ledger-client.js'
import { readClientSettings } from '../settings/client-settings.js'
import { DaybookCommand } from './daybook-command.js'
import type { Look } from './look.js'

/** The flags of every command that speaks to a server. */
export interface LedgerFlags {
  json: boolean
  'api-url'?: string | undefined
  token?: string | undefined
}

/** How an answer is put for people. */
export type Rendering = (body: unknown, look: Look) => string

/** A command that asks a running ledger something: a person gets it readably, a pipe or `--json` as it was answered. */
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

  protected client(flags: LedgerFlags): LedgerClient {
    const { apiUrl, credential } = readClientSettings({ apiUrl: flags['api-url'], token: flags.token }, this.sources)
    return new LedgerClient({ apiUrl }, credential ? { credential } : {})
  }

  /** A person is to read it. */
  protected isForPeople(flags: LedgerFlags): boolean {
    return this.output.isTerminal && !flags.json
  }

  /** @param load imports the rendering, which a pipe has no use for */
  protected async show(answer: Answer, flags: LedgerFlags, load: () => Promise<Rendering>): Promise<void> {
    if (this.isForPeople(flags)) {
      const render = await load()
      await this.output.print(render(answer.json(), await this.look()))
    } else if (this.output.isTerminal) {
      const { toTerminalJson } = await import('./terminal-text.js')
      await this.output.print(toTerminalJson(answer.text()))
    } else {
      await this.output.print(answer.bytes)
    }
  }
}
