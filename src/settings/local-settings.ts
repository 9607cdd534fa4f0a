import { type DatabaseSetting, readDatabase, readHome } from './database-setting.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'

/** What a command that works on the ledger's files needs to know. */
export interface LocalSettings {
  /** Absolute. Ledger files are in its `event` folder. */
  home: string
  database: DatabaseSetting
}

export interface LocalFlags {
  db?: string | undefined
}

/** @throws AppError `configuration/settings_invalid`, with every problem at once */
export function readLocalSettings(flags: LocalFlags, sources: SettingSources): LocalSettings {
  const reader = new SettingReader(sources)
  const settings = readLocal(reader, flags)
  reader.finish()
  return settings
}

/** The same as part of a larger set of settings, which ends with `reader.finish()`. */
export function readLocal(reader: SettingReader, flags: LocalFlags): LocalSettings {
  const home = readHome(reader)
  return { home, database: readDatabase(reader, home, { flag: '--db', value: flags.db }) }
}
