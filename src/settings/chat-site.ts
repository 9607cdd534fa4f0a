import { toSite } from '../model/platforms/site.js'
import type { GivenFlag, SettingReader } from './setting-reader.js'

/**
 * The origin of the chat platform's server, such as `https://chat.example.org`. Its webhooks do not name it, and ids
 * are unique only per server, so webhook and capture must agree on it: both read it here.
 *
 * @returns undefined when none is set
 */
export function readChatSite(reader: SettingReader, given?: GivenFlag): string | undefined {
  return reader.text('EVENT_CHAT_URL', toSite, 'is not the http or https address of a server', given)
}
