import { headerWord, readSecret } from './secret-setting.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'

const NAME = 'BOARD_EXECUTOR_TOKEN'

/**
 * The executor's token that a command sends: the given one, else `BOARD_EXECUTOR_TOKEN` or the file that
 * `BOARD_EXECUTOR_TOKEN_FILE` names, else none.
 *
 * @param given content of the file that a flag named
 * @throws AppError `configuration/settings_invalid`, with every problem
 */
export function readExecutorToken(
  given: { flag: string; text: string } | undefined,
  sources: SettingSources,
): string | undefined {
  const reader = new SettingReader(sources)
  const token = given ? given.text.trim() : readSecret(reader, NAME, { both: 'refused' })
  const word = token === undefined ? undefined : headerWord(reader, given?.flag ?? NAME, token)
  reader.finish()
  return word
}
