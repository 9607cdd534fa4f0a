import type { PlatformSource } from '../model/platforms/platform-source.js'
import type { ListedHook } from '../model/platforms/reconciliation.js'
import { SUBSCRIPTION_LIMITS } from '../model/subscriptions/subscription.js'
import { type AccountsSettings, readAccounts } from './accounts-settings.js'
import { type CaptureAccounts, readCaptureAccounts } from './capture-settings.js'
import { findZulipSite, readChatSite } from './chat-account.js'
import type { DatabaseSetting } from './database-setting.js'
import { type FollowSettings, readFollow } from './follow-settings.js'
import { type ListenSettings, readAllowedHosts, readCorsOrigins, readListen, readPublicUrl } from './listen-settings.js'
import { type LocalSettings, readLocal } from './local-settings.js'
import type { SettingReader } from './reading/setting-reader.js'
import { readListedHooks } from './reconcile-settings.js'
import type { ServeFlags } from './serve-settings.js'
import { readWebhookSecrets } from './webhook-settings.js'

const WRITERS = ['anyone', 'tokens'] as const
const ANONYMOUS_RATE = { min: 0, max: 1_000_000, default: 100 }

const BACKUP_MINUTES = { min: 1, max: 525_600, default: 60 }
const BACKUPS_KEPT = { min: 1, max: 10_000, default: 24 }

const RETENTION_DAYS = { min: 0, max: 36_500, default: 0 }

/** When the server removes old events. */
export interface RetentionSettings {
  /** How long events stay. */
  days: number
  /** Folder for the events that are removed. Absolute. */
  archive?: string
}

/** Backups that the server makes at an interval. */
export interface BackupSettings {
  /** Absolute. */
  folder: string
  everyMs: number
  /** Number of backups to keep, the newest ones. */
  keep: number
}

/** All settings of the ledger's server. */
export interface LedgerSettings extends LocalSettings, ListenSettings {
  /** The public origin behind a proxy: `https://ledger.example.org`. */
  publicUrl?: string
  /** Further host names of the server; that of the public URL is always included. */
  allowedHosts: readonly string[]
  /** Origins whose pages may call the API with a token. */
  corsOrigins: readonly string[]
  /** Whether a ledger without users may be reached from other machines, under any host name. */
  allowOpen: boolean
  accounts: AccountsSettings
  /** Who may post events: `tokens` refuses callers without credentials. */
  writers: (typeof WRITERS)[number]
  /** Events per second and address that callers without credentials may post to a closed ledger; 0: no limit. */
  anonymousRate: number
  /** Limit per owner. Subscriptions without an owner count together. */
  maxSubscriptions: number
  webhooks: {
    /** Per source, all currently valid secrets. Without any, deliveries cannot be verified. */
    secrets: Readonly<Record<PlatformSource, readonly string[]>>
    /** Refuse unverified deliveries. */
    requireVerified: boolean
    /** Origin of the chat platform's server, which its deliveries do not contain. */
    chatSite?: string
    /** The same for deliveries whose hook names none, if `chatSite` is not set. */
    chatFallbackSite?: string
  }
  /** Absent: the server makes no backups. */
  backups?: BackupSettings
  /** Absent: this ledger follows no other. */
  follow?: FollowSettings
  /** Absent: events are never removed. */
  retention?: RetentionSettings
  /** The accounts for capturing due watches. Absent: captures are off. */
  capture?: CaptureAccounts
  /** The hooks whose deliveries are compared with the ledger every hour. Absent: comparison is off. */
  reconcile?: ListedHook[]
  /** Whether capturing also reads the chat platform's event queue. */
  captureLive: boolean
  /** Whether the events are sample data. The API reports this. */
  isDemo: boolean
}

const SUBSCRIPTIONS = { min: 1, max: 1_000_000, default: SUBSCRIPTION_LIMITS.perOwner }

/**
 * Settings of the ledger, as part of a larger set that ends with `reader.finish()`. Whether it may listen on a public
 * address can be decided only after the ledger is open.
 *
 * Source: Event Ledger Service, "Storage" (database path).
 */
