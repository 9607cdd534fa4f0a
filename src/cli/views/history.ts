import { count } from '../../model/counted.js'
import type { HistoryProgress, HistoryReport } from '../../model/platforms/history.js'
import type { TerminalStyle } from '../terminal/style.js'
import { toTerminalLine } from '../terminal/text.js'

/** Renders one line about an unfinished run. */
export function historyProgressText(progress: HistoryProgress): string {
  const { stream, items, created, pages_left, seconds_left, waiting_seconds } = progress
  const read = `${stream === '' ? '' : `${stream}: `}${count(items)} read, ${count(created)} new`
  if (waiting_seconds !== undefined) return `${read}, waiting ${Math.ceil(waiting_seconds)} s, as the platform asks`
  if (pages_left === undefined) return `${read} …`
  return `${read}, ${count(pages_left)} pages left, about ${durationText(seconds_left ?? 0)}`
}

export function historyText(report: HistoryReport, { paint }: TerminalStyle): string {
  const { target, since, resumed, items, created, known, kinds, left_out, unavailable, missing } = report
  const head = `${paint.green(resumed ? 'Continued and finished' : 'Read')} ${toTerminalLine(target)} since ${since.slice(0, 19)}Z`
  const lines = [`${head}: ${count(items)} items, ${count(created)} new events, ${count(known)} known already.`]
  for (const [kind, number] of Object.entries(kinds).sort()) lines.push(`  ${count(number)} ${toTerminalLine(kind)}`)
  for (const { reason, count: number, example } of left_out) {
    const of = `${toTerminalLine(reason)} (such as ${toTerminalLine(example)})`
    lines.push(`${paint.yellow('Left out:')} ${count(number)}, because ${of}.`)
  }
  for (const { stream, reason } of unavailable) {
    lines.push(`${paint.yellow('Not available:')} ${stream}. ${toTerminalLine(reason)}`)
  }
  if (missing.length > 0) lines.push(`Not part of it: ${missing.join('; ')}.`)
  return lines.join('\n')
}

function durationText(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
