import type { PromotedLedger } from '../../model/follow.js'
import type { ExportEnd, LedgerImport } from '../../model/ledger-copy.js'
import { toTerminalLine } from '../terminal/text.js'

const format = (count: number) => count.toLocaleString('en')

export function exportedText(exported: { path: string } & Partial<ExportEnd>): string {
  const { path, events, subscriptions = 0, users = 0, through } = exported
  if (events === undefined) return `Exported as a table: ${toTerminalLine(path)}.`
  const newest = through ? `, the newest of ${through.captured_at}` : ''
  const others = [`${format(subscriptions)} subscriptions`, ...(users > 0 ? [`${format(users)} users`] : [])].join(
    ' and ',
  )
  const lines = [`Exported ${format(events)} events${newest}, and ${others}: ${toTerminalLine(path)}.`]
  if (through?.digest) lines.push(`  digest  ${through.digest}`)
  return lines.join('\n')
}

export function importedText(imported: LedgerImport): string {
  const { database, mode, events, known, subscriptions, users, head, head_digest, epoch } = imported
  const were = known > 0 ? ` (${format(known)} were there already)` : ''
  const others = [`${format(subscriptions)} subscriptions`, ...(users > 0 ? [`${format(users)} users`] : [])].join(
    ' and ',
  )
  const verb = mode === 'identical' ? 'Imported' : 'Recorded'
  const lines = [`${verb} ${format(events)} events${were}, and ${others}: ${toTerminalLine(database)}.`]
  if (head !== null) lines.push(`  head    ${head}`, `  digest  ${head_digest ?? 'none yet'}`)
  return [...lines, `  epoch   ${epoch}`].join('\n')
}

export function promotedText({ leader, epoch, head, head_digest, consumers }: PromotedLedger): string {
  const lines = [`This ledger does not follow ${toTerminalLine(leader)} any more: it accepts events.`]
  if (head !== null) lines.push(`  head    ${head}`, `  digest  ${head_digest ?? 'none yet'}`)
  lines.push(`  epoch   ${epoch}`)
  if (consumers > 0) lines.push(`Named consumers continue at their checkpoints: ${format(consumers)}.`)
  return lines.join('\n')
}
