import fc from 'fast-check'
import t from 'tap'
import { isLine, rowKey, toListed, toRows } from '../../assets/observatory/events/list/list-rows.js'
import { rowWords, withEmoji } from '../../assets/observatory/events/list/row-words.js'
import { SseReader } from '../../assets/shared/server/sse-reader.js'
import type { StoredEvent } from '../../src/model/events/event.js'

function event(change: Partial<StoredEvent> = {}): StoredEvent {
  return {
    dedupe_key: 'chat:1',
    kind: 'message.created',
    subject_id: '1',
    subject_type: 'message',
    action: { kind: 'message.created', object_type: 'message', verb: 'created', metadata: {} },
    actor: { id: '1', display: 'Ada', metadata: {} },
    actor_role: 'member',
    source: 'chat',
    occurred_at: null,
    target: { type: 'stream', key: 'stream:4', display: 'eng' },
    conversation: { text: 'The retry budget' },
    payload: {},
    subscription_ids: [],
    provenance: { route: 'api', verified: 'none' },
    captured_at: '2026-11-20T13:00:00.000001Z',
    seen_count: 1,
    last_seen_at: '2026-11-20T13:00:00.000001Z',
    ...change,
  }
}

t.test('a row shows the text from shortly before the first match', async t => {
  t.same(rowWords(event(), ['retry']), { kind: 'said', text: 'The retry budget' })
  const long = event({ conversation: { text: `${'word '.repeat(200_000)}needle and more` } })
  const words = rowWords(long, ['needle'])
  t.match(words, { kind: 'said', text: /^….{0,30}needle and more$/ })
})

t.test('a row whose only match is in the payload shows the place of the match', async t => {
  const deep = event({ payload: { head_commit: { message: 'Honour retry-after', tags: ['x', 'Backoff'] } } })
  t.same(rowWords(deep, ['BACKOFF']), { kind: 'found', path: 'payload.head_commit.tags[1]', text: 'Backoff' })
  t.same(rowWords(deep, ['honour', 'retry']), {
    kind: 'found',
    path: 'payload.head_commit.message',
    text: 'Honour retry-after',
  })
  t.equal(rowWords(deep, ['ada', 'eng', 'retry']).kind, 'said', 'names and breadcrumbs are in sight')
})

t.test('an event without text has no words, and the search of a huge payload is bounded', async t => {
  t.same(rowWords(event({ conversation: { text: ' \n' } }), []), { kind: 'none' })
  const wide = { list: Array.from({ length: 200_000 }, (_, at) => `a${at}`), last: 'needle' }
  t.equal(rowWords(event({ payload: wide }), ['needle']).kind, 'said')
})

t.test('characters are not cut in half', async t => {
  const { text } = rowWords(event({ conversation: { text: '👩‍🔧'.repeat(5_000) } }), []) as { text: string }
  t.notMatch(text, /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/)
})

t.test('a separator line is between newer events and those that were already shown', async t => {
  const at = (second: number) =>
    toListed(event({ dedupe_key: `k${second}`, captured_at: `2026-11-20T13:00:0${second}.000000Z` }), [])
  const shown = (above: string) =>
    toRows([at(3), at(2), at(1)], [{ name: 'read', text: 'Here', above }]).map(row =>
      isLine(row) ? '--' : rowKey(row),
    )
  t.same(shown('2026-11-20T13:00:02.000000Z'), ['k3', '--', 'k2', 'k1'])
  t.same(shown('2026-11-20T13:00:03.000000Z'), ['k3', 'k2', 'k1'], 'nothing is newer')
  t.same(shown('2026-11-20T12:00:00.000000Z'), ['k3', 'k2', 'k1'], 'what was there is not loaded')
})

t.test('the list keeps only a sentence and an excerpt of an event of any size', async t => {
  const large = 'large '.repeat(20_000)
  const whole = event({
    actor: { id: '1', display: `Ada ${large}`, metadata: { large } },
    target: { type: 'stream', key: 'stream:4', display: `eng ${large}`, parent: { type: 'realm', key: large } },
    conversation: { text: `${large} needle` },
    payload: { large },
  })
  const listed = toListed(whole, ['needle'])
  t.match(listed.words, { kind: 'said', text: /^….{0,30}needle$/ })
  t.match(listed.sentence[0], { kind: 'actor', text: /^Ada large/ })
  t.ok(JSON.stringify(listed).length < 4_000)
})

t.test('a stream gives the same messages wherever its chunks end', async t => {
  const stream =
    ': heartbeat\n\nid: 1\nevent: checkpoint\ndata: {"next_since":"1"}\n\nid: 2\ndata: {"a":"b: c"}\n\ndata: x\ndata: y\n\n'
  const expected = [
    { event: 'checkpoint', id: '1', data: '{"next_since":"1"}' },
    { event: 'message', id: '2', data: '{"a":"b: c"}' },
    { event: 'message', id: undefined, data: 'x\ny' },
  ]
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 30 }), places => {
      const ends = [...places.sort((a, b) => a - b), stream.length]
      const reader = new SseReader()
      const found = ends.flatMap((end, at) => reader.take(stream.slice(ends[at - 1] ?? 0, end)))
      t.same(found, expected)
    }),
  )
})

t.test('emoji codes become characters or words, and text that only resembles a code stays', async t => {
  for (const [text, shown] of [
    ['Done :tada::rocket:', 'Done 🎉🚀'],
    ['Done :tada: :+1:', 'Done 🎉 👍'],
    [':party_blob: all', 'party blob all'],
    [':constructor:', 'constructor'],
    ['at 10:30:45, std::vector::size, http://a:80/:id:/x', 'at 10:30:45, std::vector::size, http://a:80/:id:/x'],
    ['`:tada:`', '`:tada:`'],
  ] as const) {
    t.equal(withEmoji(text), shown)
  }
})
