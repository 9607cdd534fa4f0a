import Type, { type Static } from '#typebox'
import { AppError } from '../app-error.js'
import { EVENT_LIMITS, SOURCE_PATTERN } from '../events/event-limits.js'

/** `admin` manages all users and all subscriptions; `member` its own subscriptions. */
export const ROLES = ['admin', 'member'] as const
export type Role = (typeof ROLES)[number]

export const USER_LIMITS = {
  usernameCharacters: 64,
  /** If a user has more, the oldest token is revoked. */
  tokens: 20,
  /** Per writer token. */
  tokenSources: 50,
  tokenNameCharacters: 64,
  /** Bytes of UTF-8. Longer passwords are refused before hashing. */
  passwordBytes: 1024,
  bodyBytes: 64 * 1024,
} as const

/** Starts with a letter or digit. Names that differ only in case are equal. */
export const USERNAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$'

/** Form of a stored password. Source: Event Ledger Service, "User". */
export const PASSWORD_HASH_PATTERN =
  '^pbkdf2_sha256\\$([1-9]\\d{0,7})\\$((?:[0-9a-fA-F]{2}){4,64})\\$([0-9a-fA-F]{64})$'

const Instant = Type.String({ format: 'date-time' })

/** A user as the API returns it, never with the password's hash. Source: decisions on identity, section 5. */
export const UserSchema = Type.Object({
  id: Type.String({ description: 'Random, never used again.' }),
  username: Type.String({ pattern: USERNAME_PATTERN }),
  role: Type.Enum(ROLES),
  enabled: Type.Boolean(),
  created_at: Instant,
  updated_at: Instant,
})
export type User = Static<typeof UserSchema>

/** A user in the list, with the number of its API tokens. */
export const ListedUserSchema = Type.Object({
  ...UserSchema.properties,
  token_count: Type.Integer({ minimum: 0, maximum: USER_LIMITS.tokens }),
})
export type ListedUser = Static<typeof ListedUserSchema>

/** `all`: everything its user may do. `read`: what its user may read. `write`: only record events of its sources. */
export const TOKEN_MAY = ['all', 'read', 'write'] as const

/** Properties of an API token that its user chooses. Source: decisions on routes, section 4, "writer token". */
const TOKEN_TERMS = {
  may: Type.Enum(TOKEN_MAY, {
    description: 'all: the rights of its user; read: read what its user may; write: only record events of `sources`.',
  }),
  sources: Type.Array(Type.String({ pattern: SOURCE_PATTERN, maxLength: EVENT_LIMITS.sourceCharacters }), {
    maxItems: USER_LIMITS.tokenSources,
    uniqueItems: true,
    description: 'Sources of a writer token; empty otherwise.',
  }),
  name: Type.Union([Type.String({ minLength: 1, maxLength: USER_LIMITS.tokenNameCharacters }), Type.Null()], {
    description: 'What it is for, to tell tokens apart.',
  }),
  expires_at: Type.Union([Instant, Type.Null()], { description: 'When the token expires; null: never.' }),
}

/** Input for a new token. Without a body, or with `{}`, the token has all rights of its user and does not expire. */
export const NewTokenSchema = Type.Partial(Type.Object(TOKEN_TERMS))
export type NewToken = Static<typeof NewTokenSchema>

/** An API token as listed. The token itself is shown once, when issued. */
export const ApiTokenSchema = Type.Object({
  id: Type.String(),
  prefix: Type.String({ description: 'The first eight characters, to tell tokens apart.' }),
  ...TOKEN_TERMS,
  created_at: Instant,
  last_used_at: Type.Union([Instant, Type.Null()], { description: 'Updated at most once a minute.' }),
})
export type ApiToken = Static<typeof ApiTokenSchema>

/** A browser session as listed. */
export const BrowserSessionSchema = Type.Object({
  id: Type.String({ description: 'Names the session; not a credential.' }),
  created_at: Instant,
  last_used_at: Instant,
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'Where the login came from, as in the account log.',
  }),
  is_current: Type.Boolean({ description: 'The session of this request.' }),
})
export type BrowserSession = Static<typeof BrowserSessionSchema>

export const IssuedTokenSchema = Type.Object({
  id: Type.String(),
  token: Type.String({ pattern: '^tok_[A-Za-z0-9_-]{43}$', description: 'Shown only once.' }),
  prefix: Type.String(),
  ...TOKEN_TERMS,
  created_at: Instant,
})
export type IssuedToken = Static<typeof IssuedTokenSchema>

export function unknownUser(): AppError {
  return new AppError('not_found', 'not_found', 'There is no such user.', {
    hint: 'List them with `daybook users list`.',
  })
}
