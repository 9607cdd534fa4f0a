import { string as argument } from '@oclif/core/args'
import { SourcesCommand } from '../../cli/base/sources-command.js'
import { toTerminalLine } from '../../cli/terminal/text.js'

export default class SourcesDelete extends SourcesCommand {
  static override summary = 'Deletes a source with its secrets. Its events stay.'
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the source.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesDelete)
    const { manageSources } = await import('../../runtime/sources/manage-sources.js')
    await manageSources(this.settings(flags), sources => sources.delete(args.name))
    await this.confirm(`Deleted source ${toTerminalLine(args.name)}.`, flags)
  }
}
