import { string } from '@oclif/core/flags'
import { toClientFlags } from '../cli/base/api-context.js'
import { LedgerCommand } from '../cli/base/ledger-command.js'
import { saveProfiles } from '../cli/input/save-profiles.js'
import { AppError } from '../model/app-error.js'
import { readConfiguration } from '../settings/configuration.js'

export default class ConfigShow extends LedgerCommand {
  static override summary =
    'Shows the settings of commands and where each comes from, without secrets; or sets the default profile.'
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --use work']
  static override flags = {
    use: string({ description: 'Make this profile the default one.', helpValue: '<name>' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ConfigShow)
    if (flags.use !== undefined) {
      const { file } = readConfiguration({}, this.sources)
      if (!Object.hasOwn(file.profiles, flags.use)) {
        const hint = `"daybook login --profile ${flags.use}" makes it.`
        throw new AppError('not_found', 'unknown_profile', `There is no profile "${flags.use}".`, { hint })
      }
      saveProfiles({ ...file, default: flags.use })
    }
    const { shown } = readConfiguration(toClientFlags(flags), this.sources)
    const load = async () => (await import('../cli/views/configuration.js')).configurationCard
    await this.showValue(shown, flags, load, { name: 'profile' })
  }
}
