import { integer } from '@oclif/core/flags'
import { UsersCommand } from '../../cli/base/users-command.js'
import { ACCOUNT_LOG_LIMITS } from '../../model/accounts/account-log.js'

export default class UsersLog extends UsersCommand {
  static override summary = 'Shows changes to users and tokens, and logins; newest first.'
  static override description = [
    'Each entry has the time, the actor and address, the user affected, and the change; never a password or token.',
    `The newest ${ACCOUNT_LOG_LIMITS.kept.toLocaleString('en')} changes and as many logins are kept.`,
  ].join(' ')
  static override flags = {
    limit: integer({
      char: 'n',
      description: 'Maximum number of entries.',
      helpValue: '<n>',
      min: 1,
      max: ACCOUNT_LOG_LIMITS.page,
      default: ACCOUNT_LOG_LIMITS.defaultPage,
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(UsersLog)
    const settings = this.settings(flags)
    const { manageUsers } = await import('../../runtime/users/manage-users.js')
    const items = await manageUsers(settings, users => users.listLog(flags.limit))
    const load = async () => (await import('../../cli/views/users.js')).accountLogTable
    await this.show({ items, count: items.length }, flags, load, { name: 'at' })
  }
}
