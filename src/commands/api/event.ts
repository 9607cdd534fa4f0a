import { string } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { EVENT_SHAPE } from '../../cli/formats/event-shape.js'

export default class ApiEvent extends LedgerCommand {
  static override summary = 'Shows one stored event.'
  static override args = {
    dedupe_key: string({ required: true, ignoreStdin: true, description: 'Dedupe key, as printed by `api events`.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ApiEvent)
    const answer = await this.client(flags).event(args.dedupe_key)
    await this.show(answer, flags, async () => (await import('../../cli/views/events.js')).eventCard, EVENT_SHAPE)
  }
}
