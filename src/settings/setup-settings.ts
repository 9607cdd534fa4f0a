import type { PlatformSource } from '../model/platforms/platform-source.js'
import { readChatSite } from './chat-site.js'
import { readPublicUrl, readRootPath } from './listen-settings.js'
import { SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'
import { readWebhookSecrets, WEBHOOK_SECRETS } from './webhook-settings.js'

/** This machine's settings for one webhook. */
export interface SetupSettings {
  /** The ledger's public address, without trailing slash; absent if not set. */
  publicAddress?: string
  /** The setting in use: `…_FILE` if a file is named, else the one with the secret itself. */
  secretSetting: string
  isSecretSet: boolean
  /** Origin of the chat platform's server. */
  chatSite?: string
  /** `chatSite` was given only to this command, so the server does not know it. */
  isChatSiteGiven: boolean
  /** The file with the settings of all programs. */
  environmentFile: string
}

export interface SetupFlags {
  chatUrl?: string | undefined
}

/** @throws AppError `configuration/settings_invalid`, with every problem */
export function readSetupSettings(source: PlatformSource, flags: SetupFlags, sources: SettingSources): SetupSettings {
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
