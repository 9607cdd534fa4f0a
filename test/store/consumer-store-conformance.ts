import fc from 'fast-check'
import type { Test } from 'tap'
import { AppError } from '../../src/model/app-error.js'
import type { ConsumerStore, NewDeadLetter, StoredConsumer } from '../../src/store/consumer-store.js'
import { messageCreated } from '../support/events.js'
import { prune } from './erasure-conformance.js'
import type { OpenStore } from './event-store-conformance.js'

const NOON = 1_800_000_000_000_000
const MINUTE = 60_000_000
const RULES = { most: 10, now: NOON }
const NEW = { name: 'mail', owner_user_id: null, position: 'beginning' } as const
const MAIL = { name: 'mail' }
const LETTER: NewDeadLetter = { dedupe_key: 'chat:1', captured_at: NOON, error: 'exit 1', attempts: 3 }

const refused = (code: string) => ({ category: code === 'not_found' ? 'not_found' : 'conflict', code })

/** Tests of consumers for every engine. */
export function consumerStoreConformance(t: Test, open: OpenStore): void {
  const openWithEvents = async (t: Test, count: number) => {
    const { consumers, events } = await open(t, () => NOON)
    const outcomes = await events.record(Array.from({ length: count }, (_, at) => messageCreated(`chat:${at}`)))
    return { consumers, captured: outcomes.map(({ capturedAt }) => capturedAt) }
  }

  t.test('consumers of one ledger', async t => {
    const { consumers, captured } = await openWithEvents(t, 3)
    consumersOfOneLedger(t, t => {
      t.teardown(async () => {
        for (const { name } of await consumers.list()) await consumers.delete({ name })
      })
      return { consumers, captured }
    })
  })

  t.test('removed events do not count as unread', async t => {
    const store = await open(t, () => NOON)
    await store.events.record(['a', 'b', 'c'].map(key => messageCreated(key)))
    await prune(store, '1', NOON + 1)
    t.same(await store.consumers.unread([0, NOON + 1, NOON + 2, NOON + 3]), [
      { events: 2, exact: true, oldest: NOON + 2 },
      { events: 2, exact: true, oldest: NOON + 2 },
      { events: 1, exact: true, oldest: NOON + 3 },
      { events: 0, exact: true, oldest: null },
    ])
  })

  t.test('leases, acknowledgements and positions follow the model in any order', async t => {
    const { consumers, captured } = await openWithEvents(t, 5)
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 1, maxLength: 25 }), async steps => {
        const name = `run-${++run}`
        await consumers.save({ ...NEW, name }, { most: 1_000, now: NOON })
        const model = new ModelConsumer(captured)
        const fences: number[] = []
        const own = new Map<number, number>()
        for (const step of steps) {
          const expected = model.apply(step)
          const met = await apply(consumers, { name }, step, { model, captured, fences, own })
          t.equal(met, expected, JSON.stringify(step))
          const stored = (await consumers.find({ name })) as StoredConsumer
          t.equal(stored.checkpoint, model.checkpoint, 'checkpoint')
          t.equal(stored.leased_until > model.now, model.isHeld, 'lease')
          if (met !== expected || stored.checkpoint !== model.checkpoint) return false
        }
        return fences.every((fence, at) => at === 0 || fence > (fences[at - 1] ?? 0))
      }),
      { numRuns: 20 },
    )
    t.ok(run > 0)
  })
}

