import { option } from '@oclif/core/args'
import { boolean, string } from '@oclif/core/flags'
import type { LedgerFlags } from '../../cli/ledger-caller.js'
import { LedgerCommand } from '../../cli/ledger-command.js'
import { toTerminalLine } from '../../cli/terminal-text.js'
import { firstDelivery } from '../../client/first-delivery.js'
import { askForWebhook, type ServedWebhook } from '../../client/platform-list.js'
import { AppError } from '../../model/app-error.js'
import type { PlatformSetup } from '../../model/platform-setup.js'
import { readClientSettings } from '../../settings/client-settings.js'
import { readSetupSettings } from '../../settings/setup-settings.js'
import { WEBHOOK_SOURCES } from '../../settings/webhook-settings.js'

export default class PlatformsSetup extends LedgerCommand {
  static override summary = 'Says what to enter where, so that a platform delivers to this ledger, and waits for it.'
  static override description = [
    'Printed are the address of the webhook, the setting for its secret and, in the words of the platform, what its form',
    'asks for and which events to tick. While no secret is configured, a fresh one is suggested; a configured one is never',
    'shown. Then it waits for the server, and for the first delivery that proves where it comes from, and says what',
    'arrived. (A ping is no event: let something happen, or have an earlier delivery sent again.)',
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
    const { webhook, trouble } = await this.askForWebhook(args.source, flags)
    const { platformSetup, missingSecret } = await import('../../runtime/platform-setup.js')
    const reached = { address: apiUrl, ...(webhook ? { webhook } : {}), ...(trouble ? { trouble } : {}) }
    const setup = platformSetup(args.source, settings, reached)
    await this.tell(setup, flags)
    if (flags['no-wait']) return
    // A server that is not there yet is waited for. What else is wrong, somebody has to mend.
    if (trouble && trouble.code !== 'server_unreachable') throw trouble
    await this.waitForDelivery(setup, missingSecret(settings), flags)
  }

  /** What a server says of itself, or why none does. */
  private async askForWebhook(
    source: string,
    flags: LedgerFlags,
  ): Promise<{ webhook?: ServedWebhook; trouble?: AppError }> {
    try {
      return { webhook: await askForWebhook(this.client(flags), source) }
    } catch (error) {
      if (error instanceof AppError) return { trouble: error }
      throw error
    }
  }

  private async tell(setup: PlatformSetup, flags: LedgerFlags): Promise<void> {
    if (!this.isForPeople(flags)) return this.printJson(setup)
    const { platformSetupCard } = await import('../../cli/platform-setup-card.js')
    await this.output.print(platformSetupCard(setup, await this.look()))
  }

  private async waitForDelivery(setup: PlatformSetup, missingSecret: string, flags: LedgerFlags): Promise<void> {
    const tell = (text: string) => process.stderr.write(`${toTerminalLine(text)}\n`)
    tell('Waiting for the first verified delivery. Ctrl+C ends this.')
    tell(`If nothing arrives, look at ${setup.delivery_log}: 401 means that the secret there is not the one here.`)
    const arrival = await firstDelivery(this.client(flags), setup.source, {
      signal: this.output.closed,
      onAway: error => tell(error.code === 'connection_lost' ? AWAY : `${error.message} ${WAITING}`),
      onBack: () => tell('The server answers.'),
      onUnverified: ({ isSecretConfigured }) => {
        tell(`A delivery arrived that proves nothing. ${isSecretConfigured ? TOO_EARLY : missingSecret}`)
      },
      onRepeat: ({ isSecretConfigured }) => {
        tell(`A delivery arrived that is known already. ${isSecretConfigured ? TELLS_NOTHING : missingSecret}`)
      },
    })
    if (arrival === undefined) return
    const { event, isRepeat } = arrival
    if (!this.isForPeople(flags)) return this.printJson({ event, ...(isRepeat ? { repeated: true } : {}) })
    const { eventCard } = await import('../../cli/event-card.js')
    const look = await this.look()
    const title = isRepeat ? 'It works. This arrived once more:' : 'It works. This arrived:'
    await this.output.print(`\n${look.paint.green(title)}\n\n${eventCard(event, look)}`)
  }
}

const WAITING = 'Waiting for it.'
const AWAY = `The server went away. ${WAITING}`
const TOO_EARLY = 'It came before the server had its secret. Deliver it again, or let something new happen.'
const TELLS_NOTHING = 'Whether it proved itself is not kept. Let something new happen.'
