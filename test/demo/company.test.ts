import fc from 'fast-check'
import t from 'tap'
import { Compile } from '#typebox/compile'
import { readCard } from '../../src/board/read-card.js'
import { CardNotes } from '../../src/demo/cards.js'
import { Company, HISTORY_DAYS } from '../../src/demo/company.js'
import { DAY, MINUTE } from '../../src/demo/durations.js'
import type { Step } from '../../src/demo/stories/story.js'
import { DEFAULT_COLUMNS } from '../../src/model/board/card.js'
import { EventSchema, type NewEvent } from '../../src/model/events/event.js'
import { listPlatforms } from '../../src/platforms/adapters.js'

const NOON = Date.UTC(2026, 10, 20, 12) * 1000
/** The demo's. */
const SEED = 4_711
const check = Compile(EventSchema)

const eventsOf = (steps: readonly Step[]): NewEvent[] =>
  steps.flatMap(step => (step.does === 'record' ? step.deliveries.map(({ event }) => event) : []))

/** The steps of the first seconds after the history. */
const firstSteps = (company: Company) => [1, 2, 3].map(second => company.nextSteps(NOON + second * 1_000_000))

/** The company of the demo. The last test continues it. */
const company = new Company({ seed: SEED, ends: NOON })
const steps = [...company.history()]
const nextSteps = firstSteps(company)
const events = eventsOf(steps)

t.test('the same seed and the same present give the same history, and continue in the same way', async t => {
  const same = new Company({ seed: SEED, ends: NOON })
  const isSame = JSON.stringify([[...same.history()], firstSteps(same)]) === JSON.stringify([steps, nextSteps])
  t.ok(isSame)
})

t.test('a history is in order, ends in the present and has events of every day', async t => {
  let last = NOON - HISTORY_DAYS * DAY
  const days = new Set<number>()
  for (const { at } of steps) {
    if (at < last) t.fail(`a step at ${at} comes after one at ${last}`)
    last = at
    days.add(Math.floor(at / DAY))
  }
  t.ok(last <= NOON)
  t.equal(days.size, HISTORY_DAYS + 1)
  t.ok(events.length > 3_000 && events.length < 6_000, `${events.length} events`)
})

t.test('another seed gives another history', async t => {
  const beginning: NewEvent[] = []
  for (const step of new Company({ seed: 1, ends: NOON }).history()) {
    beginning.push(...eventsOf([step]))
    if (beginning.length >= 20) break
  }
  t.not(JSON.stringify(beginning), JSON.stringify(events.slice(0, beginning.length)))
})

t.test('the last day of a history has events of all platforms, on every day of the week', async () => {
  const hasAll = (history: readonly Step[], ends: number) => {
    const lately = history.filter(({ at }) => at > ends - DAY)
    return new Set(eventsOf(lately).map(({ source }) => source)).size === listPlatforms().length
  }
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 7 * 24 }), hours => {
      const ends = NOON + hours * 60 * MINUTE
      return hasAll(hours === 0 ? steps : [...new Company({ seed: SEED, ends }).history()], ends)
    }),
    { numRuns: 2, examples: [[0]] },
  )
})

t.test('every event has a kind that its platform sends', async t => {
  const kinds = new Map(listPlatforms().map(({ source, kinds }): [string, string[]] => [source, kinds]))
  for (const event of events) {
    if (!check.Check(event)) t.fail(`not an event: ${JSON.stringify(event)}`)
    if (!kinds.get(event.source)?.includes(event.kind)) t.fail(`${event.source} does not send ${event.kind}`)
  }
  t.ok(new Set(events.map(({ kind }) => kind)).size > 25)
})

t.test('every dedupe key means one event', async t => {
  const contents = new Map<string, string>()
  for (const { dedupe_key, kind, target, actor, conversation } of events) {
    const content = JSON.stringify([kind, target.key, actor.id, conversation.text])
    if ((contents.get(dedupe_key) ?? content) !== content)
      t.fail(`${dedupe_key} identifies two events: ${content}, ${contents.get(dedupe_key)}`)
    contents.set(dedupe_key, content)
  }
  t.ok(contents.size < events.length, 'and some arrive again')
})

t.test('the history has events of every verification and of capture', async t => {
  const verified = new Set(
    steps.flatMap(step => (step.does === 'record' ? step.deliveries.map(({ provenance }) => provenance.verified) : [])),
  )
  t.same([...verified].sort(), ['none', 'signature', 'token'])
  t.ok(steps.some(({ does }) => does === 'capture'))
})

t.test('every card links to an event of the history and fits on a board, and every column has cards', async t => {
  const notes = new CardNotes()
  t.same(notes.cards(), [], 'without a history, there are no cards')
  for (const step of steps) notes.note(step)
  const keys = new Set(events.map(({ dedupe_key }) => dedupe_key))
  const cards = notes.cards()
  for (const { card } of cards) {
    t.ok(readCard(card, DEFAULT_COLUMNS))
    t.ok(
      card.links?.every(link => keys.has(link)),
      card.title,
    )
  }
  t.same([...new Set(cards.map(({ card }) => card.column))].sort(), [...DEFAULT_COLUMNS].sort())
  t.same(
    cards.map(({ at }) => at),
    cards.map(({ at }) => at).sort((left, right) => left - right),
  )
})

t.test('every address is reserved for examples, and no event contains a secret', async t => {
  const text = JSON.stringify(events)
  const hosts = new Set([...text.matchAll(/https?:\/\/([^/"\s\\)]+)/gu)].map(([, host]) => host))
  t.ok(hosts.size > 1, [...hosts].join(' '))
  t.same(
    [...hosts].filter(host => !host?.endsWith('.example')),
    [],
  )
  t.notMatch(text, /"token":"(?!\[REDACTED\])/u)
})

t.test('a restarted demo continues from the recorded events, with new ones at the given time', async t => {
  const known = new Set(events.map(({ conversation }) => conversation.title))
  const sources = new Set<string>()
  let continued = 0
  for (let second = 1; second <= 120; second++) {
    const at = NOON + second * 5_000_000
    const more = company.nextSteps(at)
    if (!more.some(({ does }) => does === 'record')) t.fail('nothing is recorded')
    if (more.some(step => step.at !== at)) t.fail('a step is of another time')
    for (const { source, conversation } of eventsOf(more)) {
      sources.add(source)
      if (known.has(conversation.title)) continued++
    }
  }
  t.equal(sources.size, 4)
  t.ok(continued > 40)
})
