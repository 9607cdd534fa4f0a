import t from 'tap'
import { normalise, readExpected, readFixtures, validator } from './support.js'

t.test('every fixture gives its expected event', async t => {
  for (const fixture of readFixtures()) {
    const delivery = normalise(fixture)
    const [event] = delivery.events
    t.strictSame(event, { payload: fixture.body, ...readExpected(fixture.name) }, fixture.name)
    t.equal(delivery.ignored, 0)
    t.equal(delivery.deliveryId, Object.entries(fixture.headers).find(([name]) => name.endsWith('-delivery'))?.[1])
    t.strictSame(event && validator.problems(event), [], `${fixture.name} is valid`)
  }
})

t.test('the same delivery gives the same event each time', async t => {
  for (const fixture of readFixtures()) t.strictSame(normalise(fixture), normalise(fixture), fixture.name)
})

t.test('every fixture has its own key', async t => {
  const fixtures = readFixtures()
  const keys = fixtures.map(fixture => normalise(fixture).events[0]?.dedupe_key)
  t.equal(new Set(keys).size, fixtures.length)
})
