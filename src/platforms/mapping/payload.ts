/**
 * Reads platform payloads, in which any member may be missing, null, empty, redacted or of the wrong type. All of these
 * count as absent. Nothing here throws: one bad member must never lose an event.
 */
import { isObject } from '../../model/json-object.js'
import { findTimestamp, toTimestamp } from '../../model/timestamp.js'

/** A JSON object as received. */
export type Payload = Readonly<Record<string, unknown>>

/** Some platforms replace values that the receiver may not see with this. */
export const REDACTED = '[REDACTED]'

/** Years 1 to 9999, in seconds since the epoch. */
const LAST_SECOND = 253_402_300_799

/** Own members only: names come from outside, so `constructor` must not match. */
export function memberOf(from: Payload | undefined, name: string): unknown {
  return from !== undefined && Object.hasOwn(from, name) ? from[name] : undefined
}

/** The member if it is an object with at least one member. */
export function objectAt(from: Payload | undefined, name: string): Payload | undefined {
  const value = memberOf(from, name)
  if (!isObject(value)) return undefined
  for (const _ in value) return value
  return undefined
}

/** The objects in a list; other elements are skipped. */
export function objectsAt(from: Payload | undefined, name: string): Payload[] {
  const value = memberOf(from, name)
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textAt(from: Payload | undefined, name: string): string | undefined {
  const value = memberOf(from, name)
  return typeof value === 'string' && value !== '' && value !== REDACTED ? value : undefined
}

/** A native id, sent as a number or as text. */
export function idAt(from: Payload | undefined, name: string): string | undefined {
  const value = memberOf(from, name)
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : textAt(from, name)
}

/** A number as received, such as an issue number. */
export function numberAt(from: Payload | undefined, name: string): number | undefined {
  const value = memberOf(from, name)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Whether the member is exactly true. */
export function isTrue(from: Payload | undefined, name: string): boolean {
  return memberOf(from, name) === true
}

/** An address that is safe to open in a browser. Schemes other than http and https count as absent. */
export function webUrlAt(from: Payload | undefined, name: string): string | undefined {
  const url = textAt(from, name)
  return url !== undefined && /^https?:\/\//iu.test(url) ? url : undefined
}

/**
 * An instant as UTC text with six digits, from text with a zone or from seconds since the epoch, whole or fractional.
 * The year 1, Go's "no time", counts as absent. So does an unreadable text, which remains in the payload.
 */
export function instantAt(from: Payload | undefined, name: string): string | undefined {
  const value = memberOf(from, name)
  if (typeof value === 'number') {
    return value > 0 && value <= LAST_SECOND ? toTimestamp(Math.floor(value * 1_000_000)) : undefined
  }
  const text = textAt(from, name)
  if (text === undefined) return undefined
  const instant = findTimestamp(text)?.text
  return instant?.startsWith('0001-') ? undefined : instant
}

/** The first of several members that is an instant. */
export function firstInstantAt(from: Payload | undefined, names: readonly string[]): string | undefined {
  for (const name of names) {
    const instant = instantAt(from, name)
    if (instant !== undefined) return instant
  }
  return undefined
}

/** Drops undefined members, so that events have no empty ones. */
export function known<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  for (const name in members) {
    if (members[name] !== undefined) kept[name] = members[name] as Exclude<T[typeof name], undefined>
  }
  return kept
}
