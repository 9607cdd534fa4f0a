import { string } from '@oclif/core/args'
import { string as text } from '@oclif/core/flags'
import { UsersCommand } from '../../cli/base/users-command.js'
import { readNewPassword } from '../../cli/input/new-password.js'

export default class UsersSetPassword extends UsersCommand {
  static override summary = 'Sets the password of a user, and ends its sessions. Its tokens stay.'
  static override description = 'Asks for the password twice at the terminal, or reads it from a file.'
  static override args = {
    user: string({ required: true, ignoreStdin: true, description: 'Username or id.' }),
  }
  static override flags = {
    'password-file': text({ description: 'File with the password; - for standard input.', helpValue: '<file>' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UsersSetPassword)
    const settings = this.settings(flags)
    const password = await readNewPassword(flags['password-file'])
    const { manageUsers } = await import('../../runtime/users/manage-users.js')
    const user = await manageUsers(settings, users => users.update(args.user, { password }))
    await this.show(user, flags, async () => (await import('../../cli/views/users.js')).userCard)
  }
}
