import { findTimestamp } from '../../model/timestamp.js'

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** The result with every UTC time converted to this machine's zone: 2031-05-04T11:00:00.123456+02:00. */
export function inLocalTime(value: unknown): unknown {
  if (typeof value === 'string') return TIMESTAMP.test(value) ? toLocalTimestamp(value) : value
  if (Array.isArray(value)) return value.map(inLocalTime)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inLocalTime(member)]))
}

/** A UTC timestamp with this machine's offset at that time. Keeps the fraction. */
function toLocalTimestamp(text: string): string {
  const instant = findTimestamp(text)
  if (!instant) return text
  const date = new Date(Math.floor(instant.micros / 1000))
  const minutes = -date.getTimezoneOffset()
  const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, 19)
  const fraction = /\.\d+/.exec(text)?.[0] ?? ''
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${local}${fraction}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
