import { option } from '@oclif/core/args'
import { boolean, string } from '@oclif/core/flags'
import type { LedgerFlags } from '../../cli/ledger-caller.js'
import { LedgerCommand } from '../../cli/ledger-command.js'
import { toTerminalJson, toTerminalLine } from '../../cli/terminal-text.js'
import { firstDelivery } from '../../client/first-delivery.js'
import { isSecretConfigured } from '../../client/platform-list.js'
import type { PlatformSetup } from '../../model/platform-setup.js'
import { readClientSettings } from '../../settings/client-settings.js'
import { readSetupSettings } from '../../settings/setup-settings.js'
import { WEBHOOK_SOURCES } from '../../settings/webhook-settings.js'

export default class PlatformsSetup extends LedgerCommand {
  static override summary = 'Says what to enter where, so that a platform delivers to this ledger, and waits for it.'
  static override description = [
    'Printed are the address of the webhook, the setting for its secret and, in the words of the platform, what its form',
    'asks for and which events to tick. While no secret is configured, a fresh one is suggested; a configured one is never',
    'shown. Then it waits for the first delivery that proves where it comes from, through restarts of the server, and says',
    'what arrived. (A ping is no event: let something happen.)',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> forum',
    '<%= config.bin %> <%= command.id %> code_a --no-wait',
  ]
  static override args = {
    source: option({ options: WEBHOOK_SOURCES, description: 'Which platform.' })({ required: true, ignoreStdin: true }),
  }
  static override flags = {
    'no-wait': boolean({ description: 'Only print.' }),
    'chat-url': string({ description: 'Address of the chat server; else EVENT_CHAT_URL.', helpValue: '<url>' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PlatformsSetup)
    const settings = readSetupSettings(args.source, { chatUrl: flags['chat-url'] }, this.sources)
    const { apiUrl } = readClientSettings({ apiUrl: flags['api-url'], token: flags.token }, this.sources)
    const client = this.client(flags)
    const configured = await isSecretConfigured(client, args.source)
    const { platformSetup } = await import('../../runtime/platform-setup.js')
    await this.tell(platformSetup(args.source, settings, { address: apiUrl, isSecretConfigured: configured }), flags)
    if (!flags['no-wait']) await this.waitForDelivery(args.source, flags)
  }

  private async tell(setup: PlatformSetup, flags: LedgerFlags): Promise<void> {
    if (!this.isForPeople(flags)) return this.printJson(setup)
    const { platformSetupCard } = await import('../../cli/platform-setup-card.js')
    await this.output.print(platformSetupCard(setup, await this.look()))
  }

  private async waitForDelivery(source: string, flags: LedgerFlags): Promise<void> {
    const tell = (text: string) => process.stderr.write(`${toTerminalLine(text)}\n`)
    tell('Waiting for the first verified delivery. Ctrl+C ends this.')
    const event = await firstDelivery(this.client(flags), source, {
      signal: this.output.closed,
      onInterrupted: error => tell(`${error.message} Trying again.`),
      onUnverified: () => tell('A delivery arrived that proves nothing. Compare the secret here and on the platform.'),
    })
    if (event === undefined) return
    if (!this.isForPeople(flags)) return this.printJson({ event })
    const { eventCard } = await import('../../cli/event-card.js')
    const look = await this.look()
    await this.output.print(`\n${look.paint.green('It works. This arrived:')}\n\n${eventCard(event, look)}`)
  }

  private async printJson(value: unknown): Promise<void> {
    const json = JSON.stringify(value)
    await this.output.print(this.output.isTerminal ? toTerminalJson(json) : json)
  }
}
