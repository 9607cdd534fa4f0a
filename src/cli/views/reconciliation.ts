import { count } from '../../model/counted.js'
import type { HookReport, LostDelivery, ReconcileResult } from '../../model/platforms/reconciliation.js'
import type { TerminalStyle } from '../terminal/style.js'
import { toTerminalLine } from '../terminal/text.js'

/** Renders the result for each hook, and every delivery that the ledger lacks. */
export function reconciliationText({ hooks, dry_run }: ReconcileResult, style: TerminalStyle): string {
  return hooks.map(hook => hookText(hook, dry_run, style)).join('\n\n')
}

function hookText(hook: HookReport, isDryRun: boolean, { paint }: TerminalStyle): string {
  const clock = hook.clock_ahead_seconds
  const lines = [
    `${paint.bold(toTerminalLine(hook.url))}: ${count(hook.listed)} deliveries listed`,
    `  ${countsOf(hook).join(', ') || 'none'}`,
    ...hook.lost.map(lost => `  ${lostText(lost)}`),
    ...(clock === undefined
      ? []
      : [`  The clock of the platform is ${count(Math.abs(clock))} s ${aheadOrBehind(clock)}.`]),
    ...(isDryRun ? ['  Dry run: nothing was recorded.'] : []),
    ...(hook.error ? [`  ${paint.red('Failed:')} ${toTerminalLine(hook.error.message)}`] : []),
    ...(hook.complete || hook.error ? [] : ['  The list is longer than one run reads.']),
  ]
  return lines.join('\n')
}

function aheadOrBehind(seconds: number): string {
  return seconds > 0 ? 'ahead' : 'behind'
}

function countsOf(hook: HookReport): string[] {
  const counts: [number, string][] = [
    [hook.delivered, 'delivered'],
    [hook.known, 'known although listed as failed'],
    [hook.ignored, 'without an event'],
    [hook.fetched, 'missing and fetched'],
    [hook.redelivered, 'missing and delivered again'],
    [hook.missing, 'still missing'],
    [hook.gone, 'gone'],
  ]
  return counts.filter(([number]) => number > 0).map(([number, what]) => `${count(number)} ${what}`)
}

function lostText({ id, delivery_id, reason }: LostDelivery): string {
  return toTerminalLine(`${delivery_id ?? `entry ${id}`}: ${reason}`)
}
