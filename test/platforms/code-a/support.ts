import { readdirSync, readFileSync } from 'node:fs'
import { Compile } from 'typebox/compile'
import { EventSchema, type NewEvent } from '../../../src/model/event.js'
import type { NormalisedDelivery, WebhookDelivery } from '../../../src/platforms/adapter.js'
import { codeA } from '../../../src/platforms/code-a/adapter.js'

const FOLDER = new URL('../fixtures/code-a/', import.meta.url)

export interface Fixture {
  name: string
  headers: Record<string, string>
  /** A JSON object, or the text of a form. */
  body: Record<string, unknown> | string
}

/** What platforms send: one delivery a file, with what we make of it beside. */
export function readFixtures(): Fixture[] {
  return readdirSync(FOLDER)
    .filter(file => file.endsWith('.json') && !file.endsWith('.event.json'))
    .map(file => ({ name: file.slice(0, -'.json'.length), ...readJson<Omit<Fixture, 'name'>>(file) }))
}

export function readFixture(name: string): Fixture {
  return { name, ...readJson<Omit<Fixture, 'name'>>(`${name}.json`) }
}

/** @returns the event without a payload where that is the body as received */
export function readExpected(name: string): Record<string, unknown> {
  return readJson(`${name}.event.json`)
}

/** The body of a fixture that was sent as plain JSON. */
export function jsonOf({ name, body }: Fixture): Record<string, unknown> {
  if (typeof body === 'string') throw new Error(`${name} is a form`)
  return body
}

export function toDelivery({ headers, body }: Omit<Fixture, 'name'>): WebhookDelivery {
  return { headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }
}

export function normalise(fixture: Omit<Fixture, 'name'>): NormalisedDelivery {
  return codeA.normalise(toDelivery(fixture))
}

/** The one event of a delivery. */
export function eventOf(fixture: Omit<Fixture, 'name'>): NewEvent {
  const { events } = normalise(fixture)
  const [event] = events
  if (!event || events.length !== 1) throw new Error(`expected one event, got ${events.length}`)
  return event
}

/** Checks an event as the ledger would. */
export function eventValidator() {
  const schema = Compile(EventSchema)
  return {
    /** @returns what is wrong with it, nothing when it is valid */
    problems(event: NewEvent): string[] {
      if (!schema.Check(event)) return schema.Errors(event).map(error => `${error.instancePath} ${error.message}`)
      const found: string[] = []
      if (!event.dedupe_key) found.push('no dedupe_key')
      if (event.action.kind !== event.kind) found.push('action.kind differs from kind')
      if (event.kind !== `${event.action.object_type}.${event.action.verb}`) found.push('kind is not <object>.<verb>')
      if (event.source !== 'code_a') found.push('source')
      return found
    },
  }
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as T
}
