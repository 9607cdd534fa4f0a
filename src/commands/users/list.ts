import { UsersCommand } from '../../cli/base/users-command.js'

export default class UsersList extends UsersCommand {
  static override summary = 'Lists the users.'

  async run(): Promise<void> {
    const { flags } = await this.parse(UsersList)
    const settings = this.settings(flags)
    const { manageUsers } = await import('../../runtime/users/manage-users.js')
    const items = await manageUsers(settings, users => users.list())
    const load = async () => (await import('../../cli/views/users.js')).userTable
    await this.show({ items, count: items.length }, flags, load)
  }
}
