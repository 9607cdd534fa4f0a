import { string as argument } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { ResultCommand } from '../../cli/base/daybook-command.js'
import type { ItemShape } from '../../cli/formats/output-options.js'
import { readHeader } from '../../cli/input/read-header.js'
import { readSmallInput } from '../../cli/input/read-input.js'
import { findPlatformSource, PLATFORM_WORDS } from '../../model/platforms/platform-source.js'
import { readExplainSettings } from '../../settings/webhook-settings.js'

/** The largest delivery, plus the overhead of a body quoted in JSON. */
const MAX_BYTES = 64 * 1024 * 1024

const SHAPE: ItemShape = {
  name: 'event.dedupe_key',
  columns: ['event.kind', 'event.target.key', 'event.dedupe_key', 'reasons.native_event', 'reasons.row'],
  list: 'events',
}

export default class PlatformsExplain extends ResultCommand {
  static override summary = 'Explains which events a saved delivery would become, and why. Needs no server.'
  static override description = [
    'The file contains {"headers": {…}, "body": …}, where the body is the JSON that was sent or the text of a form; or',
    'the body alone, with --source and --header. Prints the events, the row of the mapping that made each, what',
    'identifies it, and the scopes under which subscriptions match it. Checks no signatures and stores nothing.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> delivery.json',
    '<%= config.bin %> <%= command.id %> --source code_a --header X-GitHub-Event=issues issue.json',
  ]
  static override args = {
    file: argument({ required: true, ignoreStdin: true, description: 'The saved delivery; - for standard input.' }),
  }
  static override flags = {
    source: string({
      description: 'Platform that sent it; else recognised by its headers.',
      options: [...PLATFORM_WORDS],
    }),
    header: string({
      description: 'A header of the delivery. May be given several times.',
      helpValue: '<name=value>',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'chat-url': string({ description: 'Address of the chat server; else EVENT_CHAT_URL.', helpValue: '<url>' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PlatformsExplain)
    const { chatSite } = readExplainSettings({ chatUrl: flags['chat-url'] }, this.sources)
    const source = flags.source === undefined ? undefined : findPlatformSource(flags.source)
    const headers = Object.fromEntries((flags.header ?? []).map(readHeader))
    const bytes = await readSmallInput(args.file, MAX_BYTES)
    const { explainSavedDelivery } = await import('../../runtime/explain-delivery.js')
    const explanation = explainSavedDelivery(bytes, { source, headers, site: chatSite })
    const load = async () => (await import('../../cli/views/platforms.js')).explanationText
    await this.showValue(explanation, flags, load, SHAPE)
  }
}
