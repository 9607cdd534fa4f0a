import { string as argument } from '@oclif/core/args'
import { BY_SOURCE, SourcesCommand } from '../../cli/base/sources-command.js'

export default class SourcesShow extends SourcesCommand {
  static override summary = 'Shows a source with its definition. Secrets are never shown.'
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the source.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesShow)
    const { manageSources } = await import('../../runtime/sources/manage-sources.js')
    const source = await manageSources(this.settings(flags), sources => sources.get(args.name))
    await this.show(source, flags, async () => (await import('../../cli/views/sources.js')).sourceCard, BY_SOURCE)
  }
}
