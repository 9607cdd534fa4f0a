import { string } from '@oclif/core/flags'
import type { Answer } from '../../client/answer.js'
import { BoardClient } from '../../client/board-client.js'
import { readBoardClientSettings, readExecutorToken } from '../../settings/client-settings.js'
import type { SettingSources } from '../../settings/reading/setting-sources.js'
import type { ItemShape, OutputFlags } from '../formats/output-options.js'
import { readSmallText } from '../input/read-input.js'
import { type Rendering, warnOfVisibleSecret } from './api-context.js'
import { ResultCommand } from './daybook-command.js'

/** The flags of every command that calls a board. */
interface BoardFlags extends OutputFlags {
  'board-url'?: string | undefined
  key?: string | undefined
}

/** A command that calls a running board. */
export abstract class BoardCommand extends ResultCommand {
  static override baseFlags = {
    ...ResultCommand.baseFlags,
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

  protected client(flags: BoardFlags): BoardClient {
    if (flags.key !== undefined) warnOfVisibleSecret('--key', 'BOARD_API_KEY or BOARD_API_KEY_FILE')
    const { boardUrl, key } = readBoardClientSettings({ boardUrl: flags['board-url'], key: flags.key }, this.sources)
    return new BoardClient({ apiUrl: boardUrl }, key === undefined ? {} : { key })
  }

  /** @param load imports the rendering, which a pipe does not need */
  protected show(answer: Answer, flags: BoardFlags, load: () => Promise<Rendering>, shape?: ItemShape): Promise<void> {
    return this.results.show(answer, flags, load, shape)
  }

  /** After a deletion, the API's response is empty, so a pipe gets no output. */
  protected async confirm(sentence: string, flags: BoardFlags): Promise<void> {
    if (this.isForPeople(flags)) await this.output.print(sentence)
  }
}

const FLAG = 'executor-token-file'
const MAX_BYTES = 64 * 1024

/** The flag of commands that send the executor's token. It takes a file, because other users can see command lines. */
export const EXECUTOR_TOKEN_FLAG = {
  [FLAG]: string({
    description: "File with the executor's token, - for standard input; else BOARD_EXECUTOR_TOKEN.",
    helpValue: '<file>',
  }),
}

/** @throws AppError `invalid/file_unreadable`, `too_large/body_too_large`, `configuration/settings_invalid` */
export async function shownExecutorToken(
  flags: { [FLAG]?: string | undefined },
  sources: SettingSources,
): Promise<string | undefined> {
  const file = flags[FLAG]
  const given = file === undefined ? undefined : { flag: `--${FLAG}`, text: await readSmallText(file, MAX_BYTES) }
  return readExecutorToken(given, sources)
}
