import { copyWithToast } from '../../shared/controls/copy.js'
import { Glyph } from '../../shared/controls/glyph.js'
import { Menu, type MenuItem } from '../../shared/controls/menu.js'
import { html } from '../../shared/html.js'
import { apiUrl } from '../../shared/server/api.js'
import { rootPath } from '../../shared/server/root-path.js'
import { isOpen } from '../../shared/server/session.js'
import { consumerCommand, exportCommand, listCommand, streamCommand } from './event-commands.js'
import { apiQuery, rangeOf } from './filters/filters.js'

/** What is filtered as a file, or as a command that gets the same events. */
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
    command('Copy as consumer', 'shell script', () => consumerCommand(ledger, query, rangeOf(Date.now()).from)),
  ]
  return html`<${Menu} buttonClass="button push" items=${items}
    button=${html`<${Glyph} name="download" /><span class="events-export-words">Export</span>`} />`
}
