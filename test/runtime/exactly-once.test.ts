import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Ledger } from '../../src/ledger/ledger.js'
import { eventsOf } from '../../src/model/events/event-query.js'
import { Captures } from '../../src/runtime/capture/captures.js'
import type { Place } from '../support/chat-server/message-book.js'
import { allEvents, type CaptureRig, captureRig, DEPLOYS, deliver } from './capture/capture-rig.js'

/** Small, so that few messages are several pages. */
const PAGE_MESSAGES = 100

/** The point in a page at which a process dies. */
type Crash = 'before it is recorded' | 'after it is recorded'

type Step =
  | { step: 'say'; count: number }
  | { step: 'capture' }
  | { step: 'crash'; page: number; when: Crash }
  | { step: 'webhook' }
  | { step: 'rename' }

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ step: fc.constant('say' as const), count: fc.integer({ min: 1, max: 170 }) }) },
  { weight: 3, arbitrary: fc.constant({ step: 'capture' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant('crash' as const),
      page: fc.integer({ min: 0, max: 2 }),
      when: fc.constantFrom<Crash>('before it is recorded', 'after it is recorded'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ step: 'webhook' as const }) },
  { weight: 1, arbitrary: fc.constant({ step: 'rename' as const }) },
)

t.test('every message is captured exactly once, across deliveries, killed captures and renamed topics', async t => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 9 }), async plan => {
      await t.test('', async t => {
        const { said, delivered, rig } = await play(t, plan)
        const events = await allEvents(rig.ledger)
        t.same(
          events.map(event => Number(event.subject_id)).sort((left, right) => left - right),
          said,
        )
        const wrong = events.filter(event => event.seen_count !== (delivered.has(event.subject_id) ? 2 : 1))
        t.same(
          wrong.map(event => [event.subject_id, event.seen_count]),
          [],
        )
        t.ok(events.every(event => event.subscription_ids.join() === 'deploys'))
        t.same(await idsOfWatch(rig.ledger), said, 'and found by its watch')
      })
    }),
    { numRuns: 8 },
  )
})

async function play(t: Test, plan: readonly Step[]) {
  const rig = await captureRig(t, { pageMessages: PAGE_MESSAGES })
  const { book } = rig.chat
  book.say({ ...DEPLOYS, topic: 'other' })
  const said: number[] = []
  const delivered = new Set<string>()
  let place: Place = DEPLOYS
  for (const step of [...plan, { step: 'capture' as const }]) {
    if (step.step === 'say') said.push(...book.say(place, step.count))
    if (step.step === 'capture') await capture(rig)
    if (step.step === 'crash') await crash(rig, step)
    const newest = said.at(-1)
    if (step.step === 'webhook' && newest !== undefined && !delivered.has(String(newest))) {
      delivered.add(String(newest))
      await deliver(rig, newest)
    }
    // A topic that was never read has only its name.
    if (step.step === 'rename' && (await rig.ledger.getSubscription('deploys')).capture?.followed) {
      place = place === DEPLOYS ? book.resolve(DEPLOYS) : renamedBack(rig, place)
    }
  }
  return { said, delivered, rig }
}

/** As the index lists them, in the order of the messages. */
async function idsOfWatch(ledger: Ledger): Promise<number[]> {
  const ids: number[] = []
  for (let since = 0; ; ) {
    const page = await ledger.query({ order: 'asc', limit: 500, since, subscriptionIds: ['deploys'] })
    ids.push(...eventsOf(page).map(event => Number(event.subject_id)))
    if (!page.hasMore) return ids.sort((left, right) => left - right)
    since = page.nextSince ?? since
  }
}

function renamedBack({ chat }: CaptureRig, place: Place): Place {
  chat.book.move(place, DEPLOYS)
  return DEPLOYS
}

async function capture(rig: CaptureRig): Promise<void> {
  const { error } = await rig.once('deploys', { backfill: 100_000 })
  if (error) throw new Error(error.message)
}

/** A separate process that shares only the ledger, and ends in the middle of a page. */
async function crash(rig: CaptureRig, { page, when }: { page: number; when: Crash }): Promise<void> {
  let pages = 0
  const recordCaptured: Ledger['recordCaptured'] = async (...captured) => {
    const isLast = pages++ === page
    if (isLast && when === 'before it is recorded') throw new Error('killed')
    const outcomes = await rig.ledger.recordCaptured(...captured)
    if (isLast) throw new Error('killed')
    return outcomes
  }
  const dying = new Proxy(rig.ledger, {
    get: (ledger, name) => {
      if (name === 'recordCaptured') return recordCaptured
      const member: unknown = Reflect.get(ledger, name, ledger)
      return typeof member === 'function' ? member.bind(ledger) : member
    },
  })
  const request = rig.request({ subscription_id: 'deploys', backfill: 100_000 })
  await new Captures(dying, () => rig.clock.now).run(request).catch(error => {
    if (!(error instanceof Error) || error.message !== 'killed') throw error
  })
}
