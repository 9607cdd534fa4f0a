import type { CompactedLedger, LedgerBackup, RestoredLedger } from '../../model/backup.js'
import { counted } from '../../model/counted.js'
import type { ErasedSummary } from '../../model/events/erasure.js'
import type { LedgerStatus } from '../../model/ledger-status.js'
import type { LedgerVerification } from '../../model/ledger-verification.js'
import { isPostgresUrl } from '../../model/postgres-address.js'
import { card } from '../terminal/card.js'
import { at, countAt, entriesAt, lineAt, listAt, timeAt } from '../terminal/fields.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'
import { toTerminalLine } from '../terminal/text.js'

/** Renders the response of `GET /api/health`. */
export function healthCard(health: unknown, style: TerminalStyle): string {
  const { paint } = style
  const isOk = at(health, 'status') === 'ok'
  const status = isOk ? paint.green('ok') : paint.red(lineAt(health, 'status') || 'unknown')
  return card(style, `Ledger: ${status}`, [
    ['why', lineAt(health, 'detail')],
    ['warning', lineAt(health, 'warnings', '0', 'detail')],
    ['demo', at(health, 'demo') === true ? 'sample events in a throwaway ledger' : ''],
    ['database', lineAt(health, 'database')],
    ['engine', lineAt(health, 'engine')],
    ['version', lineAt(health, 'version')],
    ['chat live', toLiveText(at(health, 'chat_live'))],
    ['head', lineAt(health, 'head') || (isOk ? 'empty' : '')],
    ['digest', lineAt(health, 'head_digest')],
    ['follows', lineAt(health, 'follows', 'leader')],
    ['behind', behindText(at(health, 'follows'))],
  ])
}

export function ledgerStatusCard(status: LedgerStatus, style: TerminalStyle): string {
  return card(style, 'Ledger on this machine', [
    ['database', toTerminalLine(status.database)],
    ['size', toSizeText(status.size_bytes)],
    // Any number of servers may have a ledger in PostgreSQL open.
    ['open by', isPostgresUrl(status.database) ? '' : toServerText(status.server)],
    ['chat live', toLiveText(status.chat_live)],
    ['schema', status.schema_version === null ? '' : `version ${status.schema_version}`],
    ['events', status.event_count.toLocaleString('en')],
    ['repeats', status.duplicate_count.toLocaleString('en')],
    ['subscriptions', status.subscription_count.toLocaleString('en')],
    ['head', toTerminalLine(status.head ?? 'empty')],
    ['digest', toTerminalLine(status.head_digest ?? '')],
    ['follows', toTerminalLine(status.follows?.leader ?? '')],
    ['behind', behindText(status.follows)],
    ['moved to', toTerminalLine(status.moved_to ?? '')],
    ['integrity', toIntegrityText(status.problems, style)],
  ])
}

/** `live since 2031-05-04T09:00:00.000000Z`; empty if the server reads no event queue. */
function toLiveText(live: unknown): string {
  const state = lineAt(live, 'state').replaceAll('_', ' ')
  const code = lineAt(live, 'code')
  return state === '' ? '' : `${state}${code === '' ? '' : ` (${code})`} since ${lineAt(live, 'since')}`
}

export function backupText({ path, bytes, events, head }: LedgerBackup): string {
  const newest = head === null ? '' : `, the newest of ${head}`
  return `Copied and checked ${counted(events, 'event')}${newest}: ${toTerminalLine(path)} (${toSizeText(bytes)}).`
}

export function erasedText({ erased, entries }: ErasedSummary): string {
  if (erased === 0) return 'There was nothing to erase.'
  const events = counted(erased, 'event')
  return [`Erased the content of ${events}. Recorded as:`, ...entries.map(entry => `  ${toTerminalLine(entry)}`)].join(
    '\n',
  )
}

export function compactedText({ database, bytes_before, bytes }: CompactedLedger): string {
  return `Rebuilt ${toTerminalLine(database)}: ${toSizeText(bytes_before)} before, ${toSizeText(bytes)} now.`
}

export function restoredText({ database, events, head, replaced }: RestoredLedger): string {
  const newest = head === null ? '' : `, the newest of ${head}`
  const lines = [`Restored ${counted(events, 'event')}${newest}: ${toTerminalLine(database)}.`]
  if (replaced !== null) lines.push(`The ledger that was there is now ${toTerminalLine(replaced)}.`)
  return lines.join('\n')
}

