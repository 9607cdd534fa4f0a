import Type, { type TSchema } from '#typebox'
import { EventSchema, LEDGER_MEMBERS } from '../../model/events/event.js'

/** Forms of the event, for the API description. `EventSchema` itself validates events that are sent. */

const { properties } = EventSchema
const isSent = (name: string) => !LEDGER_MEMBERS.some(member => member === name)
/** Ordinary events have no outcome, and only erased events have the mark. */
const isAlwaysPresent = (name: string) => name !== 'outcome' && name !== 'erased'

/** As sent: values for the ledger's own members are ignored. */
export const EventInputSchema: TSchema = withMembers('EventInput', isSent, EventSchema.required)

/** As stored and served: complete, except for what not every event has. */
export const StoredEventSchema: TSchema = withMembers('Event', () => true)

/** As in previews. */
export const EventWithoutPayloadSchema: TSchema = withMembers('EventWithoutPayload', name => name !== 'payload')

/** @param required required members; absent: the members that the ledger completes, also in `action` and `actor` */
function withMembers(title: string, has: (name: string) => boolean, required?: readonly string[]): TSchema {
  const completed = required ? {} : { action: complete(properties.action), actor: complete(properties.actor) }
  const members = Object.entries({ ...properties, ...completed }).filter(([name]) => has(name))
  return Type.Unsafe({
    ...EventSchema,
    title,
    properties: Object.fromEntries(members),
    required: required ?? members.map(([name]) => name).filter(isAlwaysPresent),
  })
}

function complete(schema: { properties: object }): object {
  return { ...schema, required: Object.keys(schema.properties).filter(isAlwaysPresent) }
}
