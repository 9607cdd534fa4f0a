import { boolean, option, string } from '@oclif/core/flags'
import { DaybookCommand } from '../cli/base/daybook-command.js'
import { serveUntilStopped } from '../cli/serve-until-stopped.js'
import type { RunningServer } from '../runtime/serve/serve.js'
import type { SettingSources } from '../settings/reading/setting-sources.js'
import { LOG_LEVELS, PROGRAMS, readServeSettings, type ServeFlags } from '../settings/serve-settings.js'

export default class Serve extends DaybookCommand {
  static override summary = 'Serves the ledger and the board: pages, REST API, webhooks, metrics.'
  static override description = [
    'A flag takes precedence over its variable, which is read from the environment, else from the shared environment file.',
    '--allow-open, --capture, --demo and --only have no variable. SIGTERM or Ctrl+C stops the server after it has finished the requests that it',
    'accepted; a second one stops it immediately.',
  ].join(' ')
  static override flags = {
    host: string({ description: 'Address to listen on; else EVENT_HOST, else 127.0.0.1.', helpValue: '<host>' }),
    port: string({ description: 'Port, 0 for a free one; else EVENT_PORT, else 8765.', helpValue: '<port>' }),
    'root-path': string({ description: 'Path in front of every route; else EVENT_ROOT_PATH.', helpValue: '<path>' }),
    db: string({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
    'allow-open': boolean({ description: 'Let other machines reach a ledger that has no users yet.' }),
    only: option({
      description: 'Serve only one of the two programs; --host, --port and --root-path then apply to it.',
      options: PROGRAMS,
    })(),
    'board-port': string({ description: "The board's port; else BOARD_PORT, else 8766.", helpValue: '<port>' }),
    'board-root-path': string({ description: "The board's path; else BOARD_ROOT_PATH.", helpValue: '<path>' }),
    capture: boolean({
      description: 'Capture due watches of chat, code hosts and forum, and read the event queue of the chat.',
    }),
    demo: boolean({
      description: 'Serve sample events and cards from a throwaway ledger and board, only on this machine.',
      // Not `exclusive`: help would show these as excluding each other.
      relationships: [{ type: 'none', flags: ['db', 'host', 'allow-open', 'capture'] }],
    }),
    'log-level': string({
      description: `One of ${LOG_LEVELS.join(', ')}; else EVENT_LOG_LEVEL, else info.`,
      helpValue: '<level>',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Serve)
    const given: ServeFlags = {
      only: flags.only,
      host: flags.host,
      port: flags.port,
      db: flags.db,
      rootPath: flags['root-path'],
      allowOpen: flags['allow-open'],
      boardPort: flags['board-port'],
      boardRootPath: flags['board-root-path'],
      logLevel: flags['log-level'],
      capture: flags.capture,
    }
    const start = flags.demo ? demo(given, this.sources) : real(given, this.sources)
    const { json, demo: isDemo } = flags
    await serveUntilStopped(start, { output: this.output, json, isDemo, style: () => this.style(flags) })
  }
}

/** Settings are checked immediately; the server's modules load on start. */
function real(given: ServeFlags, sources: SettingSources): () => Promise<RunningServer> {
  const settings = readServeSettings(given, sources)
  return async () => (await import('../runtime/serve/serve.js')).serve(settings, sources)
}

function demo(given: ServeFlags, sources: SettingSources): () => Promise<RunningServer> {
  return async () => (await import('../runtime/demo/serve-demo.js')).serveDemo(given, sources)
}
