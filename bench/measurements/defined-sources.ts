import { Ledger } from '../../src/ledger/ledger.js'
import { compileDefinedAdapter, readSourceDefinition } from '../../src/platforms/defined/adapter.js'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import type { Bench } from '../bench.js'
import { DELIVERY_SECRET } from '../deliveries.js'
import type { Figure } from '../figure.js'
import { DELIVERY_SOURCES, type DeliverySource, type LoadResult } from '../load-plan.js'
import { type RunningServer, runLoad, startLedger } from '../programs.js'
import { median } from '../statistics.js'
import { WEBHOOK_SETTINGS } from './webhooks.js'

const CONNECTIONS = 64
const EXPECTED_RATE = 12_000
const SOURCES = 1_000
const ROUNDS = 4
const MAPPED_TIMES = 25
const MAPPED_BYTES = 1024 * 1024
const MAPPED_GOAL_MS = 20

/** The definition of `own`, which maps its deliveries. */
const OWN = {
  proof: { type: 'hmac', algorithm: 'sha256', header: 'X-Signature', prefix: 'sha256=', encoding: 'hex' },
  rules: [
    {
      when: [{ at: '/object_kind', is: 'note' }],
      kind: 'note.{/object_attributes/action}',
      subject_id: '{/object_attributes/id}',
      actor: { id: '{/user/username}', display: '{/user/name}' },
      target: [
        { type: 'note', id: '{/object_attributes/id}', url: '{/object_attributes/url}' },
        { type: 'issue', id: '{/issue/id}', display: '#{/issue/iid}' },
        { type: 'project', id: '{/project/path_with_namespace}', url: '{/project/web_url}' },
      ],
      title: '{/issue/title}',
      text: ['{/object_attributes/note}', '{/issue/description}'],
      url: '{/object_attributes/url}',
      time: '{/object_attributes/created_at}',
      key: 'note:{/object_attributes/id}:{/object_attributes/action}',
    },
  ],
}

/** The cost of defined sources: a mapped delivery, a large mapping of a large payload, and many sources. */
export async function measureDefinedSources(bench: Bench): Promise<Figure[]> {
  return [await measureMapped(bench), measureLargeMapping(bench), ...(await measureManySources(bench))]
}

async function measureMapped(bench: Bench): Promise<Figure> {
  const own = await startWith(bench, 1)
  const [mapped, plain]: [number[], number[]] = [[], []]
  for (let round = 1; round <= ROUNDS; round++) {
    bench.progress(`mapped deliveries compared with the same payloads in plain events: round ${round} of ${ROUNDS}`)
    mapped.push((await measureRound(bench, own, { kind: 'deliveries', source: 'own', round })).rate)
    plain.push((await measureRound(bench, own, { kind: 'payloads', source: 'own', round })).rate)
  }
  await own.stop()
  return {
    what: `deliveries to a source of an operator, ${CONNECTIONS} connections`,
    unit: 'requests/s',
    value: median(mapped),
    yardstick: { what: 'the payload in an event a POST', value: median(plain), unit: 'events/s' },
    goal: { atLeastTimes: 0.5 },
  }
}

