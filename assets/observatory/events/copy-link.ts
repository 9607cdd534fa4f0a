import { href } from '../../shared/address.js'
import { copyText } from '../../shared/copy.js'
import { showToast } from '../../shared/toast.js'
import { filtersQuery } from './filters.js'

/** Address of this view with the event open, without Live. */
export function eventLink(key: string): string {
  return location.origin + href('/', filtersQuery({ event: key, live: false }))
}

/** For a shortcut, which has no button to show the outcome. @param key of an event; empty for the view alone */
export async function copyLink(key: string): Promise<void> {
  const isCopied = await copyText(eventLink(key))
  showToast({ words: isCopied ? 'Link copied.' : 'The browser blocked copying.', seconds: 4 })
}
