/** GitLab's several notations of an instant, which one payload may mix. */
import { instantAt, type Payload, textAt } from '../mapping/payload.js'

/**
 * `2015-05-17 18:08:09 UTC`, `2021-04-28 21:50:00 +0200`, and a documented sample with a blank inside,
 * `2015-04-08T21: 00:25-07:00`.
 */
const NATIVE = /^(\d{4}-\d\d-\d\d)[T ](\d\d): ?(\d\d): ?(\d\d(?:\.\d+)?) ?(UTC|Z|[+-]\d\d:?\d\d)$/iu

/** An instant as UTC text with six digits. Values without a zone, such as dates, count as absent. */
export function timeAt(from: Payload | undefined, name: string): string | undefined {
  const [, day, hour, minute, second, zone] = NATIVE.exec(textAt(from, name) ?? '') ?? []
  if (zone === undefined) return instantAt(from, name)
  return instantAt({ time: `${day}T${hour}:${minute}:${second}${toOffset(zone)}` }, 'time')
}

/** The first of several members that is an instant. */
export function firstTimeAt(from: Payload | undefined, names: readonly string[]): string | undefined {
  for (const name of names) {
    const time = timeAt(from, name)
    if (time !== undefined) return time
  }
  return undefined
}

function toOffset(zone: string): string {
  if (!/\d/u.test(zone)) return 'Z'
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`
}
