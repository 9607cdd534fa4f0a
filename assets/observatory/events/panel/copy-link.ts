import { copyText } from '../../../shared/controls/copy.js'
import { showToast } from '../../../shared/controls/toast.js'
import { href } from '../../../shared/server/address.js'
import { filtersQuery } from '../filters/filters.js'

/** Address of this view with the event open, without Live. */
export function eventLink(key: string): string {
  return location.origin + href('/', filtersQuery({ event: key, live: false }))
}

/** For a shortcut, which has no button to show the outcome. @param key of an event; empty for the view alone */
export async function copyLink(key: string): Promise<void> {
  const isCopied = await copyText(eventLink(key))
  showToast({ words: isCopied ? 'Link copied.' : 'The browser blocked copying.', seconds: 4 })
}
