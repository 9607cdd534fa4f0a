import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { BY_NAME } from '../../cli/formats/output-options.js'

export default class ConsumersList extends LedgerCommand {
  static override summary = 'Lists consumers, and how far each is behind.'

  async run(): Promise<void> {
    const { flags } = await this.parse(ConsumersList)
    const load = async () => (await import('../../cli/views/consumers.js')).consumerTable
    await this.show(await this.client(flags).consumers(), flags, load, BY_NAME)
  }
}
