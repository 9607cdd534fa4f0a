import { string } from '@oclif/core/args'
import { UsersCommand } from '../../cli/base/users-command.js'

export default class UsersDisable extends UsersCommand {
  static override summary = 'Disables a user: no login, session or token works until it is enabled again.'
  static override args = {
    user: string({ required: true, ignoreStdin: true, description: 'Username or id.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UsersDisable)
    const settings = this.settings(flags)
    const { manageUsers } = await import('../../runtime/users/manage-users.js')
    const user = await manageUsers(settings, users => users.update(args.user, { enabled: false }))
    await this.show(user, flags, async () => (await import('../../cli/views/users.js')).userCard)
  }
}
