import { string } from '@oclif/core/args'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { platformArgument } from '../../cli/platform-argument.js'
import { at } from '../../cli/terminal/fields.js'
import { WebhookClient } from '../../client/webhook-client.js'
import { readTriggerSettings } from '../../settings/webhook-settings.js'

/** Chat server of a sample delivery if the ledger has none configured: deliveries do not name their server. */
const SAMPLE_SITE = 'https://chat.example.org'

export default class PlatformsTrigger extends LedgerCommand {
  static override summary = 'Sends a signed sample delivery of a platform to the ledger, as its webhook would.'
  static override description = [
    'The delivery is new each time. It is signed with the secret that the settings of this machine have for the',
    'webhook; without one it is not signed. Without a kind, lists the kinds of which there are samples.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> github',
    '<%= config.bin %> <%= command.id %> github issue.created',
  ]
  static override args = {
    source: platformArgument({ required: true }),
    kind: string({ ignoreStdin: true, description: 'Kind of the event to cause, such as issue.created.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PlatformsTrigger)
    const { source, kind } = args
    const { sampleRequest, triggerKinds } = await import('../../runtime/trigger-delivery.js')
    const now = Date.now() * 1_000
    if (kind === undefined) {
      const items = triggerKinds(source, now).map(kind => ({ source, kind }))
      const list = async () => () => items.map(item => item.kind).join('\n')
      return this.showValue({ items, count: items.length }, flags, list, { name: 'kind' })
    }
    const { secret, setting } = readTriggerSettings(source, this.sources)
    const request = sampleRequest(source, { kind, secret, now })
    const { address } = this.client(flags)
    const why = secret === undefined ? `${setting} is not set here` : `${setting} here is not the one of the server`
    const client = new WebhookClient(address, code => (code === 'signature_invalid' ? `${why}.` : undefined))
    const site = source === 'chat' ? SAMPLE_SITE : undefined
    const answer = await client.deliver(source, { ...request, site })
    const proof = secret === undefined ? 'unsigned' : 'signed'
    await this.show(answer, flags, async () => body => {
      return `Delivered a sample of ${kind} from ${source}, ${proof}: ${at(body, 'created')} recorded.`
    })
  }
}