export function readLedger(reader: SettingReader, flags: ServeFlags): LedgerSettings {
  const publicUrl = readPublicUrl(reader)
  const capture = flags.capture ? readCaptureAccounts(reader) : undefined
  const chatSite = capture?.chat ? capture.chat.site : readChatSite(reader)
  // Captures by commands use it too, so that a message has one identity.
  const chatFallbackSite = chatSite === undefined ? findZulipSite(reader) : undefined
  const captureLive = reader.isOn('EVENT_CHAT_LIVE', true)
  const local = readLocal(reader, flags)
  const settings = {
    ...local,
    ...(capture ? { capture } : {}),
    ...(reader.isOn('EVENT_RECONCILE') ? { reconcile: readListedHooks(reader, 'all') } : {}),
    captureLive,
    ...readBackups(reader, local.database),
    ...readRetention(reader),
    ...readFollowing(reader, local, flags),
    ...readListen(reader, 'EVENT', 8765, {
      host: { flag: '--host', value: flags.host },
      port: { flag: '--port', value: flags.port },
      rootPath: { flag: '--root-path', value: flags.rootPath },
    }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    allowedHosts: readAllowedHosts(reader),
    corsOrigins: readCorsOrigins(reader),
    allowOpen: flags.allowOpen ?? false,
    isDemo: flags.demo ?? false,
    accounts: readAccounts(reader, local.home),
    writers: reader.oneOf('EVENT_WRITERS', WRITERS, 'anyone'),
    anonymousRate: reader.integer('EVENT_ANONYMOUS_RATE', ANONYMOUS_RATE),
    maxSubscriptions: reader.integer('EVENT_MAX_SUBSCRIPTIONS', SUBSCRIPTIONS),
    webhooks: {
      secrets: {
        chat: readWebhookSecrets(reader, 'chat'),
        forum: readWebhookSecrets(reader, 'forum'),
        code_a: readWebhookSecrets(reader, 'code_a'),
        code_b: readWebhookSecrets(reader, 'code_b'),
      },
      requireVerified: reader.isOn('EVENT_WEBHOOK_REQUIRE_VERIFIED'),
      ...(chatSite === undefined ? {} : { chatSite }),
      ...(chatFallbackSite === undefined ? {} : { chatFallbackSite }),
    },
  }
  if (publicUrl?.startsWith('https:') && !settings.accounts.cookieSecure) {
    reader.warn('EVENT_PUBLIC_URL is https, but EVENT_COOKIE_SECURE is off: browsers may send the cookie without TLS.')
  }
  return settings
}

function readRetention(reader: SettingReader): Pick<LedgerSettings, 'retention'> {
  const days = reader.integer('EVENT_RETENTION_DAYS', RETENTION_DAYS)
  const folder = reader.find('EVENT_ARCHIVE_DIR')
  if (folder && days === 0) reader.warn('EVENT_ARCHIVE_DIR has no effect: EVENT_RETENTION_DAYS is 0.')
  return days === 0 ? {} : { retention: { days, ...(folder ? { archive: reader.path(folder.value) } : {}) } }
}

function readFollowing(
  reader: SettingReader,
  { home, database }: LocalSettings,
  flags: ServeFlags,
): Pick<LedgerSettings, 'follow'> {
  const follow = readFollow(reader, home, { flag: 'url', value: flags.follow })
  if (follow && database.postgres) {
    reader.refuse(
      'EVENT_FOLLOW',
      'EVENT_FOLLOW is set, and the ledger is in PostgreSQL: use the replication of PostgreSQL.',
    )
  }
  return follow ? { follow } : {}
}

function readBackups(reader: SettingReader, { postgres }: DatabaseSetting): Pick<LedgerSettings, 'backups'> {
  const folder = reader.find('EVENT_BACKUP_DIR')
  if (folder && postgres) {
    const detail = `${folder.name} is set, and the ledger is in PostgreSQL: back it up with the means of PostgreSQL.`
    reader.refuse(folder.name, detail)
  }
  const everyMs = reader.integer('EVENT_BACKUP_MINUTES', BACKUP_MINUTES) * 60_000
  const keep = reader.integer('EVENT_BACKUP_KEEP', BACKUPS_KEPT)
  return folder ? { backups: { folder: reader.path(folder.value), everyMs, keep } } : {}
}
