import { readChatSite } from './chat-site.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'

/** @returns the origin of the chat platform's server, if one is set. @throws AppError `configuration/settings_invalid` */
export function readExplainSettings(
  flags: { chatUrl?: string | undefined },
  sources: SettingSources,
): { chatSite?: string } {
  const reader = new SettingReader(sources)
  const chatSite = readChatSite(reader, { flag: '--chat-url', value: flags.chatUrl })
  reader.finish()
  return chatSite === undefined ? {} : { chatSite }
}
