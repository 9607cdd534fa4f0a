import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'
import { settle } from '../ledger-calls.js'
import { runWalk, startLedger } from '../programs.js'
import { median } from '../statistics.js'
import { BEGINNING } from '../walk-plan.js'

const LIMIT = 500
const READERS = 4

/** Reads pages by checkpoint through the whole ledger: how fast, and whether the position matters. */
export async function measurePages({ options, workspace, largeLedger, progress }: Bench): Promise<Figure[]> {
  const { folder, events } = await largeLedger.get()
  const server = await startLedger(workspace, folder)
  await settle(server.port, progress)
  const { port } = server
  const pages = Math.floor(events / LIMIT)

  const walks = []
  for (let round = 0; round < (options.quick ? 2 : 4); round++) {
    progress(`reading ${events} events in pages of ${LIMIT}, round ${round + 1}`)
    walks.push(await runWalk(workspace, { port, limit: LIMIT, readers: [{ since: BEGINNING, pages }] }))
  }
  // The first walk reads the file into the system's memory.
  const warm = walks.slice(1)
  const checkpoints = warm[0]?.readers[0]?.checkpoints ?? []
  progress(`the same by ${READERS} readers together`)
  const quarter = Math.floor(pages / READERS)
  const together = await runWalk(workspace, {
    port,
    limit: LIMIT,
    readers: Array.from({ length: READERS }, (_, index) => ({
      since: index === 0 ? BEGINNING : (checkpoints[index * quarter - 1] ?? BEGINNING),
      pages: quarter,
    })),
  })
  await server.stop()

  const pageMs = (from: number, to: number) => {
    return median(
      warm.flatMap(walk => walk.readers[0]?.times.slice(Math.floor(from * pages), Math.ceil(to * pages)) ?? []),
    )
  }
  const start = pageMs(0, 0.1)
  const rate = (walk: { events: number; seconds: number }) => walk.events / walk.seconds
  const place = (where: string, value: number): Figure => ({
    what: `a page of ${LIMIT} ${where} of ${events} events: p50`,
    value,
    unit: 'ms',
    yardstick: { what: 'at the start', value: start, unit: 'ms' },
    goal: { within: 0.15 },
  })
  return [
    {
      what: `pages of ${LIMIT} by since, one reader`,
      value: median(warm.map(rate)),
      unit: 'events/s',
      goal: { atLeast: 300_000 },
    },
    {
      what: `pages of ${LIMIT} by since, ${READERS} readers`,
      value: rate(together),
      unit: 'events/s',
      goal: { atLeast: 300_000 },
    },
    place('in the middle', pageMs(0.45, 0.55)),
    place('at the end', pageMs(0.9, 1)),
  ]
}
