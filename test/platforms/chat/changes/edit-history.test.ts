import fc from 'fast-check'
import t from 'tap'
import type { NewEvent } from '../../../../src/model/events/event.js'
import { readChanges } from '../../../../src/platforms/chat/changes/edit-history.js'
import { toQueueEvents } from '../../../../src/platforms/chat/live/live-events.js'
import { type HistoryPolicy, MessageBook, type Place } from '../../../support/chat-server/message-book.js'

const CONTEXT = { site: 'https://chat.example.org' }
const NEWEST = 400
const PLACES: readonly Place[] = [
  { stream: 'eng', topic: 'deploys' },
  { stream: 'eng', topic: 'random' },
  { stream: 'ops', topic: 'deploys' },
  { stream: 'ops', topic: '' },
]

type Step = { step: 'edit'; text: string } | { step: 'move'; to: number }

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ step: fc.constant('edit' as const), text: fc.string({ maxLength: 9 }) }),
  fc.record({ step: fc.constant('move' as const), to: fc.nat(PLACES.length - 1) }),
)

/** A message after some changes, and the events that a queue had of them. */
function play(plan: readonly Step[], historyPolicy: HistoryPolicy = 'all') {
  const book = new MessageBook({ historyPolicy })
  const sent: Record<string, unknown>[] = []
  let place = PLACES[0] as Place
  const [id = 0] = book.say(place)
  book.onEvent = ({ event }) => void (event && sent.push(event))
  for (const one of plan) {
    if (one.step === 'edit') book.edit(id, one.text)
    else if (PLACES[one.to] !== place) {
      const to = PLACES[one.to] as Place
      book.move(place, to)
      place = to
    }
  }
  const message = book.find(id)
  if (!message) throw new Error('The message is gone.')
  const answer = (level: number) => book.toAnswer(message, { html: false, emptyTopic: true, level })
  return { answer, byQueue: sent.flatMap(event => toQueueEvents(event, 'q', CONTEXT)) }
}

function rebuilt(message: Record<string, unknown>, level = NEWEST): NewEvent[] {
  return readChanges(message, level).flatMap(({ body }) => toQueueEvents(body, undefined, CONTEXT))
}

const identityOf = ({ dedupe_key, kind, subject_id, occurred_at, target, actor, action }: NewEvent) => {
  const { moved_from } = action.metadata
  return {
    dedupe_key,
    kind,
    subject_id,
    occurred_at,
    actor: actor.id,
    topic: target.parent?.type === 'topic' ? target.parent.display : undefined,
    moved_from,
  }
}

t.test('an edit history gives the events of the queue, with their keys, people, times and places', t => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 8 }), fc.constantFrom(NEWEST, 200), (plan, level) => {
      const { answer, byQueue } = play(plan)
      // The name of a stream is known only while the message is in it.
      const withoutNames = (events: readonly NewEvent[]) =>
        events.map(event =>
          JSON.parse(JSON.stringify(identityOf(event), (name, value) => (name === 'stream' ? undefined : value))),
        )
      t.same(withoutNames(rebuilt(answer(level), level)), withoutNames(byQueue))
    }),
  )
  t.end()
})

t.test('an edit has the texts before and after it', t => {
  const { answer, byQueue } = play([
    { step: 'edit', text: 'First.' },
    { step: 'move', to: 1 },
    { step: 'edit', text: 'Second.' },
  ])
  const texts = (events: readonly NewEvent[]) =>
    events.map(({ payload, conversation }) => [payload.orig_content, payload.content, conversation.text])
  t.same(texts(rebuilt(answer(NEWEST))), texts(byQueue))
  t.match(rebuilt(answer(NEWEST)), [{ payload: { rebuilt_from: 'edit_history' } }])
  t.end()
})

t.test('a server that hides the history gives only the last edit, from Zulip 10 on', t => {
  const { answer, byQueue } = play(
    [
      { step: 'edit', text: 'First.' },
      { step: 'edit', text: 'Second.' },
      { step: 'move', to: 1 },
    ],
    'none',
  )
  const events = rebuilt(answer(NEWEST))
  t.same(
    events.map(({ dedupe_key }) => dedupe_key),
    [byQueue[1]?.dedupe_key],
  )
  t.match(events, [
    { conversation: { text: 'Second.' }, actor: { id: '' }, payload: { rebuilt_from: 'last_edit_timestamp' } },
  ])
  t.same(rebuilt(answer(200), 200), [], 'before, the time is of an edit or of a move')
  t.end()
})

t.test('a server that shows only moves gives the last edit by its time', t => {
  const { answer, byQueue } = play(
    [
      { step: 'edit', text: 'First.' },
      { step: 'move', to: 1 },
      { step: 'edit', text: 'Second.' },
      { step: 'move', to: 2 },
    ],
    'moves',
  )
  const keys = byQueue.slice(1).map(({ dedupe_key }) => dedupe_key)
  t.same(
    rebuilt(answer(NEWEST)).map(({ dedupe_key }) => dedupe_key),
    keys,
  )
  t.end()
})

t.test('an invalid history gives no events', t => {
  const { answer } = play([])
  for (const edit_history of [
    undefined,
    null,
    'x',
    [],
    [null],
    [{}],
    [{ timestamp: 'x', prev_topic: 'y' }],
    [{ timestamp: 5 }],
  ])
    t.same(rebuilt({ ...answer(NEWEST), edit_history }), [])
  t.same(rebuilt({ id: 5 }), [])
  t.end()
})
