import { string } from '@oclif/core/flags'
import { readExecutorToken } from '../settings/executor-token.js'
import type { SettingSources } from '../settings/setting-sources.js'
import { readSmallText } from './input.js'

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
