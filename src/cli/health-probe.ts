import { processSources } from '../settings/reading/setting-sources.js'
import { type LedgerFlags, LedgerResults } from './base/api-context.js'
import { FORMATS } from './formats/output-options.js'
import { Output } from './terminal/output.js'

const FLAG = { type: 'boolean' } as const
const TEXT = { type: 'string' } as const
const OPTIONS = {
  json: FLAG,
  'no-color': FLAG,
  local: FLAG,
  output: { ...TEXT, short: 'o' },
  fields: TEXT,
  'api-url': TEXT,
  token: TEXT,
  'token-file': TEXT,
  profile: TEXT,
}

/**
 * The flags of `api health`, if the command line has no others. Monitors run this command every few seconds. Most of
 * its time would go to loading the command framework: 103 ms of CPU time without the framework, 243 with it.
 *
 * @returns undefined for any other command line, including wrong flags and `--help`; the framework handles those
 */
export function readHealthProbe(argv: readonly string[]): LedgerFlags | undefined {
  const [topic, command, ...args] = argv
  if (topic !== 'api' || command !== 'health') return undefined
  try {
    const { values } = process.getBuiltinModule('node:util').parseArgs({ args, options: OPTIONS })
    const { output, ...others } = values
    const format = FORMATS.find(each => each === output)
    const isWrong = output !== format || (values.json && output) || (values.token && values['token-file'])
    return isWrong ? undefined : { json: false, ...others, ...(format ? { output: format } : {}) }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

export async function runHealthProbe(flags: LedgerFlags): Promise<void> {
  const sources = processSources()
  await reportHealth(new LedgerResults(new Output(process.stdout), sources), flags)
}

/** The action of `api health`, with or without the framework. */
export async function reportHealth(context: LedgerResults, flags: LedgerFlags): Promise<void> {
  const answer = await context.client(flags).health()
  await context.show(answer, flags, async () => (await import('./views/ledger.js')).healthCard)
  if (answer.status === 503) process.exitCode = (await import('./exit-codes.js')).EXIT_TRY_AGAIN
}
