import fc from 'fast-check'
import t from 'tap'
import { DAY, HOUR } from '../../src/demo/durations.js'
import { CODE_A_BOT, CUSTOMERS, type Person, STAFF } from '../../src/demo/people.js'
import { Random } from '../../src/demo/random.js'
import { activeOn, isWeekend, nextActiveTime } from '../../src/demo/waking-hours.js'

const SATURDAY = Date.UTC(2026, 10, 21) * 1000
const moments = fc.integer({ min: 24 * 60, max: 60 * 365 * 24 * 60 }).map(minutes => minutes * 60_000_000)
const people = fc.constantFrom(...STAFF, ...CUSTOMERS, CODE_A_BOT)

t.test('the next working time of a person is within its hours, soon, and not before the requested time', async t => {
  fc.assert(
    fc.property(people, moments, fc.integer(), (person, at, seed) => {
      const when = nextActiveTime(person, at, new Random(seed))
      const soon = person.hours === 'office' ? 4 * DAY : DAY
      return when >= at && when < at + soon && isActive(person, when)
    }),
  )
  t.end()
})

t.test('on weekends, only people without office hours are active', async t => {
  t.ok(isWeekend(SATURDAY))
  t.notOk(isWeekend(SATURDAY - 1))
  t.same(activeOn(STAFF, SATURDAY - 1), STAFF)
  const there = activeOn(STAFF, SATURDAY)
  t.ok(there.length > 1 && there.every(({ hours }) => hours !== 'office'))
})

function isActive({ hours, zone }: Person, at: number): boolean {
  const local = at + zone * HOUR
  const hour = (local % DAY) / HOUR
  if (hours === 'office') return !isWeekend(local) && hour >= 8.5 && hour < 17.8
  return hours === 'always' || (hour >= 7 && hour < 22.5)
}
