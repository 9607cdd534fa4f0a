import { card } from './card.js'
import type { Look } from './look.js'
import { toTerminalLine } from './terminal-text.js'

/** What there is to say of a ledger's files. Spelled as it is printed with `--json`. */
export interface LedgerStatusView {
  /** Path. */
  database: string
  /** The database and its journal together. */
  size_bytes: number
  /** The server that has it open. */
  server: { pid: number; address: string | null; since: string } | null
  schema_version: number | null
  event_count: number
  duplicate_count: number
  subscription_count: number
  head: string | null
  /** What an integrity check found wrong; null when none was asked for. */
  problems: readonly string[] | null
}

export function ledgerStatusCard(status: LedgerStatusView, look: Look): string {
  return card(look, 'Ledger on this machine', [
    ['database', toTerminalLine(status.database)],
    ['size', toSizeText(status.size_bytes)],
    ['open by', toServerText(status.server)],
    ['schema', status.schema_version === null ? '' : `version ${status.schema_version}`],
    ['events', status.event_count.toLocaleString('en')],
    ['repeats', status.duplicate_count.toLocaleString('en')],
    ['subscriptions', status.subscription_count.toLocaleString('en')],
    ['head', toTerminalLine(status.head ?? 'empty')],
    ['integrity', toIntegrityText(status.problems, look)],
  ])
}

function toServerText(server: LedgerStatusView['server']): string {
  if (!server) return 'nobody'
  const address = server.address === null ? '' : ` at ${server.address}`
  return toTerminalLine(`a server${address}, process ${server.pid} since ${server.since}`)
}

function toIntegrityText(problems: LedgerStatusView['problems'], { paint }: Look): string {
  if (problems === null) return ''
  return problems.length === 0 ? paint.green('ok') : problems.map(text => paint.red(toTerminalLine(text))).join('\n')
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

function toSizeText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  const size = bytes / 1024 ** power
  return `${power === 0 ? size : size.toFixed(1)} ${UNITS[power]}`
}
