import { string as argument } from '@oclif/core/args'
import { SourcesCommand } from '../../cli/base/sources-command.js'

export default class SourcesRemap extends SourcesCommand {
  static override summary = 'Maps deliveries that fitted no rule again, by the current definition of their source.'
  static override description =
    'What now fits becomes new events. The deliveries that were kept stay as they are, so this can be repeated.'
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the source.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesRemap)
    const { manageSources } = await import('../../runtime/sources/manage-sources.js')
    const outcome = await manageSources(this.settings(flags), sources => sources.remap(args.name))
    const { created, duplicates, unmapped } = outcome
    const sentence = `New events: ${created}. Known already: ${duplicates}. Still fit no rule: ${unmapped}.`
    await this.show(outcome, flags, async () => () => sentence)
  }
}
