import { copyWithToast } from '../../../shared/controls/copy.js'
import { href } from '../../../shared/server/address.js'
import { filtersQuery } from '../filters/filters.js'

/** Address of this view with the event open, without Live. */
export function eventLink(key: string): string {
  return location.origin + href('/', filtersQuery({ event: key, live: false }))
}

/** @param key of an event; empty for the view alone */
export async function copyLink(key: string): Promise<void> {
  await copyWithToast(eventLink(key), 'Link copied.')
}
