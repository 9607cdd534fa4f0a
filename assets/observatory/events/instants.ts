/**
 * One microsecond earlier. Missing digits count as zeros, as in the ledger. @param instant UTC, as the ledger writes it
 */
export function justBefore(instant: string): string {
  const [, seconds = '', fraction = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(instant) ?? []
  const micros = BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6)) - 1n
  // `%` of a negative number is negative.
  const left = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  const whole = new Date(Number((micros - left) / 1000n)).toISOString().slice(0, 19)
  return `${whole}.${String(left).padStart(6, '0')}Z`
}
