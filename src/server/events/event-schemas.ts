import Type, { type TSchema } from '#typebox'
import { EventSchema, LEDGER_MEMBERS } from '../../model/events/event.js'

/** Forms of the event, for the API description. `EventSchema` itself validates events that are sent. */

const { properties } = EventSchema
const isSent = (name: string) => !LEDGER_MEMBERS.some(member => member === name)

/** As sent: values for the ledger's own members are ignored. */
export const EventInputSchema: TSchema = withMembers('EventInput', isSent, EventSchema.required)

/** As stored and served: complete. */
export const StoredEventSchema: TSchema = withMembers('Event', () => true)

/** As in previews. */
export const EventWithoutPayloadSchema: TSchema = withMembers('EventWithoutPayload', name => name !== 'payload')

/** @param required required members; absent: all members, including nested ones, which the ledger completes */
function withMembers(title: string, has: (name: string) => boolean, required?: readonly string[]): TSchema {
  const completed = required ? {} : { action: complete(properties.action), actor: complete(properties.actor) }
  const members = Object.entries({ ...properties, ...completed }).filter(([name]) => has(name))
  return Type.Unsafe({
    ...EventSchema,
    title,
    properties: Object.fromEntries(members),
    required: required ?? members.map(([name]) => name),
  })
}

function complete(schema: { properties: object }): object {
  return { ...schema, required: Object.keys(schema.properties) }
}
