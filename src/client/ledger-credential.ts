/** The credential of a request. */
export interface LedgerCredential {
  /** An API token is sent as `Authorization: Bearer`, the admin token as `X-Event-Admin-Token`. */
  kind: 'token' | 'admin'
  secret: string
}

/** The header that shows it. */
export function toHeader(credential: LedgerCredential | undefined): Record<string, string> {
  if (!credential) return {}
  return credential.kind === 'token'
    ? { authorization: `Bearer ${credential.secret}` }
    : { 'x-event-admin-token': credential.secret }
}

/** The kind of credential sent: none, an API token, the admin token. */
type ShownCredential = 'nothing' | LedgerCredential['kind']

/** What is wrong with a credential that a ledger refuses. */
export const REFUSED: Record<ShownCredential, string> = {
  nothing: 'Give an API token with --token or EVENT_API_TOKEN, or log in with "daybook login".',
  token: 'The API token is not valid here: it is mistyped, revoked or expired, or belongs to a disabled user.',
  admin: "The admin token that was sent is not this ledger's.",
}

/** What the user of a command can do about a refusal with this `code`. */
export function hintOf(code: string, shown: ShownCredential): string | undefined {
  if (code === 'unauthenticated') return REFUSED[shown]
  return code === 'forbidden' ? 'Use a token that has this right, with --token or EVENT_API_TOKEN.' : undefined
}
