import type { NewEvent } from '../../model/events/event.js'
import type { HistoryApi } from './history-api.js'

/** An item of a platform that cannot become an event. */
export interface LeftOut {
  /** Such as `it has no id`. The same reason always has the same words, so that items can be counted by reason. */
  reason: string
  /** The item, such as `issues #12`. */
  item: string
}

/** Part of a stream. */
export interface HistoryPage {
  events: NewEvent[]
  leftOut: LeftOut[]
  /** Number of the platform's items on the page. */
  items: number
  /** Where the next page begins; absent after the last one. */
  next?: string | undefined
  /** Number of the following pages, if the platform shows it. */
  pagesLeft?: number | undefined
}

/** One list of a platform, such as the issues of a repository. */
export interface HistoryStream {
  name: string
  /** The kinds of its events. A poll skips lists without a wanted kind. */
  kinds: readonly string[]
  /** Every place has it: a refusal concerns the account or the place, not this list. */
  isAlwaysThere?: true
  /** @param position `next` of the previous page; absent for the first page */
  read(position: string | undefined): Promise<HistoryPage>
}

/** The history of one place. */
export interface History {
  streams: readonly HistoryStream[]
  /** Events that the platform does not list with a time or an id that its webhooks share. For people. */
  missing: readonly string[]
}

/** A place of a platform, and the first relevant instant. */
export interface HistoryPlace<Place> {
  api: HistoryApi
  place: Place
  /** RFC 3339 in UTC, six digits. */
  since: string
  /** `since` is not long ago. Lists without a filter by time are then read from their newest end. */
  isRecent: boolean
}
