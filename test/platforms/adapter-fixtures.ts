/** What the tests of every adapter do: read deliveries and the events that are written beside them, and try both. */
import { readdirSync, readFileSync } from 'node:fs'
import { Compile } from '#typebox/compile'
import { EventSchema, type NewEvent } from '../../src/model/events/event.js'
import type { NormalisedDelivery, WebhookAdapter, WebhookDelivery } from '../../src/platforms/adapter.js'

export interface Fixture {
  name: string
  headers: Record<string, string>
  /** A JSON object, or the text of another body. */
  body: Record<string, unknown> | string
}

/** With fewer, the folder is not that of the fixtures, and loops over them would check nothing. */
export const FEWEST_FIXTURES = 20

export type Sent = Omit<Fixture, 'name'>

export function toDelivery({ headers, body }: Sent): WebhookDelivery {
  return { headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }
}

/** @param folder its name below `fixtures/` */
export function adapterFixtures(adapter: WebhookAdapter, folder: string) {
  const place = new URL(`./fixtures/${folder}/`, import.meta.url)
  const read = <T>(file: string): T => JSON.parse(readFileSync(new URL(file, place), 'utf8')) as T
  const readFixture = (name: string): Fixture => ({ name, ...read<Sent>(`${name}.json`) })
  const normalise = (sent: Sent): NormalisedDelivery => adapter.normalise(toDelivery(sent), {})
  return {
    readFixture,
    readFixtures: (): Fixture[] => {
      const files = readdirSync(place).filter(file => file.endsWith('.json') && !/\.events?\.json$/u.test(file))
      if (files.length < FEWEST_FIXTURES) throw new Error(`${folder} has only ${files.length} fixtures`)
      return files.map(file => readFixture(file.slice(0, -'.json'.length)))
    },
    /** The event without its payload, which is the body as received. */
    readExpected: (name: string): Record<string, unknown> => read(`${name}.event.json`),
    normalise,
    /** The one event of a delivery. */
    eventOf: (sent: Sent): NewEvent => {
      const { events } = normalise(sent)
      const [event] = events
      if (!event || events.length !== 1) throw new Error(`expected one event, got ${events.length}`)
      return event
    },
  }
}

/** The body of a fixture that was sent as plain JSON. */
export function jsonOf({ name, body }: Fixture): Record<string, unknown> {
  if (typeof body === 'string') throw new Error(`${name} is no JSON object`)
  return body
}

/** Checks an event as the ledger would. */
export function eventValidator(source: string) {
  const schema = Compile(EventSchema)
  return {
    /** @returns what is wrong with it, nothing when it is valid */
    problems(event: NewEvent): string[] {
      if (!schema.Check(event)) return schema.Errors(event).map(error => `${error.instancePath} ${error.message}`)
      const found: string[] = []
      if (!event.dedupe_key) found.push('no dedupe_key')
      if (event.action.kind !== event.kind) found.push('action.kind differs from kind')
      if (event.kind !== `${event.action.object_type}.${event.action.verb}`) found.push('kind is not <object>.<verb>')
      if (event.source !== source) found.push('source')
      return found
    },
  }
}

/** Unexpected values for a member. */
const HOSTILE: readonly unknown[] = [null, '', 0, -1, true, [], {}, '\0', '\ud800', 'x'.repeat(600), undefined]

/** The paths to every member, down to the third level. */
export function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || path.length === 3) return []
  return Object.entries(value).flatMap(([name, inner]) => [[...path, name], ...pathsOf(inner, [...path, name])])
}

/** A copy with another value at that path. */
export function replaced(
  value: Record<string, unknown>,
  [name = '', ...rest]: string[],
  by: unknown,
): Record<string, unknown> {
  const inner = rest.length === 0 ? by : replaced(value[name] as Record<string, unknown>, rest, by)
  if (!Array.isArray(value)) return { ...value, [name]: inner }
  return Object.assign([...value], { [name]: inner })
}

/**
 * Hostile values for each member of many deliveries: all of them for the first occurrence of a path, and one of them in
 * turn for every second later one, because most members are in most deliveries.
 */
export function hostileInTurn(): (path: readonly string[]) => readonly unknown[] {
  const met = new Set<string>()
  let turn = 0
  return path => {
    const name = path.join('.')
    if (met.has(name)) return turn++ % 2 === 0 ? [HOSTILE[(turn >> 1) % HOSTILE.length]] : []
    met.add(name)
    return HOSTILE
  }
}

/**
 * Replaces the members of the fixtures one by one by hostile values.
 *
 * @returns a line for each event that is lost or invalid
 */
export function hostileFailures(
  { readFixtures, eventOf }: Pick<ReturnType<typeof adapterFixtures>, 'readFixtures' | 'eventOf'>,
  { problems }: ReturnType<typeof eventValidator>,
): string[] {
  const hostileValues = hostileInTurn()
  return readFixtures().flatMap(({ name, headers, body }) => {
    if (typeof body === 'string') return []
    return pathsOf(body).flatMap(path =>
      hostileValues(path).flatMap(value => {
        const found = problems(eventOf({ headers, body: replaced(body, path, value) }))
        return found.length > 0 ? [`${name}: ${path.join('.')} = ${JSON.stringify(value)}: ${found.join(', ')}`] : []
      }),
    )
  })
}
