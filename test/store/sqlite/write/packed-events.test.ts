import fc from 'fast-check'
import t from 'tap'
import { RESERVED_BYTES } from '../../../../src/model/events/event-limits.js'
import type { EventToRecord } from '../../../../src/store/event-store.js'
import { encodeWithoutInstants, packEvents, unpackEvents } from '../../../../src/store/sqlite/write/packed-events.js'
import { messageCreated } from '../../../support/events.js'

/** A serialised event with free bytes before and after it. */
function writtenInto(payload: string, before: number, after: number): EventToRecord {
  const delivery = messageCreated('a', { payload: { said: payload } })
  const text = Buffer.from(JSON.stringify(delivery.event))
  const json = new Uint8Array(new ArrayBuffer(before + text.length + after), before, text.length)
  json.set(text)
  return { ...delivery, event: { ...delivery.event, payload: {} }, json, matches: [{ id: 'sub_1' }] }
}

function pack(event: EventToRecord) {
  const packed = packEvents([event], [encodeWithoutInstants(event)])
  return { packed, events: [...unpackEvents(packed)].map(one => ({ ...one, body: one.body.toString() })) }
}

t.test('a serialised event is packed identically with any reserved room', async t => {
  const either = (just: number) => fc.oneof(fc.nat(RESERVED_BYTES.before * 2), fc.constant(just))
  fc.assert(
    fc.property(fc.string(), either(RESERVED_BYTES.before), either(RESERVED_BYTES.after), (said, before, after) => {
      const bare = pack(writtenInto(said, 0, 0)).events
      t.match(JSON.parse(bare[0]?.body ?? ''), { payload: { said }, subscription_ids: ['sub_1'], seen_count: 1 })
      t.same(pack(writtenInto(said, before, after)).events, bare)
    }),
  )
})

t.test('an event with exactly the reserved room is packed without copying', async t => {
  const roomy = writtenInto('large', RESERVED_BYTES.before, RESERVED_BYTES.after)
  t.equal(pack(roomy).packed.buffer, roomy.json?.buffer)
})

t.test('a buffer that may be shared is not changed', async t => {
  const { before, after } = RESERVED_BYTES
  const rooms = [
    ...[
      { left: before, right: 8 },
      { left: 0, right: after },
      { left: before - 4, right: after },
    ],
    ...[
      { left: before + 4, right: after },
      { left: before, right: after + 1 },
    ],
  ]
  for (const { left, right } of rooms) {
    const shared = writtenInto('large', left, right)
    const untouched = Buffer.from(shared.json?.buffer as ArrayBuffer).toString('hex')
    t.not(pack(shared).packed.buffer, shared.json?.buffer)
    t.equal(Buffer.from(shared.json?.buffer as ArrayBuffer).toString('hex'), untouched)
  }
})

t.test('members of the ledger that exceed the reserved room are packed with a copy', async t => {
  const crowded = writtenInto('large', RESERVED_BYTES.before, RESERVED_BYTES.after)
  crowded.matches = Array.from({ length: 4_000 }, (_, at) => ({ id: `sub_of_a_watch_${at}` }))
  const { packed, events } = pack(crowded)
  t.not(packed.buffer, crowded.json?.buffer)
  t.equal(JSON.parse(events[0]?.body ?? '').subscription_ids.length, 4_000)
})
