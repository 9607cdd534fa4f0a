import { type DatabaseSetting, readDatabase, readHome } from './database-setting.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'

/** Settings of a command that works on the ledger's files. */
export interface LocalSettings {
  /** Absolute. Its `event` folder contains the ledger's files. */
  home: string
  database: DatabaseSetting
}

export interface LocalFlags {
  db?: string | undefined
}

/** @throws AppError `configuration/settings_invalid`, with every problem */
export function readLocalSettings(flags: LocalFlags, sources: SettingSources): LocalSettings {
  const reader = new SettingReader(sources)
  const settings = readLocal(reader, flags)
  reader.finish()
  return settings
}

/** The same as part of a larger set that ends with `reader.finish()`. */
export function readLocal(reader: SettingReader, flags: LocalFlags): LocalSettings {
  const home = readHome(reader)
  return { home, database: readDatabase(reader, home, { flag: '--db', value: flags.db }) }
}
