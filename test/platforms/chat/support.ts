import { readdirSync, readFileSync } from 'node:fs'
import type { NewEvent, Verification } from '../../../src/model/events/event.js'
import type { NormalisedDelivery } from '../../../src/platforms/adapter.js'
import { chat } from '../../../src/platforms/chat/adapter.js'
import * as fixtures from '../adapter-fixtures.js'

const FOLDER = new URL('../fixtures/chat/', import.meta.url)
export const SITE = 'https://chat.example.org'

interface Fixture extends fixtures.Fixture {
  /** What is configured as the address of the server, if anything is. */
  site?: string
}

/** What is sent where the headers do not matter. */
export interface Sent {
  headers?: Record<string, string>
  body: Record<string, unknown> | string
  site?: string | undefined
  verified?: Verification
}

/** What a chat server sends: one delivery a file, with the event or events that we make of it beside. */
export function readFixtures(): Fixture[] {
  const files = readdirSync(FOLDER).filter(file => file.endsWith('.json') && !/\.events?\.json$/u.test(file))
  if (files.length < fixtures.FEWEST_FIXTURES) throw new Error(`the chat has only ${files.length} fixtures`)
  return files.map(file => readFixture(file.slice(0, -'.json'.length)))
}

export function readFixture(name: string): Fixture {
  return { name, ...readJson<Omit<Fixture, 'name'>>(`${name}.json`) }
}

/** `<name>.event.json` holds one event, `<name>.events.json` a list of any length. */
export function readExpected(name: string): NewEvent[] {
  const lists = readdirSync(FOLDER).includes(`${name}.events.json`)
  return lists ? readJson<NewEvent[]>(`${name}.events.json`) : [readJson<NewEvent>(`${name}.event.json`)]
}

export function normalise({ headers = {}, body, ...context }: Sent): NormalisedDelivery {
  return chat.normalise(fixtures.toDelivery({ headers, body }), context)
}

/** The one event of a delivery. */
export function eventOf(sent: Sent): NewEvent {
  const { events } = normalise(sent)
  const [event] = events
  if (!event || events.length !== 1) throw new Error(`expected one event, got ${events.length}`)
  return event
}

/** A message as Ada wrote it in the topic "deploys" of the stream "eng", with other members in place of some. */
export function message(members: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 8812,
    type: 'stream',
    stream_id: 4,
    display_recipient: 'eng',
    subject: 'deploys',
    sender_id: 17,
    sender_full_name: 'Ada Lovelace',
    sender_email: 'ada@lovelace.example',
    content: 'roll back engine 12, please',
    timestamp: 1_935_826_800,
    ...members,
  }
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as T
}
