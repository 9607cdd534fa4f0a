import { setTimeout as sleep } from 'node:timers/promises'
import { boolean, integer } from '@oclif/core/flags'
import { LedgerCommand } from '../../cli/base/ledger-command.js'

const CLEAR = '\x1b[H\x1b[2J'

export default class Stats extends LedgerCommand {
  static override summary = 'Counts events, repeats and subscriptions, by source and by kind.'
  static override examples = ['<%= config.bin %> <%= command.id %> --watch']
  static override flags = {
    watch: boolean({ description: 'Show them again every few seconds, until Ctrl+C.' }),
    interval: integer({
      description: 'With --watch: seconds between answers.',
      helpValue: '<seconds>',
      min: 1,
      max: 3600,
      default: 2,
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Stats)
    const client = this.client(flags)
    const load = async () => (await import('../../cli/views/ledger.js')).statsCard
    const { closed } = this.output
    const isScreen = this.output.isTerminal && this.isForPeople(flags)
    do {
      const answer = await client.stats()
      if (flags.watch && isScreen) await this.output.write(Buffer.from(CLEAR))
      await this.show(answer, flags, load)
      if (flags.watch) await sleep(flags.interval * 1000, undefined, { signal: closed }).catch(() => undefined)
    } while (flags.watch && !closed.aborted)
  }
}
