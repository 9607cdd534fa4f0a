import { isAbsolute, join } from 'node:path'
import { expandHome } from './reading/paths.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

/** The program's home folder: `home_dir` of the shared environment, else `$ARCH_HOME`, else `~/.arch`. */
export function readHome(reader: SettingReader): string {
  const { env, homedir } = reader.sources
  const shared = reader.shared.values.get('home_dir')
  const found = shared
    ? { name: 'home_dir', value: shared, file: reader.shared.path }
    : { name: 'ARCH_HOME', value: env.ARCH_HOME || join(homedir, '.arch') }
  const home = expandHome(found.value, homedir)
  // With a relative path, each working folder would have a different ledger.
  if (!isAbsolute(home)) reader.refuseValue(found, 'is not an absolute path')
  return home
}

/**
 * The folder of the board's files: `BOARD_HOME`, else `board` in the program's home folder.
 *
 * @param home from `readHome`
 *
 * Source: Board Access Gate, runtime root; decisions on the board, section 1.
 */
export function readBoardHome(reader: SettingReader, home: string): string {
  const found = reader.find('BOARD_HOME')
  if (!found) return join(home, 'board')
  const folder = expandHome(found.value, reader.sources.homedir)
  // With a relative path, each working folder would have a different board.
  if (!isAbsolute(folder)) reader.refuseValue(found, 'is not an absolute path')
  return folder
}

/** The same for a command that needs no other setting. @throws AppError `configuration/settings_invalid` */
export function findBoardHome(sources: SettingSources): string {
  const reader = new SettingReader(sources)
  const home = readBoardHome(reader, readHome(reader))
  reader.finish()
  return home
}