/** @param withoutConsumers a ledger of three events */
function consumersOfOneLedger(
  t: Test,
  withoutConsumers: (t: Test) => { consumers: ConsumerStore; captured: number[] },
): void {
  t.test('a consumer is created once, and keeps its position when it is saved again', async t => {
    const { consumers, captured } = withoutConsumers(t)
    const created = await consumers.save({ ...NEW, position: 'now' }, RULES)
    t.match(created, { created: true, consumer: { name: 'mail', checkpoint: captured[2], failures: 0 } })
    t.same(created.consumer.filters, {})
    const filters = { kind: ['issue.*'] }
    const again = await consumers.save({ ...NEW, filters }, RULES)
    t.match(again, { created: false, consumer: { filters, checkpoint: captured[2] } })
    t.match(await consumers.save(NEW, RULES), { consumer: { filters } }, 'filters stay if none are sent')
    t.match(await consumers.list(), [{ name: 'mail', filters }])
  })

  t.test('consumers of another owner are not found, and their names are taken', async t => {
    const { consumers } = withoutConsumers(t)
    await consumers.save({ ...NEW, owner_user_id: 'ada' }, { ...RULES, owner: 'ada' })
    const bobs = { name: 'mail', owner: 'bob' }
    t.equal(await consumers.find(bobs), undefined)
    t.match(await consumers.find({ name: 'mail', owner: 'ada' }), { owner_user_id: 'ada' })
    t.same(await consumers.list('bob'), [])
    await t.rejects(consumers.save(NEW, { ...RULES, owner: 'bob' }), refused('consumer_taken'))
    const notFound = refused('not_found')
    await t.rejects(consumers.lease(bobs, { now: NOON, until: NOON + 1 }), notFound)
    await t.rejects(consumers.acknowledge(bobs, { fence: 1, now: NOON, until: NOON }), notFound)
    await t.rejects(consumers.seek(bobs, 'now', NOON), notFound)
    await t.rejects(consumers.listDeadLetters(bobs, { after: 0, limit: 1 }), notFound)
    await t.rejects(consumers.retryDeadLetters(bobs, 'all'), notFound)
    await t.rejects(consumers.deleteDeadLetters(bobs, 'all'), notFound)
    await t.rejects(consumers.delete(bobs), notFound)
    t.equal((await consumers.list()).length, 1)
  })

  t.test('saving a consumer while it reads does not affect the reader', async t => {
    const { consumers } = withoutConsumers(t)
    await consumers.save(NEW, RULES)
    const { fence } = await leased(consumers, { now: NOON, until: NOON + MINUTE })
    const calls = Array.from({ length: 40 }, (_, at) => {
      return at % 2 === 0 ? consumers.save(NEW, RULES) : leased(consumers, { fence, now: NOON, until: NOON + MINUTE })
    })
    t.equal((await Promise.all(calls)).length, calls.length)
  })

  t.test('a lease from before the clock was set back has expired', async t => {
    const { consumers } = withoutConsumers(t)
    await consumers.save(NEW, RULES)
    const before = NOON + 365 * 24 * 60 * MINUTE
    const first = await leased(consumers, { now: before, until: before + MINUTE })
    const second = await leased(consumers, { now: NOON, until: NOON + MINUTE })
    t.ok(second.fence > first.fence)
  })

  t.test('an owner may have a maximum number of consumers', async t => {
    const { consumers } = withoutConsumers(t)
    const save = (name: string) => consumers.save({ ...NEW, name }, { ...RULES, most: 2 })
    await save('a')
    await save('b')
    await t.rejects(save('c'), refused('too_many_consumers'))
    t.match(await save('b'), { created: false })
    await consumers.delete({ name: 'a' })
    t.match(await save('c'), { created: true })
  })

  t.test('one instance reads, a second one waits, and an expired one can no longer acknowledge', async t => {
    const { consumers, captured } = withoutConsumers(t)
    await consumers.save(NEW, RULES)
    const first = await leased(consumers, { now: NOON, until: NOON + MINUTE })
    t.ok(first.fence >= NOON / 1000, 'no lease before a restore has such a number')
    t.same(await consumers.lease(MAIL, { now: NOON + 1, until: NOON + MINUTE }), {
      granted: false,
      until: NOON + MINUTE,
    })
    await leased(consumers, { fence: first.fence, now: NOON, until: NOON + MINUTE, readTo: captured[1] })
    const later = NOON + MINUTE
    const second = await leased(consumers, { now: later, until: later + MINUTE })
    t.ok(second.fence > first.fence)
    const late = { fence: first.fence, now: later, until: later + MINUTE }
    await t.rejects(consumers.acknowledge(MAIL, { ...late, checkpoint: captured[1] }), refused('lease_lost'))
    await t.rejects(consumers.lease(MAIL, late), refused('lease_lost'))
    t.match(await consumers.find(MAIL), { checkpoint: 0, fence: second.fence })
  })

  t.test('an instance whose lease expired continues if no other took it', async t => {
    const { consumers, captured } = withoutConsumers(t)
    await consumers.save(NEW, RULES)
    const { fence } = await leased(consumers, { now: NOON, until: NOON + 1 })
    const now = NOON + MINUTE
    await leased(consumers, { fence, now, until: now + 1, readTo: captured[0] })
    const acknowledged = { fence, now: now + MINUTE, until: now + 2 * MINUTE, checkpoint: captured[0] }
    t.match(await consumers.acknowledge(MAIL, acknowledged), { checkpoint: captured[0], acknowledged_at: now + MINUTE })
    t.match(await consumers.lease(MAIL, { now: now + MINUTE, until: now + 2 * MINUTE }), { granted: false })
  })

  t.test('events that were read with other filters than those of the consumer cannot be acknowledged', async t => {
    const { consumers, captured } = withoutConsumers(t)
    const filters = { kind: ['issue.*'] }
    await consumers.save({ ...NEW, filters }, RULES)
    const { fence } = await leased(consumers, { now: NOON, until: NOON + MINUTE })
    const held = { fence, now: NOON, until: NOON + MINUTE }
    const changed = { kind: ['message.*'] }
    await consumers.save({ ...NEW, filters: changed }, RULES)
    t.match(await leased(consumers, { ...held, readTo: captured[1], filters }), { filters: changed })
    await t.rejects(
      consumers.acknowledge(MAIL, { ...held, checkpoint: captured[1] }),
      refused('checkpoint_out_of_range'),
    )
    await leased(consumers, { ...held, readTo: captured[1], filters: changed })
    t.match(await consumers.acknowledge(MAIL, { ...held, checkpoint: captured[1] }), { checkpoint: captured[1] })
  })

  t.test('changed filters end the lease on a batch that is out: others that match now come first', async t => {
    const { consumers, captured } = withoutConsumers(t)
    const filters = { kind: ['issue.*'] }
    await consumers.save({ ...NEW, filters }, RULES)
    const { fence } = await leased(consumers, { now: NOON, until: NOON + MINUTE })
    const held = { fence, now: NOON, until: NOON + MINUTE }
    await leased(consumers, { ...held, readTo: captured[1], filters })
    await consumers.save({ ...NEW, filters }, RULES)
    await leased(consumers, { ...held, readTo: captured[1], filters })
    await consumers.save({ ...NEW, filters: { kind: ['message.*'] } }, RULES)
    await t.rejects(consumers.acknowledge(MAIL, { ...held, checkpoint: captured[1] }), refused('lease_lost'))
    const next = await leased(consumers, { now: NOON, until: NOON + MINUTE })
    t.ok(next.fence > fence)
    t.equal(next.checkpoint, 0)
  })

  t.test('a released lease is free', async t => {
    const { consumers } = withoutConsumers(t)
    await consumers.save(NEW, RULES)
    const { fence } = await leased(consumers, { now: NOON, until: NOON + MINUTE })
    await consumers.acknowledge(MAIL, { fence, now: NOON + 1, until: NOON + 1 })
    const continued = { fence, continues: true, now: NOON + 1, until: NOON + MINUTE }
    await t.rejects(consumers.lease(MAIL, continued), refused('lease_lost'), 'a read in progress does not keep it')
    t.match(await consumers.lease(MAIL, { now: NOON + 1, until: NOON + MINUTE }), { granted: true })
  })

  t.test(
    'dead letters are stored with the checkpoint, retried on request, and then removed or stored again',
    async t => {
      const { consumers, captured } = withoutConsumers(t)
      await consumers.save(NEW, RULES)
      const [one = 0, two = 0] = captured
      const { fence } = await leased(consumers, { now: NOON, until: NOON + MINUTE })
      await leased(consumers, { fence, now: NOON, until: NOON + MINUTE, readTo: two })
      const acknowledge = { fence, now: NOON, until: NOON + MINUTE }
      const letters = [
        { ...LETTER, captured_at: one },
        { ...LETTER, dedupe_key: 'chat:2', captured_at: two },
      ]
      await t.rejects(
        consumers.acknowledge(MAIL, { ...acknowledge, checkpoint: two + 1, deadLetters: letters }),
        refused('checkpoint_out_of_range'),
      )
      t.same(await consumers.listDeadLetters(MAIL, { after: 0, limit: 9 }), [], 'all of it or nothing')
      const kept = await consumers.acknowledge(MAIL, {
        ...acknowledge,
        checkpoint: two,
        deadLetters: letters,
        error: 'x',
      })
      t.match(kept, { checkpoint: two, dead_letters: 2, retries: 0, failures: 1, last_error: 'x', failed_at: NOON })
      const listed = await consumers.listDeadLetters(MAIL, { after: 0, limit: 9 })
      t.match(listed, [
        { dedupe_key: 'chat:1', captured_at: one, error: 'exit 1', attempts: 3, retrying: false },
        { captured_at: two },
      ])
      const [first, second] = listed.map(({ id }) => id)
      t.match(await consumers.listDeadLetters(MAIL, { after: first ?? 0, limit: 9 }), [{ id: second }])
      t.equal(await consumers.findRetry(MAIL), undefined)
      t.equal(await consumers.retryDeadLetters(MAIL, 'all'), 2)
      t.match(await consumers.findRetry(MAIL), { id: first, retrying: true })
      const failed = [{ ...LETTER, captured_at: one, error: 'again', attempts: 6 }]
      await consumers.acknowledge(MAIL, { ...acknowledge, retried: first, deadLetters: failed })
      t.match(await consumers.findRetry(MAIL), { id: second })
      await consumers.acknowledge(MAIL, { ...acknowledge, retried: second })
      t.equal(await consumers.findRetry(MAIL), undefined)
      const [left, ...others] = await consumers.listDeadLetters(MAIL, { after: 0, limit: 9 })
      t.match(left, { captured_at: one, error: 'again', attempts: 6, retrying: false })
      t.same(others, [])
      await t.rejects(consumers.retryDeadLetters(MAIL, second ?? 0), refused('not_found'))
      t.equal(await consumers.deleteDeadLetters(MAIL, left?.id ?? 0), 1)
      await t.rejects(consumers.deleteDeadLetters(MAIL, left?.id ?? 0), refused('not_found'))
      t.equal(await consumers.deleteDeadLetters(MAIL, 'all'), 0)
    },
  )

  t.test('a deleted consumer leaves no dead letters to the next of its name', async t => {
    const { consumers } = withoutConsumers(t)
    await consumers.save(NEW, RULES)
    const { fence } = await leased(consumers, { now: NOON, until: NOON + MINUTE })
    await consumers.acknowledge(MAIL, { fence, now: NOON, until: NOON, deadLetters: [LETTER] })
    await consumers.delete(MAIL)
    t.equal(await consumers.find(MAIL), undefined)
    await consumers.save(NEW, RULES)
    t.match(await consumers.find(MAIL), { dead_letters: 0, failures: 0 })
  })

  t.test('unread events are counted from any checkpoint', async t => {
    const { consumers, captured } = withoutConsumers(t)
    const [first = 0, second = 0, third = 0] = captured
    t.same(await consumers.unread([0, first, second - 1, third, third + 1]), [
      { events: 3, exact: true, oldest: first },
      { events: 2, exact: true, oldest: second },
      { events: 2, exact: true, oldest: second },
      { events: 0, exact: true, oldest: null },
      { events: 0, exact: true, oldest: null },
    ])
  })
}

