import { string } from '@oclif/core/flags'
import { DaybookCommand } from '../cli/base/daybook-command.js'
import { saveProfiles } from '../cli/input/save-profiles.js'
import { revokeIssuedToken } from '../cli/revoke-issued-token.js'
import { AppError } from '../model/app-error.js'
import { type Profiles, readLoginSettings } from '../settings/profiles.js'

export default class Logout extends DaybookCommand {
  static override summary = 'Removes a profile, and revokes the token that its login has issued.'
  static override description =
    'A token that was given to the login stays valid: revoke it with `daybook tokens revoke`, or on the page.'
  static override flags = {
    profile: string({
      description: 'Name of the profile; else DAYBOOK_PROFILE, else the default one.',
      helpValue: '<name>',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Logout)
    const { file, name, profile } = readLoginSettings({ profile: flags.profile }, this.sources)
    if (!profile) throw new AppError('not_found', 'unknown_profile', `There is no profile "${name}".`)
    const isRevoked = await revokeIssuedToken(profile)
    const { [name]: _, ...profiles } = file.profiles
    saveProfiles({ path: file.path, ...withDefault(file, profiles, name) })
    if (flags.json || !this.output.isTerminal) return this.printJson({ profile: name, token_revoked: isRevoked })
    await this.output.print(`Removed profile ${name}${isRevoked ? ', and revoked its token' : ''}.`)
  }
}

/** If the default profile is removed, there is no default: the next login sets one. */
function withDefault(before: Profiles, profiles: Profiles['profiles'], removed: string): Profiles {
  return before.default === undefined || before.default === removed
    ? { profiles }
    : { default: before.default, profiles }
}
