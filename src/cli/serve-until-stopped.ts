import type { Output } from './terminal/output.js'
import type { TerminalStyle } from './terminal/style.js'
import { programName, type StartedServers, serveBanner } from './views/serve-banner.js'
import { waitForSignal } from './wait-for-signal.js'

/** The members of a running server that commands need. */
interface ServingProcess extends Pick<StartedServers, 'ledger' | 'board'> {
  logger: { warn(facts: object, sentence: string): void }
  /** Rejects if one of the programs failed. */
  closed: Promise<void>
  close(): Promise<void>
}

interface Announcement {
  output: Output
  json: boolean
  isDemo: boolean
  style: () => Promise<TerminalStyle>
}

/** Starts a server, prints its addresses, and closes it after a signal. */
export async function serveUntilStopped(
  start: () => Promise<ServingProcess>,
  announcement: Announcement,
): Promise<void> {
  // Installed before the start, so that a signal during the start still closes the ledger.
  const stopped = waitForSignal(process)
  const running = await start()
  await announce(running, announcement)
  await Promise.race([stopped, running.closed])
  await running.close()
}

async function announce(
  { ledger, board, logger }: ServingProcess,
  { output, json, isDemo, style }: Announcement,
): Promise<void> {
  output.reportFailures(error => {
    logger.warn({ err: error }, 'the addresses could not be printed to standard output')
  })
  if (json) {
    const addresses = { ledger: ledger?.url, board: board?.url, database: ledger?.database }
    return output.print(JSON.stringify({ ...addresses, pid: process.pid, ...(isDemo ? { demo: true } : {}) }))
  }
  const program = programName(process.argv[1] ?? '')
  await output.print(serveBanner({ ledger, board, program, isDemo }, await style()))
}