export function verificationText(verification: LedgerVerification, { paint }: TerminalStyle): string {
  const { events, after, head, pending, problems } = verification
  const range = after === null ? '' : ` after ${after.captured_at}`
  if (problems.length > 0) {
    const lines = problems.map(({ captured_at, dedupe_key, detail }) => {
      const event = dedupe_key === null ? '' : `${dedupe_key}, captured at ${captured_at}: `
      return paint.red(toTerminalLine(event + detail))
    })
    return [`${counted(problems.length, 'problem')} in ${counted(events, 'event')}${range}:`, ...lines].join('\n')
  }
  const lines = [paint.green(`Verified ${counted(events, 'event')}${range}: nothing was changed or removed.`)]
  if (pending > 0) {
    lines.push(
      `${pending.toLocaleString('en')} of them have no digest yet, because an older release recorded them. The server adds`,
      'the digests while it runs: verify again later.',
    )
  } else if (head) lines.push(`  head    ${head.captured_at}`, `  digest  ${head.digest}`)
  return lines.join('\n')
}

/** The lag of a follower: `12 events, 40 s (copying)`. Empty without a server: only the server knows it. */
function behindText(follows: unknown): string {
  const state = lineAt(follows, 'state')
  if (state === '') return ''
  const events = at(follows, 'lag_events') === null ? 'an unknown number of' : countAt(follows, 'lag_events')
  const lag = `${events} events, ${countAt(follows, 'lag_seconds')} s (${state.replace('_', ' ')})`
  const problem = lineAt(follows, 'problem')
  return problem === '' ? lag : `${lag}: ${problem}`
}

function toServerText(server: LedgerStatus['server']): string {
  if (!server) return 'no server'
  const address = server.address === null ? '' : ` at ${server.address}`
  return toTerminalLine(`a server${address}, process ${server.pid} since ${server.since}`)
}

function toIntegrityText(problems: LedgerStatus['problems'], { paint }: TerminalStyle): string {
  if (problems === null) return ''
  return problems.length === 0 ? paint.green('ok') : problems.map(text => paint.red(toTerminalLine(text))).join('\n')
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

function toSizeText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  const size = bytes / 1024 ** power
  return `${power === 0 ? size : size.toFixed(1)} ${UNITS[power]}`
}

/** `3 of code_a: signature_invalid, last 2031-05-04 09:00:00` */
function refusalLine(refused: unknown): string {
  return `${countAt(refused, 'count')} of ${lineAt(refused, 'source')}: ${lineAt(refused, 'code')}, last ${timeAt(refused, 'last_at')}`
}

/** Renders the response of `GET /api/stats`. */
export function statsCard(stats: unknown, style: TerminalStyle): string {
  const parts = [
    card(style, 'Ledger', [
      ['events', countAt(stats, 'event_count')],
      ['repeats', countAt(stats, 'duplicate_count')],
      ['subscriptions', countAt(stats, 'subscription_count')],
      ['first', lineAt(stats, 'first_captured_at')],
      ['latest', lineAt(stats, 'latest_captured_at')],
      ['refused', listAt(stats, 'refused_deliveries', 'items').map(refusalLine).join('\n')],
    ]),
  ]
  const sources = entriesAt(stats, 'by_source')
  if (sources.length > 0) {
    const columns = [
      { title: 'source' },
      { title: 'events', align: 'right' as const },
      { title: 'repeats', align: 'right' as const },
      { title: 'latest (UTC)' },
    ]
    const rows = sources.map(([source, counts]) => [
      toTerminalLine(source),
      countAt(counts, 'events'),
      countAt(counts, 'duplicates'),
      timeAt(counts, 'latest_captured_at'),
    ])
    parts.push(table(style, columns, rows))
  }
  const kinds = entriesAt(stats, 'by_kind').sort(([, a], [, b]) => Number(b) - Number(a))
  if (kinds.length > 0) {
    const rows = kinds.map(([kind, count]) => [toTerminalLine(kind), countAt(count)])
    parts.push(
      table(
        style,
        [
          { title: 'kind', flexible: true },
          { title: 'events', align: 'right' },
        ],
        rows,
      ),
    )
  }
  return parts.join('\n\n')
}
