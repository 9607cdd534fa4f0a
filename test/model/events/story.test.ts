import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import type { StoredEvent } from '../../../src/model/events/event.js'
import { factsOf, sharedFacts } from '../../../src/model/events/story.js'
import { toTimestamp } from '../../../src/model/timestamp.js'

const FOLDER = new URL('../../platforms/fixtures/', import.meta.url)
const HOUR = 3_600_000_000
const NOW = 1_900_000_000_000_000

const EVENTS = ['chat', 'code-a', 'code-b', 'forum'].flatMap(platform =>
  readdirSync(new URL(platform, FOLDER))
    .filter(name => /\.events?\.json$/.test(name))
    .flatMap((name): StoredEvent[] => {
      const read = (file: string) => JSON.parse(readFileSync(new URL(`${platform}/${file}`, FOLDER), 'utf8'))
      const { body: payload } = read(name.replace(/\.events?\.json$/, '.json'))
      return [read(name)].flat().map(event => ({ payload, ...event, captured_at: toTimestamp(NOW) }))
    }),
)

/** The fixture with this key, captured some hours later. */
function fixture(start: string, hours = 0): StoredEvent {
  const found = EVENTS.find(event => event.dedupe_key?.startsWith(start))
  if (!found) throw new Error(`No fixture ${start}`)
  return { ...found, captured_at: toTimestamp(NOW + hours * HOUR) }
}

/** A chat message with this text. */
function message(text: string): StoredEvent {
  const { conversation, ...event } = fixture('chat:')
  return { ...event, conversation: { ...conversation, text } }
}

const shared = (one: StoredEvent, other: StoredEvent) => sharedFacts(factsOf(one), factsOf(other))

t.test('facts link two events in both directions, and an event with facts to itself', async t => {
  t.ok(EVENTS.length > 150)
  const event = fc.constantFrom(...EVENTS)
  const hours = fc.integer({ min: 0, max: 48 })
  fc.assert(
    fc.property(event, event, hours, (one, other, hours) => {
      const later = { ...other, captured_at: toTimestamp(NOW + hours * HOUR) }
      t.same(shared(one, later), shared(later, one))
    }),
    { numRuns: 2_000 },
  )
  for (const one of EVENTS) {
    const { about, mentioned } = factsOf(one)
    t.equal(shared(one, one).length, new Set([...about.keys(), ...mentioned.keys()]).size)
  }
})

t.test('every fact has a filter that finds the event by it', async t => {
  for (const { about, mentioned } of EVENTS.map(factsOf)) {
    for (const [name, filters] of [...about, ...mentioned]) t.ok(filters.length > 0, name)
  }
})

t.test('a commit, addresses and numbers link a text to what it names', async t => {
  const push = fixture('code_a:github.com:push')
  const pull = fixture('code_a:github.com:pull_request:990034:created')
  const sha = push.subject_id
  t.match(shared(message(`Deploying ${sha}.`), push), [`commit ${sha}`])
  t.match(shared(message(`[this](https://github.com/lovelace-labs/engine/commit/${sha}?w=1)`), push), [`commit ${sha}`])
  t.same(shared(message('https://github.com/Lovelace-Labs/engine/pull/34/files, please'), pull), [
    'address github.com/lovelace-labs/engine/pull/34',
  ])
  t.same(shared(message('Look at lovelace-labs/engine#34!'), pull), ['number lovelace-labs/engine#34'])
  for (const text of ['#34', 'lovelace-labs/engine#345', 'https://github.com/lovelace-labs/engine', sha.slice(0, 10)])
    t.same(shared(message(text), pull), [], text)
})

t.test('the facts of a push, its checks, its deployment and its pull request include the commit', async t => {
  const push = fixture('code_a:github.com:push')
  for (const key of ['check_run:140001', 'deployment_status:180001', 'status:160001', 'workflow_run:120001'])
    t.ok(shared(push, fixture(`code_a:github.com:${key}`)).includes(`commit ${push.subject_id}`), key)
  t.same(shared(fixture('code_b:gitlab.example.org:push'), push), [], 'another server has other commits')
})

t.test('a branch links events of one day, and a permanent branch links none', async t => {
  const push = fixture('code_a:github.com:push')
  const next = (hours: number, name = 'feature/spring'): StoredEvent => ({
    ...push,
    subject_id: 'a'.repeat(40),
    captured_at: toTimestamp(NOW + hours * HOUR),
    payload: {},
    conversation: {},
    action: { ...push.action, metadata: {} },
    target: { ...push.target, display: name },
  })
  t.same(shared(push, next(24)), ['branch code_a github.com branch:70010/feature/spring'])
  t.same(shared(push, next(25)), [])
  t.same(shared(next(0, 'main'), { ...next(1, 'main'), subject_id: 'b'.repeat(40) }), [])
})

t.test('reading the facts of a text takes linear time', async t => {
  const text = `${'#'.repeat(5_000)} ${'a/'.repeat(5_000)}#1 ${'https://'.repeat(2_000)} ${'x'.repeat(1_000_000)}`
  t.ok(factsOf(message(text)).mentioned.size < 10)
  fc.assert(fc.property(fc.string(), text => factsOf(message(text)).at === NOW))
})
