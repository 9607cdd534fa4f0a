import { isPayload, type Payload, REDACTED } from '../payload.js'

/** Members with which a reader could act as a bot or as the server. */
const SECRET = new Set(['token', 'api_key'])

/** The body without the token that proves its origin. */
export function withoutToken(body: Payload): Payload {
  return isSecret('token', body.token) ? { ...body, token: REDACTED } : body
}

/** The event without any secrets at any depth. It must not be nested deeper than an event may be. */
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
