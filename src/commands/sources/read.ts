import { string as argument } from '@oclif/core/args'
import { SourcesCommand } from '../../cli/base/sources-command.js'

export default class SourcesRead extends SourcesCommand {
  static override summary = 'Reads a feed now, and records its new items.'
  static override description =
    'A server reads feeds regularly without this. Items that the ledger has already are not recorded again.'
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the source.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesRead)
    const { manageSources } = await import('../../runtime/sources/manage-sources.js')
    const outcome = await manageSources(this.settings(flags), sources => sources.readFeed(args.name))
    const { created, known, unchanged } = outcome
    const sentence = unchanged ? 'The feed has not changed.' : `New events: ${created}. Known already: ${known}.`
    await this.show(outcome, flags, async () => () => sentence)
  }
}
