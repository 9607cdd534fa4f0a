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
    const answer = await this.client(flags).deleteSubscription(args.id)
    // The API answers with an empty body, so a pipe gets no output.
    if (this.isForPeople(flags)) await this.output.print(`Deleted subscription ${toTerminalLine(args.id)}.`)
    else await this.output.print(answer.bytes)
  }
}
