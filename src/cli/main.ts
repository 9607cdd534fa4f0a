import { AppError } from '../model/app-error.js'
import { completeEnvironment } from '../settings/reading/setting-sources.js'
import { EXIT_DEFECT } from './exit-codes.js'
import { readHealthProbe, runHealthProbe } from './health-probe.js'

/**
 * Runs one command line, then ends the process with its exit code. Failures are reported only here: every error that a
 * command or oclif throws, or does not handle, arrives here.
 *
 * Every file that a command creates is private to its user.
 *
 * @param root the package's folder
 * @param argv the arguments after the program's name
 */
export async function main(root: string, argv: readonly string[]): Promise<void> {
  // SQLite creates files next to a database, and has no option for their mode.
  process.umask(0o077)
  completeEnvironment()
  const fail = async (error: unknown) => {
    try {
      const { exitWithError } = await import('./report.js')
      exitWithError(error, argv)
    } catch (cause) {
      // As an unhandled rejection, it would be passed to this function again and again.
      console.error(error)
      console.error(cause)
      process.exit(EXIT_DEFECT)
    }
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  await runCommandLine(root, argv).catch(fail)
}

async function runCommandLine(root: string, argv: readonly string[]): Promise<void> {
  requireWorkingFolder()
  const probe = readHealthProbe(argv)
  if (probe) return runHealthProbe(probe)
  if (argv[0] === '__complete') {
    const { readCompletionRequest, runCompletion } = await import('./completion/run-completion.js')
    const words = readCompletionRequest(argv)
    if (words) return runCompletion(root, words)
  }
  const { findQuickCommand, runQuickCommand } = await import('./quick-command.js')
  const quick = findQuickCommand(root, argv)
  if (quick) return runQuickCommand(root, quick)
  const { runThroughOclif } = await import('./run-through-oclif.js')
  await runThroughOclif(root, argv)
}

/**
 * Relative paths have no meaning without a working folder, and threads do not start, so stores cannot be opened.
 *
 * @throws AppError `configuration/working_folder_missing`
 */
function requireWorkingFolder(): void {
  try {
    process.cwd()
  } catch (cause) {
    const hint = 'Change to another folder with cd, and repeat the command.'
    throw new AppError('configuration', 'working_folder_missing', 'The current folder no longer exists.', {
      hint,
      cause,
    })
  }
}
