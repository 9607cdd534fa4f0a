import { readChatSite } from './chat-site.js'
import { readPublicUrl, readRootPath } from './listen-settings.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'
import { readWebhookSecrets, WEBHOOK_SECRETS, type WebhookSource } from './webhook-settings.js'

/** What this machine's settings tell of one webhook. */
export interface SetupSettings {
  /** Address of the ledger for others, without a slash at its end; absent when none is set. */
  publicAddress?: string
  /** The one that is set: `…_FILE` where a file is named; else the one that holds the secret itself. */
  secretSetting: string
  isSecretSet: boolean
  /** Origin of the chat platform's server. */
  chatSite?: string
  /** Where `chatSite` was told to this command alone, so that the server does not know it. */
  isChatSiteGiven: boolean
  /** The file in which settings may stand for all programs. */
  environmentFile: string
}

export interface SetupFlags {
  chatUrl?: string | undefined
}

/** @throws AppError `configuration/settings_invalid`, with every problem at once */
export function readSetupSettings(source: WebhookSource, flags: SetupFlags, sources: SettingSources): SetupSettings {
  const reader = new SettingReader(sources)
  const publicUrl = readPublicUrl(reader)
  const rootPath = readRootPath(reader, 'EVENT')
  const chatSite = readChatSite(reader, { flag: '--chat-url', value: flags.chatUrl })
  const settings: SetupSettings = {
    ...(publicUrl === undefined ? {} : { publicAddress: `${publicUrl}${rootPath}` }),
    secretSetting: findSecretSetting(reader, WEBHOOK_SECRETS[source]),
    isSecretSet: readWebhookSecrets(reader, source).length > 0,
    ...(chatSite === undefined ? {} : { chatSite }),
    isChatSiteGiven: flags.chatUrl !== undefined,
    environmentFile: reader.shared.path,
  }
  reader.finish()
  return settings
}

function findSecretSetting(reader: SettingReader, name: string): string {
  const file = reader.find(name) ? undefined : reader.find(`${name}_FILE`)
  return file?.name ?? name
}
