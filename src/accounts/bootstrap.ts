import type { Role, User } from '../model/accounts/user.js'
import { AppError, type FieldProblem } from '../model/app-error.js'
import type { UserStore } from '../store/user-store.js'
import type { NewUser } from './accounts.js'
import { isUsername, readNewUser } from './read-user.js'

interface Bootstrap {
  given: { username: string; password: string }
  passwordMinLength: number
  users: Pick<UserStore, 'findByUsername'>
  /** @throws AppError `conflict/username_taken` */
  create: (user: NewUser & { role: Role }) => Promise<User>
}

/** The setting that a member of the user comes from. */
const SETTINGS = new Map([
  ['/username', 'EVENT_BOOTSTRAP_USERNAME'],
  ['/password', 'EVENT_BOOTSTRAP_PASSWORD_FILE'],
])

/**
 * Creates the first administrator once. An existing user of that name stays unchanged, with any role, so settings that
 * remain do not restore an old password.
 *
 * @throws AppError `configuration/settings_invalid` for a name or password that a new user cannot have
 *
 * Source: Event Ledger Service, "Authentication" 9; decisions on security, section 3, "bootstrap user".
 */
export async function createBootstrapUser(bootstrap: Bootstrap): Promise<'created' | 'there'> {
  const { given, passwordMinLength, users, create } = bootstrap
  if (isUsername(given.username) && (await users.findByUsername(given.username))) return 'there'
  try {
    await create({ ...readNewUser(given, passwordMinLength), role: 'admin' })
    return 'created'
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'username_taken') return 'there' // another process was faster
    if (error.category === 'invalid') throw wrongSettings(error)
    throw error
  }
}

function wrongSettings(refusal: AppError): AppError {
  const errors = refusal.errors.map(({ field, detail }): FieldProblem => {
    const setting = SETTINGS.get(field) ?? field
    return { field: setting, detail: detail.replace(field, `The value of ${setting}`) }
  })
  const message = 'The first user cannot be created: a setting is invalid.'
  return new AppError('configuration', 'settings_invalid', message, { errors, cause: refusal })
}
