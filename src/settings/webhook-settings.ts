import { type PlatformSource, settingSuffix } from '../model/platforms/platform-source.js'
import { findZulipSite, readChatSite } from './chat-account.js'
import { readPublicUrl, readRootPath } from './listen-settings.js'
import { readSecret } from './reading/secret-setting.js'
import { SettingReader } from './reading/setting-reader.js'
import type { SettingSources } from './reading/setting-sources.js'

/** The secret setting of a source's webhook; `<name>_FILE` may name a file instead. */
function webhookSecretName(source: PlatformSource): string {
  return `EVENT_WEBHOOK_SECRET_${settingSuffix(source)}`
}

/** All currently valid secrets: several during a rotation, one per line. */
export function readWebhookSecrets(reader: SettingReader, source: PlatformSource): string[] {
  const text = readSecret(reader, webhookSecretName(source), { both: 'refused' })
  const lines = text?.split('\n').map(line => line.trim()) ?? []
  return lines.filter(line => line !== '')
}

/** This machine's settings for one webhook. */
export interface SetupSettings {
  /** The ledger's public address, without trailing slash; absent if not set. */
  publicAddress?: string
  /** The setting in use: `…_FILE` if a file is named, else the one with the secret itself. */
  secretSetting: string
  isSecretSet: boolean
  /** Origin of the chat platform's server. */
  chatSite?: string
  /** Whether `chatSite` was given only to this command, so that the server does not know it. */
  isChatSiteGiven: boolean
  /** The file with the settings of all programs. */
  environmentFile: string
}

interface SetupFlags {
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
    secretSetting: findSecretSetting(reader, webhookSecretName(source)),
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

/** The first secret of a source's webhook, and its setting. @throws AppError `configuration/settings_invalid` */
export function readTriggerSettings(
  source: PlatformSource,
  sources: SettingSources,
): { secret: string | undefined; setting: string } {
  const reader = new SettingReader(sources)
  const [secret] = readWebhookSecrets(reader, source)
  reader.finish()
  return { secret, setting: findSecretSetting(reader, webhookSecretName(source)) }
}

/** @returns the origin of the chat platform's server, if one is set. @throws AppError `configuration/settings_invalid` */
export function readExplainSettings(
  flags: { chatUrl?: string | undefined },
  sources: SettingSources,
): { chatSite?: string } {
  const reader = new SettingReader(sources)
  const chatSite = readChatSite(reader, { flag: '--chat-url', value: flags.chatUrl }) ?? findZulipSite(reader)
  reader.finish()
  return chatSite === undefined ? {} : { chatSite }
}
