import t from 'tap'
import { type ClockRowModel, simulateClockRow } from '../../bench/clock-row.js'

const model: ClockRowModel = {
  servers: 1,
  clients: 1,
  handleMs: 0.1,
  groupMs: 1,
  eventMs: 0.05,
  commitMs: 0.85,
  largestGroup: 512,
}
const SECOND = 1_000

t.test('a single client waits for every step in sequence', async t => {
  const { rate, groupSize, p50Ms, p99Ms } = simulateClockRow(model, SECOND)
  t.ok(Math.abs(rate - 500) <= 1, `${rate} events/s at 2 ms an event`)
  t.equal(groupSize, 1)
  t.ok(Math.abs(p50Ms - 2) < 0.001 && Math.abs(p99Ms - 2) < 0.001)
})

t.test('more clients make larger groups, which share the row and the commit', async t => {
  const one = simulateClockRow({ ...model, handleMs: 0 }, SECOND)
  const many = simulateClockRow({ ...model, handleMs: 0, clients: 64 }, SECOND)
  t.ok(many.rate > 10 * one.rate, `${many.rate}`)
  t.ok(many.groupSize > 30)
  t.ok(many.busy > 0.99, 'the row is what limits')
})

t.test('the clock row bounds all servers together, as groups do not grow beyond the arriving events', async t => {
  const rates = [1, 4, 16, 64].map(servers => simulateClockRow({ ...model, servers, clients: 64 }, SECOND))
  const most = 1_000 / model.eventMs
  for (const { rate } of rates) t.ok(rate < most, 'never more than the row can do with endless groups')
  const [first, , , last] = rates as [(typeof rates)[0], (typeof rates)[0], (typeof rates)[0], (typeof rates)[0]]
  t.ok(last.rate < 2 * first.rate)
  t.ok(last.p99Ms > 10 * first.p99Ms, 'servers wait for each other')
})

t.test('equal settings give equal results', async t => {
  const busy = { ...model, servers: 8, clients: 16 }
  t.same(simulateClockRow(busy, SECOND), simulateClockRow(busy, SECOND))
})
