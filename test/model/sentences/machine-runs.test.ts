import fc from 'fast-check'
import t from 'tap'
import { type BurstEvent, burstsOf, burstWords, machineRunOf } from '../../../src/model/sentences/machine-runs.js'

const START = Date.UTC(2031, 4, 4, 9)

function check(minute: number, over: Partial<BurstEvent> = {}): BurstEvent {
  return {
    source: 'code_a',
    captured_at: new Date(START + minute * 60_000).toISOString(),
    run: { noun: 'check', repository: 'acme/app' },
    outcome: 'succeeded',
    ...over,
  }
}

t.test('a run names what ran and its repository; other events are no runs', async t => {
  const target = {
    ...{ type: 'check_run', key: 'check_run:7', display: 'lint' },
    parent: { type: 'repository', key: 'repository:acme/app', display: 'acme/app' },
  }
  t.same(machineRunOf({ action: { object_type: 'check_run' }, target }), { noun: 'check', repository: 'acme/app' })
  t.same(machineRunOf({ action: { object_type: 'pipeline' }, target }), { noun: 'pipeline', repository: 'acme/app' })
  t.equal(machineRunOf({ action: { object_type: 'issue' }, target }), undefined)
  t.equal(machineRunOf({ action: { object_type: 'check_run' } }), undefined)
})

t.test('neighbouring runs in one repository are a burst, until something else or a pause comes between', async t => {
  const sizes = (events: BurstEvent[]) => burstsOf(events).map(burst => burst.length)
  t.same(sizes([check(3), check(2), check(1), check(0)]), [4])
  t.same(sizes([check(2), check(1), check(0)]), [1, 1, 1], 'too few')
  t.same(sizes([check(4), check(3), check(2, { run: undefined }), check(1), check(0)]), [1, 1, 1, 1, 1])
  t.same(sizes([check(30), check(29), check(28), check(27), check(9), check(8), check(7), check(6)]), [4, 4])
  const other = { run: { noun: 'check', repository: 'acme/other' } }
  t.same(sizes([check(5), check(4), check(3), check(2), check(1, other)]), [4, 1])
})

t.test('the words of a burst count all runs, and those that failed', async t => {
  const failed = check(1, { outcome: 'failed' })
  t.equal(burstWords([check(3), check(2), failed, check(0)]), '4 checks on acme/app, 1 failed')
  t.equal(burstWords([check(3), check(2), check(1), check(0)]), '4 checks on acme/app')
  const job = check(2, { run: { noun: 'job', repository: 'acme/app' } })
  t.equal(burstWords([check(3), job, failed, check(0)]), '4 runs on acme/app, 1 failed')
})

t.test('every event is in one burst, in order, and each burst is of one repository', async () => {
  const event = fc.record({
    source: fc.constantFrom('code_a', 'code_b'),
    captured_at: fc.nat(200).map(minute => check(minute).captured_at),
    run: fc.option(
      fc.record({ noun: fc.constantFrom('check', 'job'), repository: fc.constantFrom('acme/app', 'acme/other') }),
      { nil: undefined },
    ),
    outcome: fc.constantFrom('failed' as const, undefined),
  })
  fc.assert(
    fc.property(fc.array(event), events => {
      const bursts = burstsOf(events)
      return (
        bursts.flat().every((each, at) => each === events[at]) &&
        bursts.flat().length === events.length &&
        bursts.every(
          burst =>
            burst.length === 1 || new Set(burst.map(each => `${each.source} ${each.run?.repository}`)).size === 1,
        )
      )
    }),
  )
})
