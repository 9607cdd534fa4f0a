import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { GREEDY_COUNTS, type GreedyCounts, readGreedyCounts } from './greedy-clients.js'
import { UsageError } from './usage-error.js'

const MEASUREMENT_NAMES = [
  'posts',
  'webhooks',
  'capture',
  'accounts',
  'board',
  'batches',
  'subscriptions',
  'growth',
  'pages',
  'search',
  'health-command',
  'start-up',
  // Gives the ledger an administrator, so any later measurement of that ledger would need a login.
  'following',
  'postgres',
  'postgres-large',
  'waking',
  'greedy-clients',
  'consumers',
  'defined-sources',
] as const
export type MeasurementName = (typeof MEASUREMENT_NAMES)[number]

export interface BenchOptions {
  /** A shorter and smaller run, which shows that everything works. Its figures mean little. */
  quick: boolean
  only: readonly MeasurementName[]
  /** Size of the large ledger. */
  events: number
  /** Folder in which the large ledger is kept for the next run. */
  keep?: string
  warmupMs: number
  measureMs: number
  /** Print the table as Markdown, for docs/performance.md. */
  markdown: boolean
  /** Number of greedy clients of each kind. */
  greedy: GreedyCounts
}

export const USAGE = `Usage: npm run bench -- [--quick] [--only name,…] [--events n] [--keep folder]
                        [--greedy kind=number,…] [--markdown]

  --quick        short and small: shows that everything works, its figures mean little
  --only         some of: ${MEASUREMENT_NAMES.join(', ')}
  --events       size of the large ledger, 30,000 to 10,000,000; 1,000,000 (with --quick 50,000) when absent
  --keep         keeps the large ledger in that folder, and uses the one that is already there
  --markdown     prints the table of docs/performance.md, with missed goals first
  --greedy       how many greedy clients of a kind, such as streams=0; others: ${Object.entries(GREEDY_COUNTS)
    .map(pair => pair.join('='))
    .join(', ')}
`

const EVENTS = { fewest: 30_000, most: 10_000_000, usual: 1_000_000, quick: 50_000 }

/** @throws UsageError */
export function readOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values } = parse(args)
  if (values.help) return 'help'
  const quick = values.quick ?? false
  return {
    quick,
    only: readNames(values.only),
    events: readEvents(values.events) ?? (quick ? EVENTS.quick : EVENTS.usual),
    ...(values.keep === undefined ? {} : { keep: resolve(values.keep) }),
    warmupMs: quick ? 500 : 2_000,
    measureMs: quick ? 2_000 : 8_000,
    markdown: values.markdown ?? false,
    greedy: values.greedy === undefined ? GREEDY_COUNTS : readGreedyCounts(values.greedy),
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean' },
        only: { type: 'string' },
        events: { type: 'string' },
        keep: { type: 'string' },
        greedy: { type: 'string' },
        markdown: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function readNames(text: string | undefined): readonly MeasurementName[] {
  if (text === undefined) return MEASUREMENT_NAMES
  const asked = text.split(',').map(name => name.trim())
  const unknown = asked.filter(name => !MEASUREMENT_NAMES.some(known => known === name))
  if (unknown.length > 0) {
    throw new UsageError(`--only does not accept ${unknown.join(', ')}. It accepts ${MEASUREMENT_NAMES.join(', ')}.`)
  }
  return MEASUREMENT_NAMES.filter(name => asked.includes(name))
}

function readEvents(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const events = Number(text)
  if (!Number.isInteger(events) || events < EVENTS.fewest || events > EVENTS.most) {
    throw new UsageError(`--events must be ${EVENTS.fewest} to ${EVENTS.most}, got "${text}".`)
  }
  return events
}
