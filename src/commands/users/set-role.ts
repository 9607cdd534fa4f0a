import { option, string } from '@oclif/core/args'
import { UsersCommand } from '../../cli/base/users-command.js'
import { ROLES } from '../../model/accounts/user.js'

export default class UsersSetRole extends UsersCommand {
  static override summary = 'Sets the role of a user. It applies from the next request on.'
  static override args = {
    user: string({ required: true, ignoreStdin: true, description: 'Username or id.' }),
    role: option({ options: ROLES, description: 'admin: all users and subscriptions; member: its own.' })({
      required: true,
      ignoreStdin: true,
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UsersSetRole)
    const settings = this.settings(flags)
    const { manageUsers } = await import('../../runtime/users/manage-users.js')
    const user = await manageUsers(settings, users => users.update(args.user, { role: args.role }))
    await this.show(user, flags, async () => (await import('../../cli/views/users.js')).userCard)
  }
}
