/** A time during which a process certainly owned the ledger, in milliseconds of the machine's monotonic clock. */
export interface OwnerSpan {
  who: string
  from: number
  to: number
}

/** The machine's monotonic clock, the same in every process. Milliseconds. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Pairs of owners whose times overlap, as sentences. */
export function overlaps(spans: readonly OwnerSpan[]): string[] {
  const inOrder = [...spans].sort((left, right) => left.from - right.from)
  const found: string[] = []
  let longest: OwnerSpan | undefined
  for (const span of inOrder) {
    if (longest && span.from < longest.to) found.push(`${span.who} owned the ledger while ${longest.who} did`)
    if (!longest || span.to > longest.to) longest = span
  }
  return found
}
