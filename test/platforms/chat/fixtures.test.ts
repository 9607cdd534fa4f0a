import t from 'tap'
import { eventValidator } from '../adapter-fixtures.js'
import { normalise, readExpected, readFixtures } from './support.js'

/** Fixtures without an event. */
const IGNORED: Record<string, number> = {
  'drafts-of-the-receiver': 1,
  'events-answer': 2,
  'flags-of-the-receiver': 1,
  'link-preview-rendered': 1,
  'queue-that-is-gone': 1,
}

t.test('every fixture gives its expected events', async t => {
  const validator = eventValidator('chat')
  for (const fixture of readFixtures()) {
    const { events, ignored, deliveryId } = normalise(fixture)
    t.strictSame(events, readExpected(fixture.name), fixture.name)
    t.equal(ignored, IGNORED[fixture.name] ?? 0, fixture.name)
    t.equal(deliveryId, undefined)
    for (const event of events) t.strictSame(validator.problems(event), [], `${fixture.name} is valid`)
  }
})

t.test('the payload is the delivered body, with the sender and the server added', async t => {
  for (const fixture of readFixtures()) {
    const { events } = normalise(fixture)
    for (const { payload } of events) {
      for (const name of ['sender_id', 'sender_email', 'sender_full_name', 'sender_is_bot', 'base_url']) {
        t.not(payload[name], undefined, `${fixture.name} ${name}`)
      }
      if (typeof fixture.body === 'string' || events.length > 1 || fixture.name.includes('secrets')) continue
      if (fixture.name.endsWith('answer')) continue
      t.has(payload, fixture.body, fixture.name)
    }
    t.notMatch(JSON.stringify(events), /hunter2/u, fixture.name)
  }
})

t.test('the same delivery gives the same events each time', async t => {
  for (const fixture of readFixtures()) t.strictSame(normalise(fixture), normalise(fixture), fixture.name)
})
