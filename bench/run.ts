/** Measures the figures that the documentation promises: prints a table, and writes JSON to `bench/results`. */
import { fileURLToPath } from 'node:url'
import type { Bench } from './bench.js'
import type { Figure } from './figure.js'
import { LargeLedger } from './large-ledger.js'
import { measureAccounts } from './measurements/accounts.js'
import { measureBatches } from './measurements/batches.js'
import { measureBoard } from './measurements/board.js'
import { measureCapture } from './measurements/capture.js'
import { measureConsumers } from './measurements/consumers.js'
import { measureDefinedSources } from './measurements/defined-sources.js'
import { measureFollowing } from './measurements/following.js'
import { measureGreedyClients } from './measurements/greedy-clients.js'
import { measureGrowth } from './measurements/growth.js'
import { measureHealthCommand } from './measurements/health-command.js'
import { measurePages } from './measurements/pages.js'
import { measurePostgres } from './measurements/postgres.js'
import { measureLargePostgres } from './measurements/postgres-large.js'
import { measurePosts } from './measurements/posts.js'
import { measureSearch } from './measurements/search.js'
import { measureStartUp } from './measurements/start-up.js'
import { measureSubscriptions } from './measurements/subscriptions.js'
import { measureWaking } from './measurements/waking.js'
import { measureWebhooks } from './measurements/webhooks.js'
import { type BenchOptions, type MeasurementName, readOptions, USAGE } from './options.js'
import { machineFacts, markdownTable, type Outcome, outcomeTable, writeResults } from './report.js'
import { UsageError } from './usage-error.js'
import { Workspace } from './workspace.js'

const MEASUREMENTS: Record<MeasurementName, (bench: Bench) => Promise<Figure[]>> = {
  posts: measurePosts,
  webhooks: measureWebhooks,
  capture: measureCapture,
  accounts: measureAccounts,
  board: measureBoard,
  batches: measureBatches,
  subscriptions: measureSubscriptions,
  growth: measureGrowth,
  pages: measurePages,
  search: measureSearch,
  following: measureFollowing,
  'health-command': measureHealthCommand,
  'start-up': measureStartUp,
  postgres: measurePostgres,
  'postgres-large': measureLargePostgres,
  waking: measureWaking,
  'greedy-clients': measureGreedyClients,
  consumers: measureConsumers,
  'defined-sources': measureDefinedSources,
}
const RESULTS = fileURLToPath(new URL('../../bench/results/', import.meta.url))
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') {
    process.stdout.write(USAGE)
    return
  }
  const workspace = new Workspace()
  process.on('exit', () => workspace.abandon())
  for (const [signal, code] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      workspace.close().finally(() => process.exit(code))
    })
  }
  try {
    const outcomes = await measure(options, workspace)
    if (outcomes.some(({ failure }) => failure !== undefined)) process.exitCode = 1
  } finally {
    await workspace.close()
  }
}

async function measure(options: BenchOptions, workspace: Workspace): Promise<Outcome[]> {
  const startedAt = new Date()
  const machine = machineFacts()
  const progress = (text: string) => {
    process.stderr.write(`${Math.round((Date.now() - startedAt.getTime()) / 1_000)} s: ${text}\n`)
  }
  const largeLedger = new LargeLedger(workspace, options, progress)
  const bench: Bench = { options, workspace, largeLedger, progress, postRates: new Map() }
  const outcomes: Outcome[] = []
  for (const measurement of options.only) {
    try {
      outcomes.push({ measurement, figures: await MEASUREMENTS[measurement](bench) })
    } catch (error) {
      if (workspace.isClosing) return outcomes
      const failure = error instanceof Error ? error.message : String(error)
      progress(`${measurement} failed: ${failure}`)
      outcomes.push({ measurement, figures: [], failure })
    }
  }
  const { cpu, cores, memoryGb, node, loadBefore } = machine
  process.stdout.write(`${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}, load before ${loadBefore}\n\n`)
  process.stdout.write(`${options.markdown ? markdownTable(outcomes) : outcomeTable(outcomes)}\n`)
  const name = await writeResults(RESULTS, { startedAt, machine, options, outcomes })
  progress(`written to bench/results/${name}`)
  return outcomes
}

try {
  await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n\n${USAGE}`)
  process.exitCode = 2
}
