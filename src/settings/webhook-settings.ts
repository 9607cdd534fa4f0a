import type { PlatformSource } from '../model/platforms/platform-source.js'
import { readSecret } from './secret-setting.js'
import type { SettingReader } from './setting-reader.js'

/** The secret settings of each source's webhook; `<name>_FILE` may name a file instead. */
export const WEBHOOK_SECRETS: Readonly<Record<PlatformSource, string>> = {
  chat: 'EVENT_WEBHOOK_SECRET_CHAT',
  forum: 'EVENT_WEBHOOK_SECRET_FORUM',
  code_a: 'EVENT_WEBHOOK_SECRET_CODE_A',
  code_b: 'EVENT_WEBHOOK_SECRET_CODE_B',
}

/** All currently valid secrets: several while rotating, one per line. */
export function readWebhookSecrets(reader: SettingReader, source: PlatformSource): string[] {
  const text = readSecret(reader, WEBHOOK_SECRETS[source], { both: 'refused' })
  const lines = text?.split('\n').map(line => line.trim()) ?? []
  return lines.filter(line => line !== '')
}
