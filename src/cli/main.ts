import { processSources } from '../settings/setting-sources.js'
import { readTerminalSettings } from '../settings/terminal-settings.js'
import { EXIT_DEFECT } from './exit-codes.js'
import { findQuickCommand, runQuickCommand } from './quick-command.js'
import { toReport } from './report.js'

/**
 * Runs one command line, and ends the process with what it came to. The only place where failures are told: whatever
 * a command or oclif throws, or leaves to nobody, ends here.
 *
 * @param root the package's folder
 * @param argv what follows the program's name
 */
export async function main(root: string, argv: readonly string[]): Promise<void> {
  const fail = (error: unknown) => end(error, argv)
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  // Nobody is left to be told.
  process.stderr.on('error', () => process.exit(EXIT_DEFECT))
  try {
    await runCommandLine(root, argv)
  } catch (error) {
    fail(error)
  }
}

async function runCommandLine(root: string, argv: readonly string[]): Promise<void> {
  const quick = findQuickCommand(root, argv)
  if (quick) return runQuickCommand(root, quick)
  const { runThroughOclif } = await import('./run-through-oclif.js')
  await runThroughOclif(root, argv)
}

function end(error: unknown, argv: readonly string[]): void {
  const { stacks } = readTerminalSettings(processSources())
  const { exitCode, out, err } = toReport(error, { json: wantsJson(argv), stacks })
  // Whatever a failed command may have left open, the process ends once this is out.
  const streams = [
    [process.stdout, out],
    [process.stderr, err],
  ] as const
  let waiting = streams.length
  for (const [stream, text] of streams) {
    stream.write(text ? `${text}\n` : '', () => {
      waiting -= 1
      if (waiting === 0) process.exit(exitCode)
    })
  }
}

function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return argv.slice(0, end === -1 ? undefined : end).includes('--json')
}
