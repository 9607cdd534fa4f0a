import Type, { type Static } from '#typebox'

/** Actions on accounts. Each word is also the message of a line in the server's log. */
const ACCOUNT_ACTIONS = [
  'ledger.user_created',
  'ledger.user_changed',
  'ledger.user_deleted',
  'ledger.token_issued',
  'ledger.token_revoked',
  'ledger.tokens_revoked',
  'ledger.sessions_ended',
  'ledger.login_succeeded',
  'ledger.login_failed',
] as const
export type AccountAction = (typeof ACCOUNT_ACTIONS)[number]

/** How the actor was identified. */
const ACTOR_IDENTITIES = [
  /** A login in a browser. */
  'session',
  'token',
  'admin_token',
  /** A command on the ledger's machine. */
  'command',
  /** The bootstrap settings, at startup. */
  'settings',
  /** The migration of an older ledger's users. */
  'older_ledger',
  'anonymous',
] as const
export type ActorIdentity = (typeof ACTOR_IDENTITIES)[number]

export const ACCOUNT_LOG_LIMITS = {
  /** Limit per kind of entry. Anyone can cause login entries; these never displace entries about changes. */
  kept: 10_000,
  page: 1_000,
  defaultPage: 100,
} as const

const Nullable = (schema: ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()])
const Named = Type.Object({ id: Type.String(), username: Type.String() })

/** The old and the new value; null for none. */
const Change = Type.Object({ from: Type.Unknown(), to: Type.Unknown() })

/** One action on an account. Never contains a password, hash or token. */
export const AccountLogEntrySchema = Type.Object({
  at: Type.String({ format: 'date-time' }),
  action: Type.Enum(ACCOUNT_ACTIONS),
  by: Type.Object(
    {
      identity: Type.Enum(ACTOR_IDENTITIES),
      user: Type.Union([Named, Type.Null()]),
    },
    { description: 'The actor; a user if the identity belongs to one.' },
  ),
  user: Type.Union([Named, Type.Null()], {
    description: 'The user affected. Null if a login failed with an unknown name: people type passwords there.',
  }),
  changes: Type.Object(
    {
      username: Type.Optional(Change),
      role: Type.Optional(Change),
      enabled: Type.Optional(Change),
      password: Type.Optional(Type.Literal('changed')),
      token: Type.Optional(
        Type.Object(
          {
            id: Type.String(),
            prefix: Nullable(Type.String()),
            may: Type.Optional(Type.String()),
            sources: Type.Optional(Type.Array(Type.String())),
            name: Type.Optional(Nullable(Type.String())),
            expires_at: Type.Optional(Nullable(Type.String())),
          },
          { description: 'The token that the entry is about.' },
        ),
      ),
    },
    { description: 'What changed. A password is never shown, only that it changed.' },
  ),
  address: Type.Union([Type.String(), Type.Null()], { description: 'Where the request came from.' }),
  request_id: Type.Union([Type.String(), Type.Null()]),
})
export type AccountLogEntry = Static<typeof AccountLogEntrySchema>

export function isLoginAction(action: AccountAction): boolean {
  return action === 'ledger.login_succeeded' || action === 'ledger.login_failed'
}
