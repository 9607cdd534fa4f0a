import { boolean, string } from '@oclif/core/flags'
import { type LedgerFlags, toClientFlags } from '../../cli/base/api-context.js'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { platformArgument } from '../../cli/platform-argument.js'
import { toTerminalLine } from '../../cli/terminal/text.js'
import { firstDelivery } from '../../client/first-delivery.js'
import { askForWebhook, type ServedWebhook } from '../../client/served-webhook.js'
import { AppError } from '../../model/app-error.js'
import type { PlatformSetup } from '../../model/platforms/platform-setup.js'
import { readClientSettings } from '../../settings/client-settings.js'
import { readSetupSettings } from '../../settings/webhook-settings.js'

export default class PlatformsSetup extends LedgerCommand {
  static override summary = 'Shows how to make a platform deliver to this ledger, and waits for the first delivery.'
  static override description = [
    'Prints the address of the webhook, the setting for its secret and, by the labels of the platform, the values for its form',
    'and the events to tick. If no secret is configured, it suggests a new one; a configured one is never',
    'shown. Then it waits for the server and for the first verified delivery, and prints what',
    'arrived. (A ping is not an event: trigger one, or have an earlier delivery sent again.)',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> forum',
    '<%= config.bin %> <%= command.id %> github --no-wait',
  ]
  static override args = {
    source: platformArgument({ required: true }),
  }
  static override flags = {
    'no-wait': boolean({ description: 'Only print.' }),
    'chat-url': string({ description: 'Address of the chat server; else EVENT_CHAT_URL.', helpValue: '<url>' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PlatformsSetup)
    const settings = readSetupSettings(args.source, { chatUrl: flags['chat-url'] }, this.sources)
    const { apiUrl } = readClientSettings(toClientFlags(flags), this.sources)
    const { webhook, trouble } = await this.askForWebhook(args.source, flags)
    const { platformSetup, missingSecret } = await import('../../runtime/platform-setup.js')
    const reached = { address: apiUrl, ...(webhook ? { webhook } : {}), ...(trouble ? { trouble } : {}) }
    const setup = platformSetup(args.source, settings, reached)
    await this.print(setup, flags)
    if (flags['no-wait']) return
    // The command waits for an unreachable server. The user must fix other problems.
    if (trouble && trouble.code !== 'server_unreachable') throw trouble
    await this.waitForDelivery(setup, missingSecret(settings), flags)
  }

  /** The server's webhook settings, or the reason why they could not be read. */
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

  private async print(setup: PlatformSetup, flags: LedgerFlags): Promise<void> {
    if (!this.isForPeople(flags)) return this.printJson(setup)
    const { platformSetupCard } = await import('../../cli/views/platforms.js')
    await this.output.print(platformSetupCard(setup, await this.style(flags)))
  }

  private async waitForDelivery(setup: PlatformSetup, missingSecret: string, flags: LedgerFlags): Promise<void> {
    const notify = (text: string) => process.stderr.write(`${toTerminalLine(text)}\n`)
    notify('Waiting for the first verified delivery. Ctrl+C ends this.')
    notify(`If nothing arrives, look at ${setup.delivery_log}: 401 means that the two secrets differ.`)
    const arrival = await firstDelivery(this.client(flags), setup.source, {
      signal: this.output.closed,
      onAway: error => notify(error.code === 'connection_lost' ? AWAY : `${error.message} ${WAITING}`),
      onBack: () => notify('The server answers.'),
      onUnverified: ({ isSecretConfigured }) => {
        notify(`An unverified delivery arrived. ${isSecretConfigured ? TOO_EARLY : missingSecret}`)
      },
      onRepeat: ({ isSecretConfigured }) => {
        notify(`A known delivery arrived again. ${isSecretConfigured ? REPEAT_UNKNOWN : missingSecret}`)
      },
    })
    if (arrival === undefined) return
    const { event, isRepeat } = arrival
    if (!this.isForPeople(flags)) return this.printJson({ event, ...(isRepeat ? { repeated: true } : {}) })
    const { eventCard } = await import('../../cli/views/events.js')
    const style = await this.style(flags)
    const title = isRepeat ? 'It works. This arrived again:' : 'It works. This arrived:'
    await this.output.print(`\n${style.paint.green(title)}\n\n${eventCard(event, style)}`)
  }
}

const WAITING = 'Waiting for it.'
const AWAY = `The server is unreachable. ${WAITING}`
const TOO_EARLY = 'It arrived before the server had its secret. Send it again, or trigger a new event.'
const REPEAT_UNKNOWN = 'The ledger does not record whether a repeat was verified. Trigger a new event.'
