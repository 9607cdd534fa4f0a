import type { NewEvent } from '../../model/events/event.js'
import type { HistoryApi } from './history-api.js'

/** An item of a platform that cannot become an event. */
export interface LeftOut {
  /** Such as `it has no id`: the same words for the same reason, so that they can be counted. */
  reason: string
  /** What it was, such as `issues #12`. */
  item: string
}

/** Part of a stream. */
export interface HistoryPage {
  events: NewEvent[]
  leftOut: LeftOut[]
  /** How many items of the platform it was made of. */
  items: number
  /** Where the next page begins; absent after the last one. */
  next?: string | undefined
  /** How many pages follow, as far as the platform says so. */
  pagesLeft?: number | undefined
}

/** One list of a platform, such as the issues of a repository. */
export interface HistoryStream {
  name: string
  /** The kinds of its events, so that a poll reads no list that is not wanted. */
  kinds: readonly string[]
  /** @param position `next` of the previous page; absent for the first page */
  read(position: string | undefined): Promise<HistoryPage>
}

/** What happened in one place. */
export interface History {
  streams: readonly HistoryStream[]
  /** What the platform does not list with a time or an id that its webhooks share. For people. */
  missing: readonly string[]
}

/** A place of a platform, and the first instant that counts. */
export interface HistoryPlace<Place> {
  api: HistoryApi
  place: Place
  /** RFC 3339 in UTC, six digits. */
  since: string
  /** It is not long ago, so lists that have no filter by time are read from their newest end. */
  isRecent: boolean
}
