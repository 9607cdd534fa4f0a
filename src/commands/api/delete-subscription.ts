import { string } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { toTerminalLine } from '../../cli/terminal/text.js'

export default class ApiDeleteSubscription extends LedgerCommand {
  static override summary = 'Deletes a subscription. Events that it matched stay.'
  static override args = {
    id: string({ required: true, ignoreStdin: true, description: 'Id, as printed by `api subscriptions`.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ApiDeleteSubscription)
    await this.client(flags).deleteSubscription(args.id)
    await this.confirm(`Deleted subscription ${toTerminalLine(args.id)}.`, flags)
  }
}
