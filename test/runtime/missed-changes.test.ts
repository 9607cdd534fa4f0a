import fc from 'fast-check'
import t, { type Test } from 'tap'
import { SEED } from '../black-box/seeded.js'
import type { Place } from '../support/chat-server/message-book.js'
import { until } from '../support/until.js'
import { allEvents, DEPLOYS, WATCH } from './capture/capture-rig.js'
import { type LiveRig, liveRig } from './capture/live-rig.js'

const RANDOM = { stream: 'eng', topic: 'random' }

type Change =
  | { step: 'say'; isWatched: boolean; count: number }
  /** `which` chooses one of the messages. */
  | { step: 'edit' | 'move' | 'delete'; which: number }
  | { step: 'resolve' }

/** Changes while a queue is read, and then changes while none is. */
interface Period {
  seen: readonly Change[]
  unseen: readonly Change[]
}

const changes: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constant('say' as const),
      isWatched: fc.boolean(),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      step: fc.constantFrom('edit' as const, 'move' as const, 'delete' as const),
      which: fc.nat(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ step: 'resolve' as const }) },
)
const periods: fc.Arbitrary<Period> = fc.record({
  seen: fc.array(changes, { maxLength: 7 }),
  unseen: fc.array(changes, { maxLength: 7 }),
})

t.test('after lost queues, the ledger has each event of an uninterrupted capture once', async t => {
  await fc.assert(
    fc.asyncProperty(fc.array(periods, { minLength: 1, maxLength: 3 }), async plan => {
      await t.test('', async t => {
        const whole = await play(t, plan, async (_, work) => work())
        const lossy = await play(t, plan, async (rig, work) => {
          await rig.live.stop()
          rig.chat.queues.forget()
          await work()
          rig.restart()
          await rig.isLive()
        })
        t.same(await recorded(lossy), await recorded(whole))
      })
    }),
    // Another DAYBOOK_TEST_SEED gives other histories.
    { numRuns: 8, seed: SEED },
  )
})

interface Played {
  rig: LiveRig
  /** Messages whose changes within one period cannot be determined: docs/how-to/watch-a-chat-topic.md. */
  unknowable: ReadonlySet<number>
  /** Messages that came into the topic from elsewhere. Capture may or may not have them as new messages. */
  movedIn: ReadonlySet<number>
}

/** @param unseen wraps the changes while no queue is read */
async function play(
  t: Test,
  plan: readonly Period[],
  unseen: (rig: LiveRig, work: () => Promise<void>) => Promise<void>,
): Promise<Played> {
  const rig = await liveRig(t, {}, ({ ledger, chat }) => {
    chat.book.say(DEPLOYS, 2)
    chat.book.say(RANDOM, 2)
    return ledger.saveSubscription({ ...WATCH, event_kinds: [] })
  })
  const { book, queues } = rig.chat
  const unknowable = new Set<number>()
  const movedIn = new Set<number>()
  let watched: Place = DEPLOYS
  // The messages of the period in which no queue is read.
  let said: Set<number> | undefined
  let changed: Set<number> | undefined
  let cameIn: Set<number> | undefined

  const apply = (change: Change) => {
    if (change.step === 'say') {
      for (const id of book.say(change.isWatched ? watched : RANDOM, change.count)) said?.add(id)
      return
    }
    if (change.step === 'resolve') {
      const to = watched === DEPLOYS ? { ...DEPLOYS, topic: '✔ deploys' } : DEPLOYS
      for (const { id } of book.inTopic(watched)) changed?.add(id)
      book.move(watched, to)
      watched = to
      return
    }
    // The first message stays: the watch follows it.
    const [followed] = book.inTopic(watched)
    const others = book.messages.filter(({ id }) => id !== followed?.id)
    const message = others[change.which % Math.max(others.length, 1)]
    if (!message) return
    const { id } = message
    const isWatched = message.topic === watched.topic
    if (change.step === 'edit') {
      changed?.add(id)
      book.edit(id, `Text ${change.which}.`)
    }
    if (change.step === 'move') {
      const isLast = book.inTopic(RANDOM).length === 1
      if (!isWatched && isLast) return
      changed?.add(id)
      if (said?.has(id)) unknowable.add(id)
      if (!isWatched) {
        movedIn.add(id)
        cameIn?.add(id)
      } else if (cameIn?.has(id)) unknowable.add(id)
      book.move(isWatched ? watched : RANDOM, isWatched ? RANDOM : watched, [id])
    }
    if (change.step === 'delete') {
      if (said?.has(id) || changed?.has(id)) unknowable.add(id)
      book.delete(id)
    }
  }

  for (const period of plan) {
    for (const change of period.seen) apply(change)
    await until(() => queues.read)
    said = new Set()
    changed = new Set()
    cameIn = new Set()
    await unseen(rig, async () => {
      for (const change of period.unseen) apply(change)
    })
    said = undefined
    changed = undefined
    cameIn = undefined
    await until(() => queues.read)
  }
  await rig.live.stop()
  return { rig, unknowable, movedIn }
}

/** Without the address of the server, which differs. */
async function recorded({ rig, unknowable, movedIn }: Played): Promise<string[]> {
  return (await allEvents(rig.ledger))
    .filter(({ subject_id }) => !unknowable.has(Number(subject_id)))
    .filter(({ kind, subject_id }) => kind !== 'message.created' || !movedIn.has(Number(subject_id)))
    .map(({ dedupe_key, seen_count, subscription_ids }) => {
      return `${dedupe_key.replace(/^chat:.*?:message:/, '')} ${seen_count} ${subscription_ids}`
    })
    .sort()
}
