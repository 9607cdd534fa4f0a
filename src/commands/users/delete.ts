import { string } from '@oclif/core/args'
import { UsersCommand } from '../../cli/base/users-command.js'
import { toTerminalLine } from '../../cli/terminal/text.js'

export default class UsersDelete extends UsersCommand {
  static override summary = 'Deletes a user, its sessions and tokens. Its subscriptions stay.'
  static override args = {
    user: string({ required: true, ignoreStdin: true, description: 'Username or id.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UsersDelete)
    const settings = this.settings(flags)
    const { manageUsers } = await import('../../runtime/users/manage-users.js')
    const { username } = await manageUsers(settings, users => users.delete(args.user))
    await this.confirm(`Deleted user ${toTerminalLine(username)}.`, flags)
  }
}
