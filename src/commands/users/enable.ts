import { string } from '@oclif/core/args'
import { UsersCommand } from '../../cli/base/users-command.js'

export default class UsersEnable extends UsersCommand {
  static override summary = 'Enables a disabled user: its login and tokens work again.'
  static override args = {
    user: string({ required: true, ignoreStdin: true, description: 'Username or id.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UsersEnable)
    const settings = this.settings(flags)
    const { manageUsers } = await import('../../runtime/users/manage-users.js')
    const user = await manageUsers(settings, users => users.update(args.user, { enabled: true }))
    await this.show(user, flags, async () => (await import('../../cli/views/users.js')).userCard)
  }
}
