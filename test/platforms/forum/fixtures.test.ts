import t from 'tap'
import { normalise, readExpected, readFixtures, validator } from './support.js'

t.test('every fixture gives its expected event', async t => {
  for (const fixture of readFixtures()) {
    const { events, ignored, deliveryId } = normalise(fixture)
    const [event] = events
    t.strictSame(event, { payload: fixture.body, ...readExpected(fixture.name) }, fixture.name)
    t.equal(ignored, 0)
    t.equal(deliveryId, fixture.headers['x-discourse-event-id'])
    t.strictSame(event && validator.problems(event), [], `${fixture.name} is valid`)
  }
})

t.test('the same delivery gives the same event each time', async t => {
  for (const fixture of readFixtures()) t.strictSame(normalise(fixture), normalise(fixture), fixture.name)
})

t.test('every fixture has its own key', async t => {
  const places = new Map<string | undefined, string>()
  for (const fixture of readFixtures()) {
    const key = normalise(fixture).events[0]?.dedupe_key
    t.equal(places.get(key), undefined, fixture.name)
    places.set(key, fixture.name)
  }
})

t.test('a ping is not recorded', async t => {
  const ping = { headers: { 'x-discourse-event-id': '1' }, body: { ping: 'OK' } }
  const typed = { ...ping.headers, 'x-discourse-event-type': 'ping' }
  for (const headers of [
    typed,
    { ...typed, 'x-discourse-event': 'ping' },
    { ...ping.headers, 'x-discourse-event': 'ping' },
  ]) {
    t.strictSame(normalise({ headers, body: ping.body }), { events: [], ignored: 1, deliveryId: '1' })
  }
})
