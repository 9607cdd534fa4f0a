/**
 * Events a second between the `from`th and the `to`th event.
 *
 * @param marks milliseconds at which each request was answered; each request had `eventsEach` events
 */
export function rateBetween(
  marks: readonly number[],
  { from, to, eventsEach }: { from: number; to: number; eventsEach: number },
): number {
  const startedAt = from === 0 ? 0 : marks[Math.ceil(from / eventsEach) - 1]
  const endedAt = marks[Math.ceil(to / eventsEach) - 1]
  if (startedAt === undefined || endedAt === undefined) throw new Error(`There are no ${to} events to look at.`)
  return ((to - from) / Math.max(endedAt - startedAt, 0.001)) * 1_000
}
