import t from 'tap'
import { EventSchema } from '../../src/model/events/event.js'
import { SubscriptionSchema } from '../../src/model/subscriptions/subscription.js'
import { firstCodes, readReference } from './reference-page.js'

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  readOnly?: boolean
  $ref?: string
  $defs?: Record<string, Schema>
}

for (const [page, schema] of [
  ['event', EventSchema],
  ['subscription', SubscriptionSchema],
] as const) {
  const plain: Schema = JSON.parse(JSON.stringify(schema))
  const { sections } = readReference(page)

  t.test(`every member of the schema is in the reference of the ${page}, and no other`, async t => {
    const described = firstCodes(
      sections.flatMap(({ tables }) => tables),
      'member',
    )
    t.same(described.sort(), membersOf(plain).sort())
  })

  t.test(`the reference of the ${page} does not list read-only members as sent`, async t => {
    const sent = firstCodes(sections.find(({ title }) => title === 'What you send')?.tables ?? [])
    const readOnly = Object.entries(plain.properties ?? {}).filter(([, member]) => member.readOnly)
    t.ok(sent.length > 5 && readOnly.length > 1, `${sent.length} sent, ${readOnly.length} read-only`)
    for (const [name] of readOnly) t.notOk(sent.includes(name), name)
  })
}

/** Paths of all members: `actor.id`, `actions[].kind`. A recursive schema is listed once. */
function membersOf(schema: Schema, path = ''): string[] {
  const form = schema.$ref === undefined ? schema : schema.$defs?.[schema.$ref]
  const own = Object.entries(form?.properties ?? {}).flatMap(([name, member]) => {
    const below = path === '' ? name : `${path}.${name}`
    return [below, ...membersOf(member, below)]
  })
  return form?.items ? membersOf(form.items, `${path}[]`) : own
}