/** 50 rules of which the last applies, so that every condition is tried. */
function measureLargeMapping({ progress }: Bench): Figure {
  progress('a mapping of 50 rules, a payload of 1 MiB')
  const fields = Array.from({ length: 100 }, (_, at) => ({ key: `k${at}`, value: `v${at}` }))
  const list = Array.from({ length: 9_000 }, (_, id) => ({
    id,
    login: `user${id}`,
    text: 'Nothing to be seen here.',
    tags: ['a', 'b'],
  }))
  const body = Buffer.from(JSON.stringify({ type: 'last', fields, list }).padEnd(MAPPED_BYTES, ' '))
  const rule = (type: string) => ({
    when: [
      { at: '/fields/[key=k99]/value', is: 'v99' },
      ...['/a', '/b', '/list/1/id'].map(at => ({ at, is: type })).slice(0, type === 'last' ? 0 : 3),
    ],
    kind: 'thing.seen',
    subject_id: '{/list/0/id}',
    text: ['{/missing}', '{/list/8000/text}'],
    target: [{ type: 'user', id: '{/list/7000/login}' }],
  })
  const rules = [...Array.from({ length: 49 }, (_, at) => rule(`no${at}`)), rule('last')]
  const adapter = compileDefinedAdapter(readSourceDefinition({ name: 'own', proof: { type: 'none' }, rules }))
  const times = Array.from({ length: MAPPED_TIMES }, () => {
    const begun = performance.now()
    const [event] = adapter.normalise({ headers: {}, body }, {}).events
    if (event?.kind !== 'thing.seen') throw new Error('The mapping does not fit the payload.')
    return performance.now() - begun
  })
  return {
    what: 'parsing 1 MiB of JSON and mapping it by 50 rules, the median',
    unit: 'ms',
    value: median(times),
    goal: { atMost: MAPPED_GOAL_MS },
    details: times,
  }
}

/** Deliveries of the platforms to a ledger with many sources, alternating with deliveries to one without. */
async function measureManySources(bench: Bench): Promise<Figure[]> {
  const [few, many] = [await startWith(bench, 0), await startWith(bench, SOURCES)]
  const figures: Figure[] = []
  for (const source of DELIVERY_SOURCES) figures.push(await measureBeside(bench, { source, few, many }))
  await Promise.all([few.stop(), many.stop()])
  return figures
}

async function measureBeside(
  bench: Bench,
  { source, few, many }: { source: DeliverySource; few: RunningServer; many: RunningServer },
): Promise<Figure> {
  const [without, withSources]: [number[], number[]] = [[], []]
  for (let round = 1; round <= ROUNDS; round++) {
    bench.progress(`deliveries of ${source} with and without ${SOURCES} sources: round ${round} of ${ROUNDS}`)
    const turns = [
      [few, without],
      [many, withSources],
    ] as const
    // The first of two turns is often the slower one.
    for (const [server, rates] of round % 2 === 0 ? turns.toReversed() : turns) {
      rates.push((await measureRound(bench, server, { kind: 'deliveries', source, round })).rate)
    }
  }
  return {
    what: `deliveries of ${source} with ${SOURCES} defined sources`,
    unit: 'requests/s',
    value: median(withSources),
    yardstick: { what: 'without sources', value: median(without), unit: 'requests/s' },
    goal: { within: 0.1 },
  }
}

function measureRound(
  { workspace, options }: Bench,
  { port }: RunningServer,
  { round, ...work }: { kind: 'deliveries' | 'payloads'; source: DeliverySource; round: number },
): Promise<LoadResult> {
  const { warmupMs, measureMs } = options
  const expected = Math.round((EXPECTED_RATE * (warmupMs + measureMs)) / 1_000)
  return runLoad(workspace, {
    port,
    connections: CONNECTIONS,
    warmupMs,
    measureMs,
    requests: 100 * expected,
    prepare: expected,
    work: { ...work, size: 'mean', first: round * 100 * expected },
  })
}

/** Starts a ledger with `count` sources; `own` is the first. */
async function startWith({ workspace }: Bench, count: number): Promise<RunningServer> {
  const folder = await workspace.folder('defined-sources')
  const clock = () => Date.now() * 1_000
  const onFailure = (error: unknown) => console.error(error)
  const store = await openSqliteStore({ path: `${folder}/events.db`, clock, onFailure })
  const { sources } = await Ledger.open({ store, clock, newSubscriptionId: () => 'sub_1' })
  for (let at = 0; at < count; at++) {
    const name = at === 0 ? 'own' : `own${at}`
    await sources.save(name, { definition: { name, ...OWN }, secrets: [DELIVERY_SECRET] })
  }
  await store.close()
  return startLedger(workspace, folder, WEBHOOK_SETTINGS)
}
