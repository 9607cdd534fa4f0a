import { boolean, integer, string } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { readLocalSettings } from '../../settings/local-settings.js'

export default class LedgerMigrate extends DaybookCommand {
  static override summary = 'Creates or upgrades the tables of a ledger in PostgreSQL, for servers whose role may not.'
  static override description = [
    'Run it as the role that owns the tables: before the first start, before servers of a new release start, and once a',
    'quarter for the partitions of coming months. Servers may be running. A role that may create tables needs none of this: its',
    'servers do the same when they start.',
  ].join(' ')
  static override examples = [
    'EVENT_DB=postgres://daybook_owner@db.example.org/ledger <%= config.bin %> <%= command.id %> --grant-to daybook',
  ]
  static override flags = {
    db: string({ description: 'Address of the database; else EVENT_DB.', helpValue: '<url>' }),
    'grant-to': string({
      description: 'Let this role read and change rows, now and in tables to come. It must exist.',
      helpValue: '<role>',
    }),
    months: integer({
      description: 'Number of coming months to make partitions for.',
      helpValue: '<number>',
      min: 1,
      max: 60,
      default: 3,
    }),
    restored: boolean({
      description:
        'The database was restored from a backup: its consumers must notice, and all logins to the ledger end.',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(LedgerMigrate)
    const settings = readLocalSettings({ db: flags.db }, this.sources)
    const { migrateLedger } = await import('../../runtime/migrate-ledger.js')
    const { months, 'grant-to': grantTo, restored: isRestored } = flags
    const migrated = await migrateLedger(settings, { months, grantTo, isRestored })
    if (flags.json || !this.output.isTerminal) return this.printJson(migrated)
    const { migratedText } = await import('../../cli/views/postgres-ledger.js')
    await this.output.print(migratedText(migrated))
  }
}
