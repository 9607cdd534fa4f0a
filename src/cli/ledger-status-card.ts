import { card } from './card.js'
import type { TerminalStyle } from './terminal-style.js'
import { toTerminalLine } from './terminal-text.js'

/** Status of a ledger's files, in the form printed with `--json`. */
export interface LedgerStatusView {
  /** Path. */
  database: string
  /** The database together with its WAL. */
  size_bytes: number
  /** The server that has it open. */
  server: { pid: number; address: string | null; since: string } | null
  schema_version: number | null
  event_count: number
  duplicate_count: number
  subscription_count: number
  head: string | null
  /** Problems found by an integrity check; null if none was requested. */
  problems: readonly string[] | null
}

export function ledgerStatusCard(status: LedgerStatusView, style: TerminalStyle): string {
  return card(style, 'Ledger on this machine', [
    ['database', toTerminalLine(status.database)],
    ['size', toSizeText(status.size_bytes)],
    ['open by', toServerText(status.server)],
    ['schema', status.schema_version === null ? '' : `version ${status.schema_version}`],
    ['events', status.event_count.toLocaleString('en')],
    ['repeats', status.duplicate_count.toLocaleString('en')],
    ['subscriptions', status.subscription_count.toLocaleString('en')],
    ['head', toTerminalLine(status.head ?? 'empty')],
    ['integrity', toIntegrityText(status.problems, style)],
  ])
}

function toServerText(server: LedgerStatusView['server']): string {
  if (!server) return 'no server'
  const address = server.address === null ? '' : ` at ${server.address}`
  return toTerminalLine(`a server${address}, process ${server.pid} since ${server.since}`)
}

function toIntegrityText(problems: LedgerStatusView['problems'], { paint }: TerminalStyle): string {
  if (problems === null) return ''
  return problems.length === 0 ? paint.green('ok') : problems.map(text => paint.red(toTerminalLine(text))).join('\n')
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

function toSizeText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  const size = bytes / 1024 ** power
  return `${power === 0 ? size : size.toFixed(1)} ${UNITS[power]}`
}
