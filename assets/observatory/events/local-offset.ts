/** Offset of the device's time zone from UTC at an instant in epoch milliseconds, in milliseconds. */
export function localOffset(ms: number): number {
  return -new Date(ms).getTimezoneOffset() * 60_000
}

/** `UTC+1`, `UTC-3:30`, `UTC`. @param offsetMs from `localOffset` */
export function offsetWords(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  if (minutes === 0) return 'UTC'
  const rest = minutes % 60
  return `UTC${offsetMs < 0 ? '-' : '+'}${Math.floor(minutes / 60)}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
}
