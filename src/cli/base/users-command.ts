import { string } from '@oclif/core/flags'
import { readUsersSettings, type UsersSettings } from '../../settings/local-settings.js'
import type { ItemShape, OutputFlags } from '../formats/output-options.js'
import type { Rendering } from './api-context.js'
import { ResultCommand } from './daybook-command.js'

/** The flags of every command that manages users. */
export interface UsersFlags extends OutputFlags {
  db?: string | undefined
}

/** A command that manages the users of a ledger on this machine, through its running server if there is one. */
export abstract class UsersCommand extends ResultCommand {
  static override baseFlags = {
    ...ResultCommand.baseFlags,
    db: string({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
      helpGroup: 'GLOBAL',
    }),
  }

  protected settings({ db }: UsersFlags): UsersSettings {
    return readUsersSettings({ db }, this.sources)
  }

  protected show(
    value: unknown,
    flags: UsersFlags,
    load: () => Promise<Rendering>,
    shape: ItemShape = BY_USERNAME,
  ): Promise<void> {
    return this.results.showValue(value, flags, load, shape)
  }

  /** After a deletion, the API's response is empty, so a pipe gets no output. */
  protected async confirm(sentence: string, flags: UsersFlags): Promise<void> {
    if (this.isForPeople(flags)) await this.output.print(sentence)
  }
}

const BY_USERNAME: ItemShape = { name: 'username' }
