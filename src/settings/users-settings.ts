import { readPasswordMinLength } from './accounts-settings.js'
import { readAdminToken } from './admin-token.js'
import { type LocalFlags, type LocalSettings, readLocal } from './local-settings.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'

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
