import type { ChatAccount } from '../model/chat-account.js'
import { type AccountsSettings, readAccounts } from './accounts-settings.js'
import { readChatAccount } from './chat-account.js'
import { readChatSite } from './chat-site.js'
import { type ListenSettings, readListen, readPublicUrl } from './listen-settings.js'
import { type LocalSettings, readLocal } from './local-settings.js'
import type { ServeFlags } from './serve-settings.js'
import type { SettingReader } from './setting-reader.js'
import { readWebhookSecrets, type WebhookSource } from './webhook-settings.js'

/** Everything that serving the ledger can be told. */
export interface LedgerSettings extends LocalSettings, ListenSettings {
  /** The origin people use when a proxy stands in front: `https://ledger.example.org`. */
  publicUrl?: string
  /** A ledger without users may be reached from elsewhere, under any host name. */
  allowOpen: boolean
  accounts: AccountsSettings
  webhooks: {
    /** Per source, all that are valid now; none: nothing can be proved. */
    secrets: Readonly<Record<WebhookSource, readonly string[]>>
    /** Refuse deliveries that prove nothing. */
    requireVerified: boolean
    /** Origin of the chat platform's server, which its deliveries do not name. */
    chatSite?: string
  }
  /** The account with which due watches of the chat platform are captured; absent: nobody asked for that. */
  capture?: ChatAccount
  /** The events are invented, which is told to whoever asks. */
  isDemo: boolean
}

/**
 * The settings of the ledger as part of a larger set, which ends with `reader.finish()`. Whether it may listen where
 * others reach it can only be said of an opened ledger.
 *
 * Source: Event Ledger Service, "Storage" (database path).
 */
export function readLedger(reader: SettingReader, flags: ServeFlags): LedgerSettings {
  const publicUrl = readPublicUrl(reader)
  const capture = flags.capture ? readChatAccount(reader) : undefined
  const chatSite = capture ? capture.site : readChatSite(reader)
  const local = readLocal(reader, flags)
  const settings = {
    ...local,
    ...(capture ? { capture } : {}),
    ...readListen(reader, 'EVENT', 8765, {
      host: { flag: '--host', value: flags.host },
      port: { flag: '--port', value: flags.port },
      rootPath: { flag: '--root-path', value: flags.rootPath },
    }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    allowOpen: flags.allowOpen ?? false,
    isDemo: flags.demo ?? false,
    accounts: readAccounts(reader, local.home),
    webhooks: {
      secrets: {
        chat: readWebhookSecrets(reader, 'chat'),
        forum: readWebhookSecrets(reader, 'forum'),
        code_a: readWebhookSecrets(reader, 'code_a'),
        code_b: readWebhookSecrets(reader, 'code_b'),
      },
      requireVerified: reader.isOn('EVENT_WEBHOOK_REQUIRE_VERIFIED'),
      ...(chatSite === undefined ? {} : { chatSite }),
    },
  }
  if (publicUrl?.startsWith('https:') && !settings.accounts.cookieSecure) {
    reader.warn('EVENT_PUBLIC_URL is https, but EVENT_COOKIE_SECURE is off: browsers may send the cookie without TLS.')
  }
  return settings
}
