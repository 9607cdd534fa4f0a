import Type, { type Static } from '#typebox'
import type { Place } from '../subscriptions/target-place.js'
import type { ChatAccount } from './chat-account.js'
import type { PlatformSource } from './platform-source.js'

/** The platforms that Daybook reads through a REST API. The chat platform has a client of its own. */
export const REST_SOURCES = ['code_a', 'code_b', 'forum'] as const
export type RestSource = (typeof REST_SOURCES)[number]

export function isRestSource(source: string): source is RestSource {
  return REST_SOURCES.some(each => each === source)
}

/** The account of such a platform, as part of a request. */
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

/** A platform's address and credential for reading its history. */
export interface HistoryAccount {
  source: PlatformSource
  /** Address of the platform, without a trailing slash. */
  baseUrl: string
  /** Absent: only public content is read. */
  token?: string
  /** The user for whom a forum's token acts, or who owns the key of a chat account. */
  username?: string
  /** Certificates of a chat server. */
  tls?: ChatAccount['tls']
}

/** A place whose history is read. */
export interface HistoryTarget {
  source: PlatformSource
  /** Absent: the whole forum is read. */
  place?: Place
  /** In the form `repo:ada/engine`. */
  text: string
  /** The address of the platform, if the target names it. */
  baseUrl?: string
}

/** Progress of reading a history. */
export interface HistoryProgress {
  /** The list that is being read, such as `issues`. */
  stream: string
  /** Items read since the command started. */
  items: number
  created: number
  /** Pages of this list that are left, if the platform says so. */
  pages_left?: number
  /** An estimate for the rest of this list. */
  seconds_left?: number
  /** Seconds of the current wait, which the platform asked for. */
  waiting_seconds?: number
}

/** Items that became no event, for one reason. */
export interface LeftOutItems {
  reason: string
  count: number
  /** One of the items. */
  example: string
}

export interface HistoryReport {
  target: string
  source: PlatformSource
  since: string
  /** True if it continued an interrupted run. */
  resumed: boolean
  /** Items that the platform listed in this run. */
  items: number
  /** Events that were new. */
  created: number
  /** Events that the ledger already had. */
  known: number
  /** New and known events, by kind. */
  kinds: Record<string, number>
  left_out: LeftOutItems[]
  /** Lists that the platform does not have for this place, or does not show. */
  unavailable: { stream: string; reason: string }[]
  /** Events that the platform does not list in a form that its webhooks share. */
  missing: readonly string[]
}

/** Events for `POST /api/history`. */
export const HISTORY_LIMITS = { batchEvents: 500, batchBytes: 4 * 1024 * 1024, bodyBytes: 16 * 1024 * 1024 } as const
