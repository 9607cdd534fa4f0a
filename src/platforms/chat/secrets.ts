import { isPayload, type Payload, REDACTED } from '../payload.js'

/** What the server tells of its bots: whoever reads these can act as the bot, or in the name of the server. */
const SECRET = new Set(['token', 'api_key'])

/** The same body without the token that it shows to prove where it comes from. */
export function withoutToken(body: Payload): Payload {
  return isSecret('token', body.token) ? { ...body, token: REDACTED } : body
}

/** The same event without the secrets that stand anywhere in it. It must not be nested deeper than an event may be. */
export function withoutSecrets(event: Payload): Payload {
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) => [name, isSecret(name, value) ? REDACTED : cleaned(value)]),
  )
}

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned)
  return isPayload(value) ? withoutSecrets(value) : value
}

function isSecret(name: string, value: unknown): boolean {
  return SECRET.has(name) && typeof value === 'string' && value !== ''
}
