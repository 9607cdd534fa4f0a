import Type, { type Static } from '#typebox'
import type { Place } from '../subscriptions/target-place.js'
import type { ChatAccount } from './chat-account.js'
import type { PlatformSource } from './platform-source.js'

/** The platforms that are read by their REST API. The chat platform has a client of its own. */
export const REST_SOURCES = ['code_a', 'code_b', 'forum'] as const
export type RestSource = (typeof REST_SOURCES)[number]

export function isRestSource(source: string): source is RestSource {
  return REST_SOURCES.some(each => each === source)
}

/** Such an account, as part of a request. */
export const RestAccountSchema = Type.Object({
  source: Type.Enum(REST_SOURCES),
  baseUrl: Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'Address of the platform, without a trailing slash.',
  }),
  token: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  username: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
})

export type RestAccount = Static<typeof RestAccountSchema>

/** A platform's address and credential for reading what happened before. */
export interface HistoryAccount {
  source: PlatformSource
  /** Address of the platform, without a trailing slash. */
  baseUrl: string
  /** Absent: only what everyone may read. */
  token?: string
  /** The user for whom a forum's token acts, or who owns the key of a chat account. */
  username?: string
  /** Certificates of a chat server. */
  tls?: ChatAccount['tls']
}

/** A place whose history is read. */
export interface HistoryTarget {
  source: PlatformSource
  /** Absent: the whole forum. */
  place?: Place
  /** In the form `repo:ada/engine`. */
  text: string
  /** The address of the platform, if the target names it. */
  baseUrl?: string
}

/** How far it has come. */
export interface HistoryProgress {
  /** The list that is being read, such as `issues`. */
  stream: string
  /** Read since the command started. */
  items: number
  created: number
  /** Pages of this list that are left, if the platform says so. */
  pages_left?: number
  /** An estimate for this list. */
  seconds_left?: number
  /** The platform asked for this wait. */
  waiting_seconds?: number
}

/** Items that became no event, for one reason. */
export interface LeftOutItems {
  reason: string
  count: number
  /** One of them. */
  example: string
}

export interface HistoryReport {
  target: string
  source: PlatformSource
  since: string
  /** It continued an earlier run, which was interrupted. */
  resumed: boolean
  /** What the platform listed, in this run. */
  items: number
  /** Events that were new. */
  created: number
  /** Events that the ledger had already. */
  known: number
  /** New and known events, by kind. */
  kinds: Record<string, number>
  left_out: LeftOutItems[]
  /** Lists that the platform does not have here, or does not show. */
  unavailable: { stream: string; reason: string }[]
  /** What this platform does not list in a form that its webhooks share. */
  missing: readonly string[]
}

/** Events for `POST /api/history`. */
export const HISTORY_LIMITS = { batchEvents: 500, batchBytes: 4 * 1024 * 1024, bodyBytes: 16 * 1024 * 1024 } as const
