import { string as text } from '@oclif/core/args'
import { option, string } from '@oclif/core/flags'
import { UsersCommand } from '../../cli/base/users-command.js'
import { readNewPassword } from '../../cli/input/new-password.js'
import { ROLES } from '../../model/accounts/user.js'

export default class UsersCreate extends UsersCommand {
  static override summary = 'Creates a user. The first one closes the ledger: from then on it asks for a login.'
  static override description = [
    'Asks for the password twice at the terminal, or reads it from a file; never from the command line, which others can',
    'see. Creates the ledger if there is none.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> ada --role admin',
    'pass show daybook/ada | <%= config.bin %> <%= command.id %> ada --password-file -',
  ]
  static override args = {
    username: text({
      required: true,
      ignoreStdin: true,
      description: 'Letters, digits and . _ @ -, up to 64 of them.',
    }),
  }
  static override flags = {
    role: option({ options: ROLES, description: 'Role of the user.' })({ default: 'member' }),
    'password-file': string({
      description: 'File with the password; - for standard input.',
      helpValue: '<file>',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(UsersCreate)
    const settings = this.settings(flags)
    const password = await readNewPassword(flags['password-file'])
    const created = { username: args.username, password, role: flags.role }
    const { manageUsers } = await import('../../runtime/users/manage-users.js')
    const user = await manageUsers(settings, users => users.create(created), { mayBeNew: true })
    const load = async () => (await import('../../cli/views/users.js')).createdUserCard(settings.database.path)
    await this.show(user, flags, load)
  }
}
