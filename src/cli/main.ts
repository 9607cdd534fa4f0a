import { readHealthProbe, runHealthProbe } from './health-probe.js'

/**
 * Runs one command line, and ends the process with what it came to. The only place where failures are told: whatever
 * a command or oclif throws, or leaves to nobody, ends here.
 *
 * @param root the package's folder
 * @param argv what follows the program's name
 */
export async function main(root: string, argv: readonly string[]): Promise<void> {
  const fail = async (error: unknown) => {
    const { endWith } = await import('./end.js')
    endWith(error, argv)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  await runCommandLine(root, argv).catch(fail)
}

async function runCommandLine(root: string, argv: readonly string[]): Promise<void> {
  const probe = readHealthProbe(argv)
  if (probe) return runHealthProbe(probe)
  const { findQuickCommand, runQuickCommand } = await import('./quick-command.js')
  const quick = findQuickCommand(root, argv)
  if (quick) return runQuickCommand(root, quick)
  const { runThroughOclif } = await import('./run-through-oclif.js')
  await runThroughOclif(root, argv)
}
