import Type, { type Static } from '#typebox'

/** `admin` manages all users and all subscriptions; `member` its own subscriptions. */
export const ROLES = ['admin', 'member'] as const
export type Role = (typeof ROLES)[number]

export const USER_LIMITS = {
  usernameCharacters: 64,
  /** Beyond it the oldest token of that user is revoked. */
  tokens: 20,
  /** UTF-8. Longer ones are refused before they are hashed. */
  passwordBytes: 1024,
  bodyBytes: 64 * 1024,
} as const

/** First a letter or digit; two names that differ in case alone are one. */
export const USERNAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$'

const Instant = Type.String({ format: 'date-time' })

/** A user as the API shows it: never the password's hash. Source: decisions on identity, section 5. */
export const UserSchema = Type.Object({
  id: Type.String({ description: 'Random, never used again.' }),
  username: Type.String({ pattern: USERNAME_PATTERN }),
  role: Type.Enum(ROLES),
  enabled: Type.Boolean(),
  created_at: Instant,
  updated_at: Instant,
})
export type User = Static<typeof UserSchema>

/** A user in the list of all, with how many API tokens it has. */
export const ListedUserSchema = Type.Object({
  ...UserSchema.properties,
  token_count: Type.Integer({ minimum: 0, maximum: USER_LIMITS.tokens }),
})
export type ListedUser = Static<typeof ListedUserSchema>

/** An API token as it is listed. The token itself is shown once, when it is issued. */
export const ApiTokenSchema = Type.Object({
  id: Type.String(),
  prefix: Type.String({ description: 'The first eight characters, to tell tokens apart.' }),
  created_at: Instant,
  last_used_at: Type.Union([Instant, Type.Null()], { description: 'To a minute.' }),
})
export type ApiToken = Static<typeof ApiTokenSchema>

export const IssuedTokenSchema = Type.Object({
  id: Type.String(),
  token: Type.String({ pattern: '^tok_[A-Za-z0-9_-]{43}$', description: 'Shown this once.' }),
  prefix: Type.String(),
  created_at: Instant,
})
export type IssuedToken = Static<typeof IssuedTokenSchema>
