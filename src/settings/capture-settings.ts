import type { ChatAccount } from '../model/platforms/chat-account.js'
import type { RestAccount } from '../model/platforms/history.js'
import { type ChatFlags, isChatConfigured, readChatAccount } from './chat-account.js'
import { readRestAccounts } from './history-settings.js'
import { type LocalFlags, type LocalSettings, readLocal } from './local-settings.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

/** The accounts for capturing watches; at least one. */
export interface CaptureAccounts {
  /** Account of the chat platform. */
  chat?: ChatAccount
  /** Code hosts and a forum, whose lists are polled. */
  platforms: RestAccount[]
}

/** Settings of a capture: the ledger, and accounts of platforms. */
interface CaptureSettings extends LocalSettings {
  accounts: CaptureAccounts
}

/** @throws AppError `configuration/settings_invalid`, with every problem */
export function readCaptureSettings(flags: LocalFlags & ChatFlags, sources: SettingSources): CaptureSettings {
  const reader = new SettingReader(sources)
  const settings = { ...readLocal(reader, flags), accounts: readCaptureAccounts(reader, flags) }
  reader.finish()
  return settings
}

/** A missing chat account is a problem only if no other account is set. */
export function readCaptureAccounts(reader: SettingReader, flags: ChatFlags = {}): CaptureAccounts {
  const platforms = readRestAccounts(reader)
  const isGiven = flags.chatUrl !== undefined || flags.chatEmail !== undefined
  const usesChat = platforms.length === 0 || isGiven || isChatConfigured(reader)
  return { platforms, ...(usesChat ? { chat: readChatAccount(reader, flags) } : {}) }
}
