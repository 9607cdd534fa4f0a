import t, { type Test } from 'tap'
import { readEvent } from '../../src/ledger/read-event.js'
import type { NewEvent } from '../../src/model/events/event.js'
import { STORY_LIMITS } from '../../src/model/events/story.js'
import type { WebhookAdapter } from '../../src/platforms/adapter.js'
import { chat } from '../../src/platforms/chat/adapter.js'
import { codeA } from '../../src/platforms/code-a/adapter.js'
import { codeB } from '../../src/platforms/code-b/adapter.js'
import { adapterFixtures, jsonOf } from '../platforms/adapter-fixtures.js'
import { openStoredLedger } from './stored-ledger.js'

const DAY = 86_400_000_000
const NOW = 1_800_000_000_000_000
const SHA = '7e6d5c4b3a29181706f5e4d3c2b1a09f8e7d6c5b'

/** The event of a platform's delivery. */
function delivered(adapter: WebhookAdapter, folder: string, name: string): NewEvent {
  const { readFixture, eventOf } = adapterFixtures(adapter, folder)
  return eventOf(readFixture(name))
}

/** A message in the chat, as its server delivers it. */
function written(content: string): NewEvent {
  const { readFixture, eventOf } = adapterFixtures(chat, 'chat')
  const fixture = readFixture('mention-in-a-stream')
  const { message, ...body } = jsonOf(fixture)
  return eventOf({ ...fixture, body: { ...body, data: content, message: { ...Object(message), content } } })
}

const said = (id: string, text: string) => ({
  kind: 'message.created',
  source: 'chat',
  subject_type: 'message',
  subject_id: id,
  dedupe_key: id,
  conversation: { text },
  payload: { message: { content: text } },
})

const THREAD = [
  delivered(codeA, 'code-a', 'push-of-two-commits'),
  delivered(codeA, 'code-a', 'check-run-completed'),
  delivered(codeA, 'code-a', 'workflow-run-completed'),
  delivered(codeA, 'code-a', 'deployment-status'),
  written(`Live: https://github.com/lovelace-labs/engine/commit/${SHA}`),
]
const OTHERS = [
  delivered(codeB, 'code-b', 'push-of-two-commits'),
  delivered(codeB, 'code-b', 'pipeline-succeeded'),
  said('other', 'Live: https://github.com/lovelace-labs/engine'),
]

async function openLedger(t: Test) {
  const { ledger, store, time } = await openStoredLedger(t, NOW)
  const record = async (...inputs: object[]) => {
    for (const input of inputs)
      await ledger.record([{ event: readEvent(input), provenance: { route: 'api', verified: 'none' } }])
  }
  const keysOf = async (key: string) => {
    const { parts, complete } = await ledger.story(key)
    t.ok(complete)
    return parts.map(({ event }) => event.dedupe_key)
  }
  return { ledger, store, time, record, keysOf }
}

const keyOf = (event: object) => String((event as { dedupe_key: string }).dedupe_key)

t.test('a push, its checks, its deployment and a message are one story, in order, from each of them', async t => {
  const { ledger, record, keysOf } = await openLedger(t)
  await record(...THREAD.slice(0, 2), ...OTHERS, ...THREAD.slice(2))
  for (const event of THREAD) t.same(await keysOf(keyOf(event)), THREAD.map(keyOf), keyOf(event))
  const { parts } = await ledger.story(keyOf(THREAD[0] as object))
  t.same(parts[0]?.facts, [])
  t.match(parts.at(-1)?.facts, [`commit ${SHA}`])
  t.notOk('payload' in (parts[0]?.event ?? {}))
})

t.test('an event without shared facts is its own story', async t => {
  const { ledger, record, keysOf } = await openLedger(t)
  await record(...THREAD, said('alone', 'Lunch?'))
  t.same(await keysOf('alone'), ['alone'])
  await t.rejects(ledger.story('nothing'), { code: 'not_found' })
})

t.test('a text that names many objects does not extend a story, and its own story contains all of them', async t => {
  const { record, keysOf } = await openLedger(t)
  const pull = (number: number) => ({
    kind: 'pull_request.created',
    source: 'code_a',
    subject_type: 'pull_request',
    subject_id: `p${number}`,
    dedupe_key: `pull${number}`,
    conversation: { title: `acme/app#${number} Change` },
    target: {
      type: 'pull_request',
      key: `pull_request:1/${number}`,
      metadata: { number },
      parent: { type: 'repository', key: 'repository:1', display: 'acme/app' },
    },
  })
  await record(pull(1), pull(2), said('notes', 'Released: acme/app#1, acme/app#2.'))
  t.same(await keysOf('pull1'), ['pull1', 'notes'])
  t.same(await keysOf('notes'), ['pull1', 'pull2', 'notes'])
})

t.test('an event of a caller without credentials cannot join two stories', async t => {
  const { ledger, record, keysOf } = await openLedger(t)
  const bridge = {
    kind: 'commit.created',
    source: 'code_a',
    subject_type: 'commit',
    dedupe_key: 'bridge',
    subject_id: SHA,
    target: { type: 'commit', key: `commit:${'b'.repeat(40)}` },
    payload: { shas: [SHA, 'b'.repeat(40)] },
  }
  const far = { ...said('far', 'b'.repeat(40)) }
  await record(...THREAD, far)
  await ledger.record([
    { event: readEvent(bridge), provenance: { route: 'api', verified: 'none', key_space: 'unverified' } },
  ])
  t.same(await keysOf(keyOf(THREAD[4] as NewEvent)), [...THREAD.map(keyOf), 'bridge'])
})

t.test('a story is limited to a month and to 200 events, and ends when its reader leaves', async t => {
  const { ledger, time, record } = await openLedger(t)
  await record(said('old', SHA))
  time.now += (STORY_LIMITS.days + 1) * DAY
  const many = Array.from({ length: STORY_LIMITS.events + 50 }, (_, at) => ({
    kind: 'status.success',
    subject_type: 'status',
    source: at % 2 ? 'one' : 'two',
    subject_id: `s${at}`,
    dedupe_key: `s${at}`,
    payload: { sha: SHA },
    target: { type: 'commit', key: `commit:${SHA}` },
  }))
  await record(...many)
  const { parts, complete } = await ledger.story('s0')
  t.notOk(complete)
  t.ok(parts.length > 100 && parts.length <= STORY_LIMITS.events, String(parts.length))
  t.notOk(parts.some(({ event }) => event.dedupe_key === 'old'))
  await t.rejects(ledger.story('s0', AbortSignal.abort(new Error('left'))), { message: 'left' })
})

t.test('the story of an event that is too large to parse is refused', async t => {
  const { ledger, record } = await openLedger(t)
  await record({ ...said('large', 'x'), payload: { text: 'x'.repeat(3 * 1024 * 1024) } })
  await t.rejects(ledger.story('large'), { category: 'too_large', code: 'event_too_large' })
})
