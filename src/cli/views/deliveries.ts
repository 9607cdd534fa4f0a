import { lineAt, listAt } from '../terminal/fields.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'

const SOURCES = [
  { title: 'source' },
  { title: 'accepted' },
  { title: 'last accepted' },
  { title: 'refused' },
  { title: 'last refused' },
]
const REFUSED = [{ title: 'refused at' }, { title: 'source' }, { title: 'why', flexible: true }, { title: 'delivery' }]

/** Renders the response of `GET /api/deliveries`: a table of sources, and one of refused deliveries. */
export function deliveriesText(trace: unknown, style: TerminalStyle): string {
  const sources = listAt(trace, 'sources').map(source => [
    lineAt(source, 'source'),
    lineAt(source, 'accepted'),
    lineAt(source, 'last_accepted_at') || 'never',
    lineAt(source, 'refused'),
    lineAt(source, 'last_refused_at') || 'never',
  ])
  const refused = listAt(trace, 'refused').map(delivery => [
    lineAt(delivery, 'at'),
    lineAt(delivery, 'source'),
    lineAt(delivery, 'detail'),
    lineAt(delivery, 'delivery_id'),
  ])
  if (sources.length === 0) return `Nothing was delivered since ${lineAt(trace, 'since')}.`
  const tables = [table(style, SOURCES, sources), ...(refused.length > 0 ? [table(style, REFUSED, refused)] : [])]
  return tables.join('\n\n')
}
