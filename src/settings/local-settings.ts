import { readPasswordMinLength } from './accounts-settings.js'
import { readAdminToken } from './admin-token.js'
import { type DatabaseSetting, readDatabase } from './database-setting.js'
import { readHome } from './home-folder.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

/** Settings of a command that works on the ledger's files. */
export interface LocalSettings {
  /** Absolute. Its `event` folder contains the ledger's files. */
  home: string
  database: DatabaseSetting
  /** Whether to copy a ledger of an older release before its schema is upgraded. */
  upgradeCopy: boolean
}

export interface LocalFlags {
  db?: string | undefined
}

/** @param flag the flag that gave `db` @throws AppError `configuration/settings_invalid`, with every problem */
export function readLocalSettings(flags: LocalFlags, sources: SettingSources, flag = '--db'): LocalSettings {
  const reader = new SettingReader(sources)
  const settings = readLocal(reader, flags, flag)
  reader.finish()
  return settings
}

/** The same as part of a larger set that ends with `reader.finish()`. */
export function readLocal(reader: SettingReader, flags: LocalFlags, flag = '--db'): LocalSettings {
  const home = readHome(reader)
  return {
    home,
    database: readDatabase(reader, home, { flag, value: flags.db }),
    upgradeCopy: reader.oneOf('EVENT_UPGRADE_COPY', ['on', 'off'], 'on') === 'on',
  }
}

/** Settings for managing a ledger's users on this machine. A running server uses its own instead. */
export interface UsersSettings extends LocalSettings {
  /** If set, the last administrator may be removed. */
  adminToken?: string
  passwordMinLength: number
}

/** @throws AppError `configuration/settings_invalid`, with every problem */
export function readUsersSettings(flags: LocalFlags, sources: SettingSources): UsersSettings {
  const reader = new SettingReader(sources)
  const local = readLocal(reader, flags)
  const adminToken = readAdminToken(reader, () => local.home)
  const passwordMinLength = readPasswordMinLength(reader)
  reader.finish()
  return { ...local, passwordMinLength, ...(adminToken === undefined ? {} : { adminToken }) }
}
