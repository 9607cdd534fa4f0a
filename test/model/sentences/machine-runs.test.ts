import fc from 'fast-check'
import t from 'tap'
import { joinSentence } from '../../../src/model/sentences/event-sentence.js'
import {
  type BurstEvent,
  burstSentence,
  burstsOf,
  isFolded,
  machineRunOf,
} from '../../../src/model/sentences/machine-runs.js'

const START = Date.UTC(2031, 4, 4, 9)
const CHECK = { noun: 'check', key: '', repository: 'acme/app', commit: 'commit:1' }

function check(minute: number, over: Partial<BurstEvent> = {}): BurstEvent {
  return {
    source: 'code_a',
    verified: 'signature',
    run: CHECK,
    outcome: 'succeeded',
    captured_at: new Date(START + minute * 60_000).toISOString(),
    ...over,
  }
}

t.test('a run names what ran, its repository and its commit; other events are not runs', async t => {
  const repository = { type: 'repository', key: 'repository:acme/app', display: 'acme/app' }
  const commit = { type: 'commit', key: 'commit:1', display: '1', parent: repository }
  const target = { type: 'check_run', key: 'check_run:7', display: 'lint', parent: commit }
  t.same(machineRunOf({ action: { object_type: 'check_run' }, target }), { ...CHECK, key: 'check_run:7' })
  t.same(machineRunOf({ action: { object_type: 'pipeline' }, target: { ...target, parent: repository } }), {
    noun: 'pipeline',
    key: 'check_run:7',
    repository: 'acme/app',
    commit: '',
  })
  t.equal(machineRunOf({ action: { object_type: 'issue' }, target }), undefined)
  t.equal(machineRunOf({ action: { object_type: 'deployment' }, target }), undefined)
  t.equal(machineRunOf({ action: { object_type: 'check_run' } }), undefined)
})

t.test('neighbouring runs for one commit are a burst, which another event or a pause ends', async t => {
  const sizes = (events: BurstEvent[]) => burstsOf(events).map(burst => burst.length)
  t.same(sizes([check(3), check(2), check(1), check(0)]), [4])
  t.same(sizes([check(2), check(1), check(0)]), [1, 1, 1], 'too few')
  t.same(sizes([check(4), check(3), check(2, { run: undefined }), check(1), check(0)]), [1, 1, 1, 1, 1])
  t.same(sizes([check(30), check(29), check(28), check(27), check(9), check(8), check(7), check(6)]), [4, 4])
  for (const other of [
    { run: { ...CHECK, repository: 'acme/other' } },
    { run: { ...CHECK, commit: 'commit:2' } },
    { source: 'code_b' },
    { verified: 'none' },
  ]) {
    t.same(sizes([check(5), check(4), check(3), check(2), check(1, other)]), [4, 1], JSON.stringify(other))
  }
  const failed = { outcome: 'failed' } as const
  t.same(sizes([check(3, failed), check(2, failed), check(1, failed), check(0)]), [1, 1, 1, 1], 'one could be folded')
})

t.test('the text of a burst counts each run once, and the failed ones', async t => {
  const words = (burst: BurstEvent[]) => joinSentence(burstSentence(burst), text => text)
  const failed = check(1, { outcome: 'failed' })
  t.equal(words([check(3), check(2), failed, check(0)]), '4 checks on acme/app: 1 failed')
  t.equal(words([check(3), check(2), check(1), check(0)]), '4 checks on acme/app')
  const job = check(2, { run: { ...CHECK, noun: 'job' } })
  t.equal(words([check(3), job, failed, check(0)]), '4 runs on acme/app: 1 failed')
  const same = { run: { ...CHECK, noun: 'pipeline', key: 'pipeline:1' } }
  t.equal(words([check(3, same), check(2, same), check(1, same), check(0, same)]), '1 pipeline on acme/app')
})

t.test('every event is in one burst, in order, and each burst is of one commit and folds at least two', async () => {
  const event = fc.record({
    source: fc.constantFrom('code_a', 'code_b'),
    verified: fc.constant('signature'),
    captured_at: fc.nat(200).map(minute => check(minute).captured_at),
    run: fc.option(
      fc.record({
        noun: fc.constantFrom('check', 'job'),
        key: fc.constantFrom('', 'check_run:1'),
        repository: fc.constantFrom('acme/app', 'acme/other'),
        commit: fc.constant('commit:1'),
      }),
      { nil: undefined },
    ),
    outcome: fc.constantFrom('failed' as const, undefined),
  })
  fc.assert(
    fc.property(fc.array(event), events => {
      const bursts = burstsOf(events)
      const isOfOne = (burst: BurstEvent[]) =>
        burst.length === 1 ||
        (new Set(burst.map(each => `${each.source} ${each.run?.repository}`)).size === 1 &&
          burst.filter(isFolded).length > 1)
      return (
        bursts.flat().every((each, at) => each === events[at]) &&
        bursts.flat().length === events.length &&
        bursts.every(isOfOne)
      )
    }),
  )
})
