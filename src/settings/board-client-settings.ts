import { API_URL_ALLOWED, acceptApiUrl } from './api-url.js'
import { headerWord, readSecret } from './secret-setting.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'

export interface BoardClientSettings {
  /** The board's base address, without trailing slash. May have a path. */
  boardUrl: string
  /** Sent as `Authorization: Bearer`. */
  key?: string
}

export interface BoardClientFlags {
  boardUrl?: string | undefined
  key?: string | undefined
}

const DEFAULT_BOARD_URL = 'http://127.0.0.1:8766'

/**
 * Address and key of the board: the key of the flag, else `BOARD_API_KEY` or the file that `BOARD_API_KEY_FILE` names,
 * else none.
 *
 * @throws AppError `configuration/settings_invalid`, with every problem
 *
 * Source: decisions on the board, section 5.
 */
export function readBoardClientSettings(flags: BoardClientFlags, sources: SettingSources): BoardClientSettings {
  const reader = new SettingReader(sources)
  const given = { flag: '--board-url', value: flags.boardUrl }
  const boardUrl = reader.text('BOARD_API_URL', acceptApiUrl, API_URL_ALLOWED, given) ?? DEFAULT_BOARD_URL
  const key = readKey(reader, flags.key)
  reader.finish()
  return { boardUrl, ...(key === undefined ? {} : { key }) }
}

function readKey(reader: SettingReader, given: string | undefined): string | undefined {
  if (given !== undefined) return headerWord(reader, '--key', given)
  const key = readSecret(reader, 'BOARD_API_KEY', { both: 'refused' })
  return key === undefined ? undefined : headerWord(reader, 'BOARD_API_KEY', key)
}
