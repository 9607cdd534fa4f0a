import t from 'tap'
import {
  isChanged,
  isPolledDraft,
  kindsOf,
  newDraft,
  readDraft,
  toDraft,
  toSave,
  withEnd,
  withKinds,
  withMetadata,
  withReading,
  withSource,
  withTarget,
  writeDraft,
} from '../../assets/observatory/subscriptions/form/draft.js'
import { kindsLine, kindTitle } from '../../assets/observatory/subscriptions/form/kind-titles.js'
import type { Subscription } from '../../src/model/subscriptions/subscription.js'

const STORED: Subscription = {
  id: 'deploys',
  source: 'chat',
  target: 'stream:eng/topic:deploys',
  scope: { type: 'topic', display: 'deploys' },
  filters: { stream: 'eng', topic: 'deploys' },
  event_kinds: ['message.created'],
  actions: [{ kind: 'message.created', object_type: 'message', verb: 'created' }],
  capture_modes: ['webhook', 'poll'],
  metadata: { interval_seconds: 30, hot_until: '2026-11-20T15:10:00Z', reason: 'the deploy', team: 'relay' },
  enabled: true,
  last_cursor: '8812',
  last_event_at: null,
  owner_user_id: 'user_1',
  capture: { failures: 0 },
  created_at: '2026-11-20T12:00:00.000000Z',
  updated_at: '2026-11-20T12:00:00.000000Z',
}

t.test('members that the ledger maintains are not sent back, and an untouched draft changes nothing', async t => {
  const draft = toDraft(STORED)
  for (const member of ['last_cursor', 'capture', 'updated_at', 'owner_user_id']) t.notOk(member in draft, member)
  t.same(toSave(draft, STORED), { id: 'deploys' })
  t.notOk(isChanged(draft, STORED))
  t.ok(isChanged(newDraft('chat')))
})

t.test('a save sends changed members only, and removed ones as null', async t => {
  const draft = toDraft(STORED)
  t.same(toSave(withMetadata(draft, { reason: 'why not' }), STORED), {
    id: 'deploys',
    metadata: { ...STORED.metadata, reason: 'why not' },
  })
  t.same(toSave(withTarget(draft, 'stream:ops'), STORED), {
    id: 'deploys',
    target: 'stream:ops',
    scope: null,
    filters: null,
  })
  t.same(toSave(withKinds(draft, []), STORED), { id: 'deploys', event_kinds: [], actions: null })
})

t.test('the form keeps members of the JSON that it does not know', async t => {
  const written = readDraft(writeDraft({ ...toDraft(STORED), colour: 'red' }))
  const changed = withEnd(withTarget(written, 'stream:ops'), '2026-11-21T00:00:00Z')
  t.match(changed, { colour: 'red', metadata: { team: 'relay', temporary: true, expires_at: '2026-11-21T00:00:00Z' } })
  t.notOk('temporary' in Object(withEnd(changed, undefined).metadata))
})

t.test('switching capture on or off adds or removes its modes and metadata', async t => {
  const draft = toDraft(STORED)
  t.ok(isPolledDraft(draft))
  const off = withReading(draft, false)
  t.match(off, { capture_modes: ['webhook'], metadata: { reason: 'the deploy', team: 'relay' } })
  t.same(Object.keys(Object(off.metadata)), ['reason', 'team'])
  t.same(withReading(off, true).capture_modes, ['webhook', 'api_cursor', 'poll'])
})

t.test('a change of the source clears the target, the kinds and the capture modes', async t => {
  const moved = withSource(toDraft(STORED), 'code_a')
  t.match(moved, { source: 'code_a', target: '', event_kinds: { length: 0 }, metadata: { reason: 'the deploy' } })
  t.notOk(isPolledDraft(moved))
  t.same(withSource(moved, 'code_a'), moved)
})

t.test('the form can read any JSON', async t => {
  for (const json of ['[]', '7', 'null', '{']) t.throws(() => readDraft(json), SyntaxError, json)
  const odd = readDraft('{"source":7,"event_kinds":[1,"a.b"],"metadata":[],"actions":[null],"capture_modes":{}}')
  t.same(kindsOf(odd), ['a.b'])
  t.same(kindsOf({ actions: [{ kind: 'issue.*' }, null] }), ['issue.*'])
  t.notOk(isPolledDraft(odd))
  t.same(withMetadata(odd, { reason: 'x' }).metadata, { reason: 'x' })
})

t.test('kinds have readable titles', async t => {
  t.same(['message.created', 'workflow_run.failed', 'issue.*', 'deployed', 'a.b.c_d'].map(kindTitle), [
    'Message written',
    'Workflow run failed',
    'Any issue',
    'Deployed',
    'A b c d',
  ])
  t.equal(kindsLine([]), 'Every kind')
  t.equal(kindsLine(['topic.created', 'reply.deleted']), 'Topic created, reply deleted')
  t.equal(kindsLine(['a.b', 'c.d', 'e.f', 'g.h', 'i.j']), 'A b, c d, e f and 2 more')
})
