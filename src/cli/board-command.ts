import { string } from '@oclif/core/flags'
import type { Answer } from '../client/answer.js'
import { BoardClient } from '../client/board-client.js'
import { readBoardClientSettings } from '../settings/board-client-settings.js'
import { DaybookCommand } from './daybook-command.js'
import { type Rendering, ServerCaller } from './server-caller.js'

/** The flags of every command that speaks to a board. */
export interface BoardFlags {
  json: boolean
  'board-url'?: string | undefined
  key?: string | undefined
}

/** A command that asks a running board something. */
export abstract class BoardCommand extends DaybookCommand {
  static override baseFlags = {
    ...DaybookCommand.baseFlags,
    'board-url': string({
      description: 'Address of the board; else BOARD_API_URL, else http://127.0.0.1:8766.',
      helpValue: '<url>',
      helpGroup: 'GLOBAL',
    }),
    key: string({
      description: 'Key of the board; else BOARD_API_KEY.',
      helpValue: '<key>',
      helpGroup: 'GLOBAL',
    }),
  }

  readonly #caller = new ServerCaller(this.output, this.sources)

  protected client(flags: BoardFlags): BoardClient {
    const { boardUrl, key } = readBoardClientSettings({ boardUrl: flags['board-url'], key: flags.key }, this.sources)
    return new BoardClient({ apiUrl: boardUrl }, key === undefined ? {} : { key })
  }

  /** A person is to read it. */
  protected isForPeople(flags: BoardFlags): boolean {
    return this.#caller.isForPeople(flags)
  }

  /** @param load imports the rendering, which a pipe has no use for */
  protected show(answer: Answer, flags: BoardFlags, load: () => Promise<Rendering>): Promise<void> {
    return this.#caller.show(answer, flags, load)
  }
}