/** Something that one of three instances does, or an operator. */
type Step =
  | { do: 'read'; instance: number; events: number }
  | { do: 'acknowledge'; instance: number; event: number }
  | { do: 'release'; instance: number }
  | { do: 'seek'; event: number }
  | { do: 'pass'; seconds: number }

const instance = fc.integer({ min: 0, max: 2 })
const event = fc.integer({ min: 0, max: 5 })
const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('read' as const), instance, events: event }),
  fc.record({ do: fc.constant('acknowledge' as const), instance, event }),
  fc.record({ do: fc.constant('release' as const), instance }),
  fc.record({ do: fc.constant('seek' as const), event }),
  fc.record({ do: fc.constant('pass' as const), seconds: fc.constantFrom(1, 61) }),
)

/** The rules in their simplest form: who has the lease, until when, and two numbers. */
class ModelConsumer {
  now = NOON
  checkpoint = 0
  #readTo = 0
  /** The instance with the newest lease; undefined after a position was set. */
  #holder: number | undefined
  #until = 0

  constructor(private readonly captured: readonly number[]) {}

  get isHeld(): boolean {
    return this.#until > this.now
  }

  placeOf(event: number): number {
    return event === 0 ? 0 : (this.captured[event - 1] ?? 0)
  }

  apply(step: Step): string {
    switch (step.do) {
      case 'pass':
        this.now += step.seconds * 1_000_000
        return 'ok'
      case 'seek':
        this.checkpoint = this.placeOf(step.event)
        this.#readTo = this.checkpoint
        this.#holder = undefined
        this.#until = 0
        return 'ok'
      case 'read':
        if (step.instance !== this.#holder) {
          if (this.isHeld) return 'held'
          this.#holder = step.instance
          this.#readTo = this.checkpoint
        }
        this.#readTo = Math.max(this.#readTo, this.placeOf(step.events))
        this.#until = this.now + MINUTE
        return 'ok'
      case 'acknowledge': {
        if (step.instance !== this.#holder) return 'lease_lost'
        const place = this.placeOf(step.event)
        if (place < this.checkpoint || place > this.#readTo) return 'checkpoint_out_of_range'
        this.checkpoint = place
        this.#until = this.now + MINUTE
        return 'ok'
      }
      case 'release':
        if (step.instance !== this.#holder) return 'lease_lost'
        this.#until = this.now
        return 'ok'
    }
  }
}

interface ModelRun {
  model: ModelConsumer
  captured: readonly number[]
  /** Of all leases, in order. */
  fences: number[]
  /** Of the last lease of each instance. */
  own: Map<number, number>
}

/** Each instance remembers the number of its last lease; one without a lease shows a number that no lease has. */
async function apply(
  consumers: ConsumerStore,
  key: { name: string },
  step: Step,
  { model, captured, fences, own }: ModelRun,
): Promise<string> {
  const { now } = model
  const until = now + MINUTE
  const stored = await consumers.find(key)
  try {
    switch (step.do) {
      case 'pass':
        return 'ok'
      case 'seek':
        await consumers.seek(key, step.event === 0 ? 'beginning' : model.placeOf(step.event), now)
        return 'ok'
      case 'read': {
        const known = own.get(step.instance)
        const fence = known === stored?.fence ? known : undefined
        const lease = await consumers.lease(key, { fence, now, until })
        if (!lease.granted) return 'held'
        if (fence === undefined) fences.push(lease.consumer.fence)
        own.set(step.instance, lease.consumer.fence)
        const readTo = step.events === 0 ? 0 : captured[step.events - 1]
        await consumers.lease(key, { fence: lease.consumer.fence, now, until, readTo })
        return 'ok'
      }
      case 'acknowledge': {
        const checkpoint = model.placeOf(step.event)
        await consumers.acknowledge(key, { fence: own.get(step.instance) ?? 1, now, until, checkpoint })
        return 'ok'
      }
      case 'release':
        await consumers.acknowledge(key, { fence: own.get(step.instance) ?? 1, now, until: now })
        return 'ok'
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.code
  }
}

async function leased(
  consumers: ConsumerStore,
  request: Parameters<ConsumerStore['lease']>[1],
): Promise<StoredConsumer> {
  const lease = await consumers.lease(MAIL, request)
  if (!lease.granted) throw new Error('The lease was not granted.')
  return lease.consumer
}
