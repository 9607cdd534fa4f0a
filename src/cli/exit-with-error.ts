import { processSources } from '../settings/setting-sources.js'
import { readTerminalSettings } from '../settings/terminal-settings.js'
import { EXIT_DEFECT } from './exit-codes.js'
import { toReport } from './report.js'

/** Reports the failure of a command line and ends the process, even if the command left something open. */
export function exitWithError(error: unknown, argv: readonly string[]): void {
  const { stacks } = readTerminalSettings(processSources())
  const { exitCode, out, err } = toReport(error, { json: wantsJson(argv), stacks })
  // Standard error is closed, so nothing can be reported.
  process.stderr.on('error', () => process.exit(EXIT_DEFECT))
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
