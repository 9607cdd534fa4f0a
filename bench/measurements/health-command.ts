import { once } from 'node:events'
import type { Bench } from '../bench.js'
import type { Figure } from '../figure.js'
import { cleanEnvironment, DAYBOOK, startLedger } from '../programs.js'
import { median } from '../statistics.js'

/** A short command as a process, compared with Node doing nothing. */
export async function measureHealthCommand(bench: Bench): Promise<Figure[]> {
  const { workspace, options, progress } = bench
  progress('api health as a process')
  const server = await startLedger(workspace, await workspace.folder('health'))
  const health = [DAYBOOK, 'api', 'health', '--api-url', `http://127.0.0.1:${server.port}`]
  const nothing = ['-e', '0']
  // The first run fills caches.
  await timeOf(bench, health)
  await timeOf(bench, nothing)
  const times: { health: number[]; nothing: number[] } = { health: [], nothing: [] }
  for (let round = 0; round < (options.quick ? 7 : 21); round++) {
    times.health.push(await timeOf(bench, health))
    times.nothing.push(await timeOf(bench, nothing))
  }
  await server.stop()
  return [
    {
      what: 'api health as a process',
      value: median(times.health),
      unit: 'ms',
      yardstick: { what: 'node -e 0', value: median(times.nothing), unit: 'ms' },
      goal: { atMostTimes: 2.5 },
      details: times,
    },
  ]
}

async function timeOf({ workspace }: Bench, args: readonly string[]): Promise<number> {
  const env = await cleanEnvironment(workspace)
  const startedAt = performance.now()
  const child = workspace.start(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'ignore'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`node ${args.slice(1).join(' ')} ended with ${code}.`)
  return performance.now() - startedAt
}
