import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'
import { searchPath, settle } from '../ledger-calls.js'
import { UNHURRIED_MS } from '../load-plan.js'
import { type RunningServer, residentMegabytes, runLoad, runWalk, startLedger } from '../programs.js'
import { median } from '../statistics.js'
import { BEGINNING } from '../walk-plan.js'
import { SEARCHED } from '../words.js'
import type { Workspace } from '../workspace.js'

/** How long a server with a large ledger needs until it listens, and how much memory it uses. */
export async function measureStartUp({ options, workspace, largeLedger, progress }: Bench): Promise<Figure[]> {
  const { folder, events } = await largeLedger.get()
  const seen: { readyMs: number; ready: number | undefined; queried: number | undefined }[] = []
  for (let round = 0; round < (options.quick ? 2 : 5); round++) {
    progress(`starting with ${events} events, round ${round + 1}`)
    const server = await startLedger(workspace, folder)
    const ready = await residentMegabytes(server.pid)
    await settle(server.port, progress)
    await askAround(workspace, server)
    const queried = await residentMegabytes(server.pid)
    await server.stop()
    seen.push({ readyMs: server.readyMs, ready, queried })
  }
  const memory = (what: string, values: readonly (number | undefined)[]): Figure[] => {
    const known = values.filter(value => value !== undefined)
    if (known.length === 0) return []
    return [{ what: `${what}, ${events} events: memory`, value: median(known), unit: 'MB', goal: { atMost: 250 } }]
  }
  return [
    {
      what: `serve with ${events} events until it listens`,
      value: median(seen.map(({ readyMs }) => readyMs)),
      unit: 'ms',
      goal: { atMost: 1_000 },
      details: seen,
    },
    ...memory(
      'serve, just ready',
      seen.map(({ ready }) => ready),
    ),
    ...memory(
      'serve, after a round of queries',
      seen.map(({ queried }) => queried),
    ),
  ]
}

/** Requests pages, searches and filters. */
async function askAround(workspace: Workspace, { port }: RunningServer): Promise<void> {
  await runWalk(workspace, { port, limit: 500, readers: [{ since: BEGINNING, pages: 50 }] })
  const texts = [SEARCHED.rare, SEARCHED.common, SEARCHED.twoCharacters, SEARCHED.neverOfCommonParts]
  const filters = ['kind=pull_request.*', 'subscription_id=watching-0', 'source=code_a&actor=Ada%20Abe', 'days=1']
  const paths = [...texts.map(searchPath), ...filters.map(filter => `/api/events?${filter}`), '/api/stats']
  await runLoad(workspace, {
    port,
    connections: 2,
    requests: paths.length * 10,
    prepare: paths.length,
    warmupMs: 0,
    measureMs: UNHURRIED_MS,
    work: { kind: 'reads', paths },
  })
}
