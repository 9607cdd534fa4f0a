import Type, { type TSchema } from '#typebox'
import { EventSchema, LEDGER_MEMBERS } from '../model/events/event.js'

/** The event in its several forms, for the API description. What is sent is checked by `EventSchema` itself. */

const { properties } = EventSchema
const isSent = (name: string) => !LEDGER_MEMBERS.some(member => member === name)

/** As it is sent: values for the ledger's own members are ignored. */
export const EventInputSchema: TSchema = withMembers('EventInput', isSent, EventSchema.required)

/** As it is stored and served: complete. */
export const StoredEventSchema: TSchema = withMembers('Event', () => true)

/** As previews show it. */
export const EventWithoutPayloadSchema: TSchema = withMembers('EventWithoutPayload', name => name !== 'payload')

/** @param required all of the members, and all of the nested ones that the ledger completes, where nothing is given */
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
