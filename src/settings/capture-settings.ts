import type { ChatAccount } from '../model/platforms/chat-account.js'
import { type ChatFlags, readChatAccount } from './chat-account.js'
import { type LocalFlags, type LocalSettings, readLocal } from './local-settings.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'

/** What a capture needs: the ledger, and an account of the chat platform. */
export interface CaptureSettings extends LocalSettings {
  chat: ChatAccount
}

/** @throws AppError `configuration/settings_invalid`, with every problem */
export function readCaptureSettings(flags: LocalFlags & ChatFlags, sources: SettingSources): CaptureSettings {
  const reader = new SettingReader(sources)
  const settings = { ...readLocal(reader, flags), chat: readChatAccount(reader, flags) }
  reader.finish()
  return settings
}
