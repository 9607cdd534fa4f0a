/** A column of either driver as text. */
export function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}

/** A column of either driver as a number; null also without a row. */
export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value)
}
