import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { EventQuery } from '../../../../src/model/events/event-query.js'
import type { EventToRecord } from '../../../../src/store/event-store.js'
import { Engine } from '../../../../src/store/sqlite/engine.js'
import {
  encodeWithoutInstants,
  type PackedEvents,
  packEvents,
} from '../../../../src/store/sqlite/write/packed-events.js'
import { messageCreated, serialised } from '../../../support/events.js'
import { testFolder } from '../../../support/test-folder.js'

const NOON = 1_800_000_000_000_000
const FILLING = 'x'.repeat(1_500_000)

const by = (actor: string) => ({ actor: { id: actor, display: actor, metadata: {} }, payload: { filling: FILLING } })

t.test('a large event that is marked before its indexing is found by the mark', async t => {
  const engine = open(t)
  engine.commit([record(serialised(messageCreated('a', by('Ada'))))])
  engine.commit([record({ ...messageCreated('a'), matches: [{ id: 'sub_1', isCaptured: true }] })])
  engine.advanceIndex(10)
  t.equal(engine.unindexed, 0)
  t.equal(count(engine, { subscriptionIds: ['sub_1'] }), 1)
  t.equal(count(engine, { actors: ['Ada'] }), 1)
})

t.test('an event of a failed commit is not in the index under the number of the next event', async t => {
  const engine = open(t)
  const lost = Array.from({ length: 16 }, (_, at) => record(serialised(messageCreated(`lost ${at}`, by('Ada')))))
  const broken = { ...packedOf(messageCreated('broken')), matches: 'broken' }
  t.throws(() => engine.commit([...lost, { task: 'events.record', args: [broken, NOON] }]))
  engine.commit([record(serialised(messageCreated('kept', by('Grace'))))])
  engine.advanceIndex(10)
  t.equal(count(engine, { actors: ['Ada'] }), 0)
  t.equal(count(engine, { actors: ['Grace'] }), 1)
})

t.test('an event that enters the index while a search reads it is found once', async t => {
  const engine = open(t)
  engine.commit([record(serialised(messageCreated('indexed')))])
  engine.advanceIndex(10)
  engine.commit([record(serialised(messageCreated('large', { payload: { filling: FILLING, last: 'needle' } })))])
  const search = engine.query({ task: 'events.query', args: [{ order: 'desc', limit: 10, search: ['needle'] }] })
  t.equal(search.next().done, false, 'a large event is read in slices')
  engine.advanceIndex(10)
  t.equal(engine.unindexed, 0)
  let slice = search.next()
  while (!slice.done) slice = search.next()
  t.match(slice.value, { count: 1, hasMore: false })
})

t.test('a search finds every large event, including those that were read again for the index', async t => {
  const engine = open(t)
  for (let at = 0; at < 20; at++) engine.commit([record(serialised(messageCreated(`key ${at}`, by(`actor ${at}`))))])
  while (engine.unindexed > 0) engine.advanceIndex(10)
  for (let at = 0; at < 20; at++) t.equal(count(engine, { actors: [`actor ${at}`] }), 1)
})

function open(t: Test): Engine {
  const engine = new Engine(join(testFolder(t), 'events.db'))
  t.teardown(() => engine.close())
  return engine
}

function record(event: EventToRecord) {
  return { task: 'events.record', args: [packedOf(event), NOON] }
}

function packedOf(event: EventToRecord): PackedEvents {
  return packEvents([event], [encodeWithoutInstants(event)])
}

function count(engine: Engine, filter: Partial<EventQuery>): number {
  const query: EventQuery = { order: 'asc', limit: 100, since: 0, ...filter }
  const slices = engine.tasks.events.query.run(query)
  for (;;) {
    const { done, value } = slices.next()
    if (done) return value.count
  }
}
