import { string } from '@oclif/core/args'
import { string as text } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { serveUntilStopped } from '../../cli/serve-until-stopped.js'
import { readServeSettings } from '../../settings/serve-settings.js'

export default class LedgerFollow extends DaybookCommand {
  static override summary = 'Serves a copy of a running ledger, and keeps it in step.'
  static override description = [
    'The copy has the same events, keys, instants, counts, digests, subscriptions, consumers, users and tokens. It can be read, and',
    'refuses changes until `ledger promote`. Needs an admin token of the other ledger in EVENT_FOLLOW_TOKEN or',
    'EVENT_FOLLOW_TOKEN_FILE; else the admin token here. `serve` with EVENT_FOLLOW does the same. SIGTERM or Ctrl+C stops it; it',
    'continues where it was.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> https://ledger.example.org --db /srv/daybook/copy.db --port 8775',
  ]
  static override args = {
    url: string({ required: true, ignoreStdin: true, description: 'Address of the ledger to follow.' }),
  }
  static override flags = {
    db: text({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
    host: text({ description: 'Address to listen on; else EVENT_HOST, else 127.0.0.1.', helpValue: '<host>' }),
    port: text({ description: 'Port, 0 for a free one; else EVENT_PORT, else 8765.', helpValue: '<port>' }),
    'root-path': text({ description: 'Path in front of every route; else EVENT_ROOT_PATH.', helpValue: '<path>' }),
    'log-level': text({ description: 'As for `serve`; else EVENT_LOG_LEVEL, else info.', helpValue: '<level>' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LedgerFollow)
    const { db, host, port, json } = flags
    const given = { db, host, port, rootPath: flags['root-path'], logLevel: flags['log-level'] }
    const settings = readServeSettings({ ...given, only: 'ledger', follow: args.url }, this.sources)
    const start = async () => (await import('../../runtime/serve/serve.js')).serve(settings, this.sources)
    await serveUntilStopped(start, { output: this.output, json, isDemo: false, style: () => this.style(flags) })
  }
}
