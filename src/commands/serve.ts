import { boolean, option, string } from '@oclif/core/flags'
import { DaybookCommand } from '../cli/daybook-command.js'
import { programName } from '../cli/program-name.js'
import { serveBanner } from '../cli/serve-banner.js'
import { untilTold } from '../cli/until-told.js'
import type { RunningServer } from '../runtime/serve.js'
import { LOG_LEVELS, PROGRAMS, readServeSettings } from '../settings/serve-settings.js'

export default class Serve extends DaybookCommand {
  static override summary = 'Serves the ledger and the board: pages, REST API, webhooks, metrics.'
  static override description = [
    'Every flag has a variable, which may stand in the environment or in the shared environment file. SIGTERM or Ctrl+C',
    'stops it: what was accepted is finished first; a second one does not wait.',
  ].join(' ')
  static override flags = {
    host: string({ description: 'Address to listen on; else EVENT_HOST, else 127.0.0.1.', helpValue: '<host>' }),
    port: string({ description: 'Port, 0 for a free one; else EVENT_PORT, else 8765.', helpValue: '<port>' }),
    'root-path': string({ description: 'Path in front of every route; else EVENT_ROOT_PATH.', helpValue: '<path>' }),
    db: string({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
    'allow-open': boolean({ description: 'Let others reach a ledger that has no users yet.' }),
    only: option({
      description: 'Serve one of the two programs; --host, --port and --root-path are its own then.',
      options: PROGRAMS,
    })(),
    'board-port': string({ description: "The board's port; else BOARD_PORT, else 8766.", helpValue: '<port>' }),
    'board-root-path': string({ description: "The board's path; else BOARD_ROOT_PATH.", helpValue: '<path>' }),
    capture: boolean({ description: 'Capture the watches of the chat platform that are due.' }),
    'log-level': string({
      description: `One of ${LOG_LEVELS.join(', ')}; else EVENT_LOG_LEVEL, else info.`,
      helpValue: '<level>',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Serve)
    const settings = readServeSettings(
      {
        ...{ only: flags.only, host: flags.host, port: flags.port, db: flags.db },
        rootPath: flags['root-path'],
        allowOpen: flags['allow-open'],
        boardPort: flags['board-port'],
        boardRootPath: flags['board-root-path'],
        logLevel: flags['log-level'],
        capture: flags.capture,
      },
      this.sources,
    )
    // From here on: whoever stops it while it starts gets a ledger that was closed.
    const told = untilTold(process)
    const { serve } = await import('../runtime/serve.js')
    const running = await serve(settings, this.sources)
    await this.announce(running, flags.json)
    await Promise.race([told, running.closed])
    await running.close()
  }

  private async announce({ ledger, board }: RunningServer, json: boolean): Promise<void> {
    if (json) {
      const addresses = { ledger: ledger?.url, board: board?.url, database: ledger?.database }
      return this.output.print(JSON.stringify({ ...addresses, pid: process.pid }))
    }
    const program = programName(process.argv[1] ?? '')
    await this.output.print(serveBanner({ ledger, board, program }, await this.look()))
  }
}
