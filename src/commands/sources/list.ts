import { BY_SOURCE, SourcesCommand } from '../../cli/base/sources-command.js'

export default class SourcesList extends SourcesCommand {
  static override summary = 'Lists the sources that were added.'

  async run(): Promise<void> {
    const { flags } = await this.parse(SourcesList)
    const { manageSources } = await import('../../runtime/sources/manage-sources.js')
    const sources = await manageSources(this.settings(flags), sources => sources.list())
    await this.show(sources, flags, async () => (await import('../../cli/views/sources.js')).sourceTable, BY_SOURCE)
  }
}
