import { href } from '../../shared/address.js'
import { copyWithToast } from '../../shared/controls/copy.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { Menu, type MenuItem } from '../../shared/controls/menu.js'
import { showToast } from '../../shared/controls/toast.js'
import { html } from '../../shared/html.js'
import { isPhone } from '../../shared/media.js'
import { apiUrl } from '../../shared/server/api.js'
import { rootPath } from '../../shared/server/root-path.js'
import { isOpen } from '../../shared/server/session.js'
import { consumerCommand, exportCommand, listCommand, streamCommand } from './event-commands.js'
import { apiQuery, rangeOf } from './filters/filters.js'
import {
  currentSearch,
  forgetSearch,
  MOST_NOTIFYING,
  type SavedSearch,
  savedSearches,
  saveSearch,
  searchWords,
} from './saved-searches.js'

/** Offers the filtered events as a file, or as a command that gets the same events. */
export function ExportMenu() {
  const query = apiQuery()
  const ledger = { base: location.origin + rootPath, needsToken: !isOpen() }
  const file = (label: string, format: string): MenuItem => ({
    ...{ label, glyph: 'download', note: 'oldest first', isDownload: true },
    href: apiUrl('/api/export', { ...query, format }),
  })
  const command = (label: string, note: string, text: () => string): MenuItem => ({
    ...{ label, glyph: 'copy', note },
    onChoose: () =>
      void copyWithToast(text(), ledger.needsToken ? 'Copied. Set EVENT_API_TOKEN to one of your tokens.' : 'Copied.'),
  })
  const items = [
    file('Download JSON Lines', 'jsonl'),
    file('Download CSV', 'csv'),
    command('Copy as curl', 'oldest first', () => exportCommand(ledger, query)),
    command('Copy as daybook command', 'newest first', () => listCommand(ledger, query)),
    command('Copy as stream', 'then new events', () => streamCommand(ledger, query)),
    command('Copy as consumer', 'keeps its place', () => consumerCommand(ledger, query, rangeOf(Date.now()).from)),
  ]
  return html`<${Menu} label="Export" buttonClass="button push" items=${items}
    button=${html`<${Glyph} name="download" /><span class="events-export-words">Export</span>`} />`
}

/** Saves the current filters in this browser, notifies of new events, and leads to saved searches. */
export function WatchMenu() {
  const query = currentSearch()
  const all = savedSearches.value
  const own = all.find(search => search.query === query)
  const isFull = all.filter(({ notifies }) => notifies).length >= MOST_NOTIFYING
  const items: MenuItem[] = [
    own?.notifies
      ? { label: 'Stop notifying', glyph: 'close', onChoose: () => change({ query, notifies: false }) }
      : {
          ...{ label: 'Notify me of new events', glyph: 'eye', note: 'while this page is open' },
          whyOff: isFull ? `${MOST_NOTIFYING} searches notify already` : undefined,
          onChoose: () => void startNotifying(query),
        },
    own
      ? { label: 'Forget this search', glyph: 'trash', onChoose: () => forgetSearch(query) }
      : {
          label: 'Save this search',
          glyph: 'plus',
          note: 'in this browser',
          onChoose: () => change({ query, notifies: false }),
        },
    ...all.map(
      (search): MenuItem => ({
        ...{ label: searchWords(search.query) || 'All events', glyph: 'search', href: href('/', search.query) },
        ...(search.notifies ? { note: 'notifies' } : {}),
      }),
    ),
  ]
  return html`<${Menu} label="Watch" buttonClass=${isPhone.value ? 'button' : 'button icon'} items=${items} button=${html`<${Glyph} name="eye" />${isPhone.value && 'Watch'}`} />`
}

function change(search: SavedSearch): void {
  if (!saveSearch(search))
    showToast({ words: 'Not saved. Forget another search first, or let the browser store data.' })
}

async function startNotifying(query: string): Promise<void> {
  change({ query, notifies: true })
  const answer = 'Notification' in window ? await Notification.requestPermission() : 'denied'
  showToast({
    words:
      answer === 'granted'
        ? 'New events are shown as notifications.'
        : 'The browser allows no notifications. New events are counted in the title.',
    seconds: 6,
  })
}
