import { counted } from '../../model/counted.js'
import type { PollReport, WatchCapture } from '../../model/subscriptions/capture.js'
import type { TerminalStyle } from '../terminal/style.js'
import { toTerminalLine } from '../terminal/text.js'

/** Renders results of captures, one watch per line. */
export function capturesText(captures: readonly WatchCapture[], style: TerminalStyle): string {
  if (captures.length === 0) return 'No watch is due.'
  return captures.map(capture => captureLine(capture, style)).join('\n')
}

function captureLine(capture: WatchCapture, { paint }: TerminalStyle): string {
  const id = toTerminalLine(capture.subscription_id)
  switch (capture.outcome) {
    case 'disabled':
      return `${paint.yellow('Disabled:')} ${id} is not captured. Enable it first.`
    case 'expired':
      return `${paint.yellow('Expired:')} ${id} is not captured any more.`
    case 'failed':
      return `${paint.red('Failed:')} ${id}. ${toTerminalLine(capture.error?.message ?? '')}`
    case 'captured':
      return `${paint.green('Captured')} ${id}: ${counts(capture)}${restartOf(capture)}${renaming(capture)}`
  }
}

function restartOf({ previous_host: host }: WatchCapture): string {
  return host === undefined ? '' : ` Started again from the beginning: it was read on ${toTerminalLine(host)} before.`
}

function renaming({ renamed_to: name }: WatchCapture): string {
  return name === undefined ? '' : ` It is called "${toTerminalLine(name)}" now.`
}

function counts({ messages, created, duplicates, last_cursor, polled }: WatchCapture): string {
  if (messages === 0) return `nothing new.${leftOut(polled)}`
  const thing = polled ? 'event' : 'message'
  const total = counted(messages, thing)
  const known = duplicates === 0 ? '' : `, ${duplicates.toLocaleString('en')} known already`
  const newest = toTerminalLine(last_cursor ?? 'none')
  const end = polled ? leftOut(polled) : ` Newest: ${newest}.`
  return `${total}, ${created.toLocaleString('en')} new${known}.${end}`
}

function leftOut(polled: PollReport | undefined): string {
  if (!polled) return ''
  const lists = polled.unavailable.map(({ stream }) => ` Not available: ${toTerminalLine(stream)}.`)
  const items = polled.left_out.map(({ reason, count }) => ` Left out: ${count} (${toTerminalLine(reason)}).`)
  return [...(polled.complete ? [] : [' The next capture continues.']), ...lists, ...items].join('')
}
