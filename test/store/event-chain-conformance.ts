import { createHash } from 'node:crypto'
import fc from 'fast-check'
import type { Test } from 'tap'
import type { StoredEvent } from '../../src/model/events/event.js'
import { eventsOf } from '../../src/model/events/event-query.js'
import type { EventStore } from '../../src/store/event-store.js'
import { messageCreated, serialised } from '../support/events.js'
import type { OpenStore } from './event-store-conformance.js'

const NOON = 1_800_000_000_000_000
const ALL = { since: null, limit: 1_000 }

function sha256(...parts: (string | Uint8Array)[]): Buffer {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part)
  return digest.digest()
}

/** The chain by its definition, from what readers see. */
async function expectedDigest(events: EventStore): Promise<string> {
  const page = await events.query({ order: 'asc', limit: 1_000, since: 0 })
  let digest: Buffer = Buffer.alloc(32)
  for (const event of eventsOf(page)) {
    const { subscription_ids: _, captured_at, seen_count: __, last_seen_at: ___, ...content } = event as StoredEvent
    const at = Buffer.alloc(8)
    at.writeBigUInt64BE(BigInt(Date.parse(captured_at)) * 1_000n + BigInt(captured_at.slice(23, 26)))
    digest = sha256(digest, sha256(JSON.stringify(content).slice(0, -1)), at)
  }
  return digest.toString('hex')
}

/** Tests of digests for every engine. Source: decision 51. */
export function eventChain(t: Test, open: OpenStore): void {
  t.test('an empty ledger has no head, and verifies', async t => {
    const { events } = await open(t)
    t.match(await events.health(), { head: null })
    t.match(await events.verify(ALL), {
      events: 0,
      after: null,
      through: null,
      hasMore: false,
      problems: { length: 0 },
    })
  })

  t.test('the digest of the head covers every event as recorded', async t => {
    const delivery = fc.record({
      key: fc.integer({ min: 1, max: 12 }),
      said: fc.string({ unit: 'grapheme' }),
      payload: fc.object({ maxDepth: 4 }).map(value => JSON.parse(JSON.stringify(value))),
      number: fc.double({ noNaN: true, noDefaultInfinity: true }),
      isLarge: fc.boolean(),
      mark: fc.option(fc.constantFrom('sub_1', 'sub_2')),
    })
    let now = NOON
    let round = 0
    const { events } = await open(t, () => now++)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(delivery, { maxLength: 5 }), { maxLength: 5 }), async batches => {
        round++
        for (const batch of batches) {
          await events.record(
            batch.map(({ key, said, payload, number, isLarge, mark }) => {
              const changes = { payload: { ...payload, number, captured_at: 1, subscription_ids: [] } }
              const event = messageCreated(`chat:${round}.${key}`, { ...changes, conversation: { text: said } })
              const matches = mark === null ? [] : [{ id: mark, isCaptured: true as const }]
              return { ...(isLarge ? serialised(event) : event), matches }
            }),
          )
        }
        const found = await events.verify(ALL)
        t.same(found.problems, [])
        const { head } = await events.health()
        if (head) t.equal(head.digest, await expectedDigest(events))
        t.same(found.through, head)
      }),
      // Not shrunk: a wrong digest stays in the ledger, and fails every further round.
      { numRuns: 12, endOnFailure: true },
    )
  })

  t.test('repeats and marks change no digest', async t => {
    const { events } = await open(t)
    await events.record([messageCreated('a'), messageCreated('b')])
    const { head } = await events.health()
    await events.record([{ ...messageCreated('a'), matches: [{ id: 'sub_1', isCaptured: true }] }, messageCreated('b')])
    t.same((await events.health()).head, head)
    t.match(await events.verify(ALL), { through: head, problems: { length: 0 } })
  })

  t.test('a verification of a part begins after an event, and counts its events', async t => {
    const { events } = await open(t, () => NOON)
    await events.record(['a', 'b', 'c', 'd'].map(key => messageCreated(key)))
    await events.record([messageCreated('c')])
    const { through: second } = await events.verify({ since: null, limit: 2 })
    t.match(await events.verify({ since: NOON + 1, limit: 1 }), {
      events: 1,
      after: second,
      through: { capturedAt: NOON + 2 },
      hasMore: true,
      pending: 0,
      bySource: new Map([['chat', { events: 1, duplicates: 1 }]]),
      byKind: new Map([['message.created', 1]]),
    })
    t.match(await events.verify({ since: NOON + 3, limit: 1 }), { events: 0, hasMore: false, problems: { length: 0 } })
    t.match(await events.verify({ since: NOON + 9, limit: 1 }), {
      events: 0,
      problems: [{ dedupe_key: null, detail: /No event was captured at/ }],
    })
  })
}
