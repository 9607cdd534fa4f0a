import type { Bench } from './bench.js'
import { type RunningServer, runLoad } from './programs.js'
import { median } from './statistics.js'

const ROUNDS = 5

/** A reader: its server, its paths and its credentials. */
interface Reader {
  how: string
  server: RunningServer
  path: string
  headers: Readonly<Record<string, string>>
}

/**
 * Requests a second of each reader, as the median of some rounds. The readers take turns, so that a machine that
 * becomes slower during the run affects all of them.
 */
export async function ratesInTurn(
  { options, workspace, progress }: Bench,
  connections: number,
  readers: readonly Reader[],
): Promise<number[]> {
  const rates: number[][] = readers.map(() => [])
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`GET in turns, ${readers.map(({ how }) => how).join(', ')}: round ${round} of ${ROUNDS}`)
    for (const [at, { server, path, headers }] of readers.entries()) {
      const { rate } = await runLoad(workspace, {
        port: server.port,
        connections,
        requests: 10_000_000,
        prepare: 1,
        work: { kind: 'reads', paths: [path], headers },
        warmupMs: options.warmupMs / ROUNDS,
        measureMs: options.measureMs / ROUNDS,
      })
      rates[at]?.push(rate)
    }
  }
  return rates.map(median)
}
