import { isIP } from 'node:net'
import type { ChatAccount } from '../model/chat-account.js'
import { type AccountsSettings, readAccounts } from './accounts-settings.js'
import { readChatAccount } from './chat-account.js'
import { readChatSite } from './chat-site.js'
import { type LocalSettings, readLocal } from './local-settings.js'
import { type GivenFlag, SettingReader } from './setting-reader.js'
import type { SettingSources } from './setting-sources.js'
import { readWebhookSecrets, type WebhookSource } from './webhook-settings.js'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** `auto`: for people at a terminal, else JSON. */
export const LOG_FORMATS = ['auto', 'json', 'pretty'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** Where one of the two programs listens. */
export interface ListenSettings {
  host: string
  /** 0 picks a free one. */
  port: number
  /** In front of every path: empty, or `/x`. */
  rootPath: string
}

/** Everything that `serve` can be told, checked. */
export interface ServeSettings extends LocalSettings {
  ledger: ListenSettings & {
    /** The origin people use when a proxy stands in front: `https://ledger.example.org`. */
    publicUrl?: string
    /** A ledger without users may be reached from elsewhere, under any host name. */
    allowOpen: boolean
  }
  accounts: AccountsSettings
  board: ListenSettings
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
  log: { level: LogLevel; format: LogFormat }
  /** Sentences for the log, about settings that are accepted all the same. */
  warnings: readonly string[]
}

/** As they were typed; checked together with all other settings. */
export interface ServeFlags {
  host?: string | undefined
  port?: string | undefined
  rootPath?: string | undefined
  db?: string | undefined
  allowOpen?: boolean | undefined
  boardPort?: string | undefined
  boardRootPath?: string | undefined
  logLevel?: string | undefined
  capture?: boolean | undefined
}

const LOOPBACK = '127.0.0.1'
const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?$/
const ROOT_PATH = /^(?:\/[A-Za-z0-9._~-]+)+$/

/**
 * The settings of `serve`. Whether it may listen where others reach it can only be said of an opened ledger.
 *
 * @throws AppError `configuration/settings_invalid`, with every problem at once
 *
 * Source: Event Ledger Service, "Storage" (database path).
 */
export function readServeSettings(flags: ServeFlags, sources: SettingSources): ServeSettings {
  const reader = new SettingReader(sources)
  const allowOpen = flags.allowOpen ?? false
  const publicUrl = readPublicUrl(reader)
  const capture = flags.capture ? readChatAccount(reader) : undefined
  const chatSite = capture ? capture.site : readChatSite(reader)
  const local = readLocal(reader, flags)
  const settings = {
    ...local,
    ...(capture ? { capture } : {}),
    ledger: {
      ...readListen(reader, 'EVENT', 8765, {
        host: { flag: '--host', value: flags.host },
        port: { flag: '--port', value: flags.port },
        rootPath: { flag: '--root-path', value: flags.rootPath },
      }),
      ...(publicUrl === undefined ? {} : { publicUrl }),
      allowOpen,
    },
    accounts: readAccounts(reader, local.home),
    board: readListen(reader, 'BOARD', 8766, {
      port: { flag: '--board-port', value: flags.boardPort },
      rootPath: { flag: '--board-root-path', value: flags.boardRootPath },
    }),
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
    log: {
      level: reader.oneOf('EVENT_LOG_LEVEL', LOG_LEVELS, 'info', { flag: '--log-level', value: flags.logLevel }),
      format: reader.oneOf('EVENT_LOG_FORMAT', LOG_FORMATS, 'auto'),
    },
  }
  if (publicUrl?.startsWith('https:') && !settings.accounts.cookieSecure) {
    reader.warn('EVENT_PUBLIC_URL is https, but EVENT_COOKIE_SECURE is off: browsers may send the cookie without TLS.')
  }
  reader.finish()
  return { ...settings, warnings: reader.warnings }
}

/** Whether only this machine can reach a listener on that host. A name other than localhost may lead anywhere. */
export function isLoopback(host: string): boolean {
  return /^127\.\d+\.\d+\.\d+$/.test(host) || host === '::1' || host.toLowerCase() === 'localhost'
}

interface ListenFlags {
  host?: GivenFlag
  port: GivenFlag
  rootPath: GivenFlag
}

/** The origin people use when a proxy stands in front, such as `https://ledger.example.org`. */
export function readPublicUrl(reader: SettingReader): string | undefined {
  return reader.text('EVENT_PUBLIC_URL', acceptOrigin, 'is not an http or https address without a path')
}

/** In front of every path: empty, or `/x`. */
export function readRootPath(reader: SettingReader, prefix: 'EVENT' | 'BOARD', given?: GivenFlag): string {
  const allowed = 'is not a path like /ledger: a slash, then letters, digits, ".", "_", "~" or "-"'
  return reader.text(`${prefix}_ROOT_PATH`, acceptRootPath, allowed, given) ?? ''
}

function readListen(
  reader: SettingReader,
  prefix: 'EVENT' | 'BOARD',
  port: number,
  given: ListenFlags,
): ListenSettings {
  return {
    host: reader.text(`${prefix}_HOST`, acceptHost, 'is not a host name or an IP address', given.host) ?? LOOPBACK,
    port: reader.integer(`${prefix}_PORT`, { min: 0, max: 65_535, default: port }, given.port),
    rootPath: readRootPath(reader, prefix, given.rootPath),
  }
}

function acceptHost(text: string): string | undefined {
  const address = /^\[(.*)\]$/.exec(text)?.[1] ?? text
  return isIP(address) !== 0 || HOST_NAME.test(text) ? address : undefined
}

function acceptRootPath(text: string): string | undefined {
  const hasDotSegment = text.split('/').some(segment => segment === '.' || segment === '..')
  return ROOT_PATH.test(text) && !hasDotSegment ? text : undefined
}

function acceptOrigin(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) return undefined
  return url.pathname === '/' && !url.search && !url.hash ? url.origin : undefined
}
