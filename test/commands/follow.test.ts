import t from 'tap'
import { type AnswerParts, type Arrived, standIn } from '../client/stand-in.js'
import { runDaybook, startDaybook, until } from './run-daybook.js'

const START = Date.UTC(2031, 0, 1)
const toTime = (number: number) => new Date(START + number).toISOString()

/** Answers with the events after `since`, as many as there are; holds nothing. */
function ledgerOf(head: () => number, epoch = () => 'e') {
  return ({ url }: Arrived): AnswerParts => {
    const since = new URL(url, 'http://x').searchParams.get('since')
    const first = since === null ? head() + 1 : Date.parse(since) - START + 1
    const items = []
    for (let number = first; number <= head(); number++) {
      items.push({ dedupe_key: `k${number}`, kind: 'a.b', source: 'api', captured_at: toTime(number) })
    }
    return { body: { items, next_since: toTime(head()), has_more: false, epoch: epoch() } }
  }
}

const keysIn = (out: string) =>
  out
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line).dedupe_key)

t.test('follow prints each event once as a line of JSON, across a restart of the server', async t => {
  let head = 3
  const server = await standIn(
    t,
    ledgerOf(() => head),
  )
  const argv = ['api', 'events', '--follow', '--since', toTime(0), '--api-url', server.url]
  const { child, run, ended } = startDaybook(t, argv)
  await until(() => keysIn(run.out).length === 3)
  await server.close()
  await until(() => run.err.includes('No server answers'))
  head = 5
  await standIn(
    t,
    ledgerOf(() => head),
    { port: server.port },
  )
  await until(() => keysIn(run.out).length >= 5)
  child.kill('SIGINT')
  await ended
  t.same(keysIn(run.out), ['k1', 'k2', 'k3', 'k4', 'k5'])
  t.match(run.err, /^Connected to http:.*: following events after 2031-01-01T00:00:00\.000Z\. Ctrl\+C ends this\.\n/)
  t.match(run.err, /Trying again in \d+ s\.\nConnected again: following events after .*\n$/)
})

t.test('without a checkpoint, follow begins now, and prints lines of text at a terminal', async t => {
  let head = 7
  const server = await standIn(
    t,
    ledgerOf(() => head),
  )
  const { run } = startDaybook(t, ['api', 'events', '--follow', '--api-url', server.url], { atTerminal: true })
  await until(() => server.arrived.length > 1)
  head = 8
  await until(() => run.out.includes('\n'))
  t.match(run.out, /00:00:00.* {2}api {2}.*a\.b/)
})

t.test('follow ends when its output is no longer read', async t => {
  let head = 1
  const server = await standIn(
    t,
    ledgerOf(() => head),
  )
  const argv = ['api', 'events', '--follow', '--since', toTime(0), '--api-url', server.url]
  const { child, run, ended } = startDaybook(t, argv)
  await until(() => run.out !== '')
  child.stdout.destroy()
  head = 2
  t.match(await ended, { code: 0, err: /^Connected to [^\n]+\n$/ })
})

t.test('a replaced ledger is reported', async t => {
  let epoch = 'before'
  const server = await standIn(
    t,
    ledgerOf(
      () => (epoch === 'before' ? 1 : 2),
      () => epoch,
    ),
  )
  const argv = ['api', 'events', '--follow', '--since', toTime(0), '--api-url', server.url]
  const { run } = startDaybook(t, argv)
  await until(() => keysIn(run.out).length === 1)
  epoch = 'after'
  await until(() => run.err.includes('restored') && run.err.endsWith('\n'))
  t.match(run.err, /\nThe ledger was restored or replaced\. Continuing from the same checkpoint\.\n$/)
})

t.test('follow does not wait for a server that is missing from the start', async t => {
  const server = await standIn(
    t,
    ledgerOf(() => 1),
  )
  await server.close()
  const { ended } = startDaybook(t, ['api', 'events', '--follow', '--api-url', server.url])
  t.match(await ended, { code: 69 })
})

t.test('follow continues after removed events, and ends at a checkpoint that the ledger has not reached', async t => {
  const [removed, last] = [toTime(5), toTime(6)]
  const server = await standIn(t, ({ url }): AnswerParts => {
    const since = new URL(url, 'http://x').searchParams.get('since')
    const problem = { type: 'application/problem+json' }
    if (since === toTime(0)) {
      const body = { code: 'pruned', detail: 'Events were removed.', next_since: removed }
      return { ...problem, status: 410, body }
    }
    if (since === last)
      return { ...problem, status: 409, body: { code: 'ahead_of_ledger', detail: 'It was restored.' } }
    const items = [{ dedupe_key: 'k6', kind: 'a.b', source: 'api', captured_at: last }]
    return { body: { items, next_since: last, has_more: false, epoch: 'e' } }
  })
  const argv = ['api', 'events', '--follow', '--since', toTime(0), '--api-url', server.url]
  const { code, out, err } = await runDaybook(t, argv)
  t.same(
    server.arrived.map(({ url }) => new URL(url, 'http://x').searchParams.get('since')),
    [toTime(0), removed, last],
  )
  t.same([code, keysIn(out)], [5, ['k6']])
  t.match(err, /^Events were removed\.\n.*It was restored/s)
})
