import { string as argument } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { SourcesCommand } from '../../cli/base/sources-command.js'
import { EVENT_SHAPE } from '../../cli/formats/event-shape.js'
import { readHeader } from '../../cli/input/read-header.js'
import { readSmallInput } from '../../cli/input/read-input.js'

/** The largest delivery, plus the overhead of a body quoted in JSON. */
const MAX_BYTES = 64 * 1024 * 1024

export default class SourcesTest extends SourcesCommand {
  static override summary = 'Shows which events a saved delivery would become at a source.'
  static override description = [
    'The file contains {"headers": {…}, "body": …}, or the body alone. With --definition or --preset, the source need not',
    'exist and no ledger is read. Checks no signatures and stores nothing.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> builds delivery.json',
    '<%= config.bin %> <%= command.id %> builds delivery.json --definition builds.json --header X-Event=build',
  ]
  static override args = {
    name: argument({ required: true, ignoreStdin: true, description: 'Name of the source.' }),
    file: argument({ required: true, ignoreStdin: true, description: 'The saved delivery; - for standard input.' }),
  }
  static override flags = {
    definition: string({ description: 'File with a definition to try.', helpValue: '<file>', exclusive: ['preset'] }),
    preset: string({ description: 'Preset to try.', helpValue: '<name>' }),
    header: string({
      description: 'A header of the delivery. May be given several times.',
      helpValue: '<name=value>',
      multiple: true,
      multipleNonGreedy: true,
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesTest)
    const headers = Object.fromEntries((flags.header ?? []).map(readHeader))
    const bytes = await readSmallInput(args.file, MAX_BYTES)
    const definition = (await this.readDefinition(args.name, flags)) ?? (await this.#stored(args.name, flags))
    const { testSource } = await import('../../platforms/defined/test-source.js')
    const tested = testSource(definition, bytes, headers)
    const load = async () => (await import('../../cli/views/sources.js')).testedDelivery
    await this.show(tested, flags, load, { ...EVENT_SHAPE, list: 'events' })
  }

  async #stored(name: string, flags: { json: boolean; db?: string | undefined }) {
    const { manageSources } = await import('../../runtime/sources/manage-sources.js')
    return (await manageSources(this.settings(flags), sources => sources.get(name))).definition
  }
}
