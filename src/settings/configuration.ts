import { type ClientFlags, explainClient, readBoardClient } from './client-settings.js'
import { readHome } from './home-folder.js'
import { type ProfilesFile, readProfiles } from './profiles.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

/** The settings of commands, without secrets. */
export interface Configuration {
  profile: string | null
  api_url: string
  /** The setting that gave the address: `--api-url`, `EVENT_API_URL`, `profile work`, `default`. */
  api_url_from: string
  /** The setting that gave the credential; null if there is none. */
  credential_from: string | null
  board_url: string
  board_key: boolean
  home: string
  environment_file: string
  profiles_file: string
  profiles: { name: string; api_url: string; username: string | null; is_default: boolean }[]
}

/** @throws AppError `configuration/settings_invalid`, with every problem */
export function readConfiguration(
  flags: ClientFlags,
  sources: SettingSources,
): { shown: Configuration; file: ProfilesFile } {
  const reader = new SettingReader(sources)
  const home = readHome(reader)
  const { settings, origins } = explainClient(reader, flags)
  const board = readBoardClient(reader, {})
  const file = readProfiles(reader)
  reader.finish()
  const profiles = Object.entries(file.profiles).map(([name, { api_url, username }]) => {
    return { name, api_url, username: username ?? null, is_default: name === file.default }
  })
  const shown = {
    profile: origins.profile,
    api_url: settings.apiUrl,
    api_url_from: origins.apiUrl,
    credential_from: origins.credential,
    board_url: board.boardUrl,
    board_key: board.key !== undefined,
    home,
    environment_file: reader.shared.path,
    profiles_file: file.path,
    profiles,
  }
  return { shown, file }
}
