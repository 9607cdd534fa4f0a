import { option } from '@oclif/core/args'
import { DaybookCommand } from '../cli/base/daybook-command.js'
import { SCRIPTS, SHELLS } from '../cli/completion/scripts.js'

export default class Completion extends DaybookCommand {
  static override summary = 'Prints a script that completes commands, flags and values in a shell.'
  static override description = [
    'Values such as kinds, sources and ids of subscriptions are from the ledger and the board that the settings name, and kept for a',
    'minute.\n\nbash: add eval "$(daybook completion bash)" to ~/.bashrc. zsh: add eval "$(daybook completion zsh)" to ~/.zshrc, after',
    'compinit. fish: daybook completion fish > ~/.config/fish/completions/daybook.fish',
  ].join(' ')
  static override args = {
    shell: option({ options: SHELLS, description: 'Which shell.' })({ required: true, ignoreStdin: true }),
  }

  async run(): Promise<void> {
    const { args } = await this.parse(Completion)
    await this.output.print(SCRIPTS[args.shell])
  }
}
