import { UsersCommand } from '../../cli/base/users-command.js'

export default class PlatformsDeliveries extends UsersCommand {
  static override summary = 'Shows when each source last delivered, and which deliveries were refused, and why.'
  static override description =
    'Covers the last seven days. A running server answers; without one, the command reads what the servers stored.'

  async run(): Promise<void> {
    const { flags } = await this.parse(PlatformsDeliveries)
    const { readDeliveries } = await import('../../runtime/read-deliveries.js')
    const trace = await readDeliveries(this.settings(flags))
    await this.show(trace, flags, async () => (await import('../../cli/views/deliveries.js')).deliveriesText, BY_SOURCE)
  }
}

const BY_SOURCE = { name: 'source', list: 'sources' }
