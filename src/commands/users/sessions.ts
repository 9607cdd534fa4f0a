import { string } from '@oclif/core/args'
import { boolean, string as text } from '@oclif/core/flags'
import { UsersCommand } from '../../cli/base/users-command.js'
import { BY_ID } from '../../cli/formats/output-options.js'
import { toTerminalLine } from '../../cli/terminal/text.js'

export default class UsersSessions extends UsersCommand {
  static override summary = 'Lists the browser sessions of a user, or ends them.'
  static override description = [
    'Sessions of a ledger in PostgreSQL are in the database. Others are in the memory of the server: without a running',
    'server there are none. Tokens stay valid.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> ada',
    '<%= config.bin %> <%= command.id %> ada --end <id>',
    '<%= config.bin %> <%= command.id %> ada --end-all',
  ]
  static override args = {
    user: string({ required: true, ignoreStdin: true, description: 'Username or id.' }),
  }
  static override flags = {
    end: text({ description: 'End one, by its id.', helpValue: '<id>', exclusive: ['end-all'] }),
    'end-all': boolean({ description: 'End all of them.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UsersSessions)
    const settings = this.settings(flags)
    const { manageUsers } = await import('../../runtime/users/manage-users.js')
    const { end } = flags
    if (end !== undefined) {
      await manageUsers(settings, users => users.endSession(args.user, end))
      return this.confirm(`Ended session ${toTerminalLine(end)}.`, flags)
    }
    if (flags['end-all']) {
      await manageUsers(settings, users => users.endSessions(args.user))
      return this.confirm(`Ended all sessions of ${toTerminalLine(args.user)}.`, flags)
    }
    const items = await manageUsers(settings, users => users.listSessions(args.user))
    const load = async () => (await import('../../cli/views/users.js')).browserSessionTable
    await this.show({ items, count: items.length }, flags, load, BY_ID)
  }
}
