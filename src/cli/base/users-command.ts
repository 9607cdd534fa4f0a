import { string } from '@oclif/core/flags'
import { readUsersSettings, type UsersSettings } from '../../settings/local-settings.js'
import type { Rendering } from './api-context.js'
import { DaybookCommand } from './daybook-command.js'

/** The flags of every command that manages users. */
export interface UsersFlags {
  json: boolean
  db?: string | undefined
}

/** A command that manages the users of a ledger on this machine, through its running server if there is one. */
export abstract class UsersCommand extends DaybookCommand {
  static override baseFlags = {
    ...DaybookCommand.baseFlags,
    db: string({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
      helpGroup: 'GLOBAL',
    }),
  }

  protected settings({ db }: UsersFlags): UsersSettings {
    return readUsersSettings({ db }, this.sources)
  }

  /** Whether the output is for a person. */
  protected isForPeople({ json }: UsersFlags): boolean {
    return this.output.isTerminal && !json
  }

  /** @param load imports the rendering, which a pipe does not need */
  protected async show(value: unknown, flags: UsersFlags, load: () => Promise<Rendering>): Promise<void> {
    if (!this.isForPeople(flags)) return this.printJson(value)
    const render = await load()
    await this.output.print(render(value, await this.style()))
  }

  /** After a deletion the API's response is empty, so a pipe gets no output. */
  protected async confirm(sentence: string, flags: UsersFlags): Promise<void> {
    if (this.isForPeople(flags)) await this.output.print(sentence)
  }
}
