import { boolean, string } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { readLocalSettings } from '../../settings/local-settings.js'

export default class LedgerPromote extends DaybookCommand {
  static override summary = 'Makes a ledger that follows another one a ledger of its own, which accepts events.'
  static override description = [
    'Stop the leader first. A running server does it without a restart. The ledger gets a new epoch, so that it can be',
    'distinguished from the leader. Named consumers continue at the checkpoints that were copied.',
  ].join(' ')
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --keep-epoch']
  static override flags = {
    db: string({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
    'keep-epoch': boolean({
      description: 'The leader was stopped, is not used any more, and has no event that this ledger lacks.',
      exclusive: ['force'],
    }),
    force: boolean({ description: 'Promote even if the leader still answers: two ledgers then record events.' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(LedgerPromote)
    const settings = readLocalSettings({ db: flags.db }, this.sources)
    const { promoteLedger } = await import('../../runtime/follow/promote-ledger.js')
    const input = { keep_epoch: flags['keep-epoch'] ?? false, force: flags.force ?? false }
    const promoted = await promoteLedger(settings, input)
    if (flags.json || !this.output.isTerminal) return this.printJson(promoted)
    const { promotedText } = await import('../../cli/views/ledger-copies.js')
    await this.output.print(promotedText(promoted))
  }
}
