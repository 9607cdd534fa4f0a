import Type from '#typebox'
import { AccountLogEntrySchema } from '../model/accounts/account-log.js'
import { ApiTokenSchema, ListedUserSchema, ROLES, USER_LIMITS, USERNAME_PATTERN } from '../model/accounts/user.js'

/** Shapes of what concerns accounts, for the API description; what comes in is checked by the accounts themselves. */

const Password = Type.String({ description: `At most ${USER_LIMITS.passwordBytes} bytes of UTF-8.` })
const Count = Type.Integer({ minimum: 0 })

export const LoginSchema = Type.Object({
  username: Type.String(),
  password: Password,
  next: Type.Optional(Type.String({ description: 'Where to go after the login; goes before the parameter.' })),
})

export const NewUserSchema = Type.Object({
  username: Type.String({ pattern: USERNAME_PATTERN }),
  password: Password,
  role: Type.Optional(Type.Enum(ROLES, { description: 'member when absent.' })),
})

export const ChangedUserSchema = Type.Object({
  role: Type.Optional(Type.Enum(ROLES)),
  enabled: Type.Optional(Type.Boolean()),
  password: Type.Optional(Password),
})

const SESSION = {
  admin_required: Type.Boolean({ description: 'A login is needed: users or an admin token exist, or did.' }),
  authenticated: Type.Boolean(),
  user: Type.Union([Type.Object({ id: Type.String(), username: Type.String(), role: Type.Enum(ROLES) }), Type.Null()]),
  is_bootstrap_admin: Type.Boolean({ description: 'An admin by the admin token, without an account.' }),
  csrf_token: Type.Union([Type.String(), Type.Null()], {
    description: 'To be sent as X-CSRF-Token with each request that changes something; null without a session.',
  }),
}

export const SessionSchema = Type.Object({
  ...SESSION,
  may: Type.Optional(Type.Literal('write', { description: 'By a writer token: it records events, and reads none.' })),
  sources: Type.Optional(Type.Array(Type.String(), { description: 'The sources that a writer token records.' })),
})

export const LoggedInSchema = Type.Object({
  ...SESSION,
  next: Type.String({ description: 'Where to go now: a path of this server.' }),
})

export const UserListSchema = Type.Object({ items: Type.Array(ListedUserSchema), count: Count })

export const TokenListSchema = Type.Object({ items: Type.Array(ApiTokenSchema), count: Count })

export const AccountLogSchema = Type.Object({ items: Type.Array(AccountLogEntrySchema), count: Count })
