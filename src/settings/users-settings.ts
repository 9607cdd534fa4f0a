import { readPasswordMinLength } from './accounts-settings.js'
import { readAdminToken } from './admin-token.js'
import { type LocalFlags, type LocalSettings, readLocal } from './local-settings.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'

/** What managing users of a ledger on this machine needs to know. A server that has it open goes by its own. */
export interface UsersSettings extends LocalSettings {
  /** With one, the last administrator may go. */
  adminToken?: string
  passwordMinLength: number
}

/** @throws AppError `configuration/settings_invalid`, with every problem at once */
export function readUsersSettings(flags: LocalFlags, sources: SettingSources): UsersSettings {
  const reader = new SettingReader(sources)
  const local = readLocal(reader, flags)
  const adminToken = readAdminToken(reader, () => local.home)
  const passwordMinLength = readPasswordMinLength(reader)
  reader.finish()
  return { ...local, passwordMinLength, ...(adminToken === undefined ? {} : { adminToken }) }
}
