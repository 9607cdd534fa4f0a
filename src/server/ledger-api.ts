import type { CookiePlace } from '../login/cookies.js'
import { UserSchema } from '../model/accounts/user.js'
import { SubscriptionSchema } from '../model/subscriptions/subscription.js'
import { EventInputSchema, EventWithoutPayloadSchema, StoredEventSchema } from './event-schemas.js'
import type { ApiNames } from './openapi.js'
import type { Access } from './route.js'

const CREDENTIALS = [{ token: [] }, { adminToken: [] }, { session: [] }]

/** What the description of the ledger's API says besides its routes. */
export function ledgerApi(parts: {
  version: string
  rootPath: string
  cookie: Pick<CookiePlace, 'name'>
}): ApiNames<Access> {
  return {
    title: 'Daybook event ledger',
    description: 'An append-only ledger of normalised events: deduplicated for ever, searchable, read by checkpoint.',
    version: parts.version,
    rootPath: parts.rootPath,
    schemas: {
      ...{ EventInput: EventInputSchema, Event: StoredEventSchema, EventWithoutPayload: EventWithoutPayloadSchema },
      ...{ Subscription: SubscriptionSchema, User: UserSchema },
    },
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer', description: 'An API token, tok_….' },
      adminToken: { type: 'apiKey', in: 'header', name: 'X-Event-Admin-Token' },
      session: {
        ...{ type: 'apiKey', in: 'cookie', name: parts.cookie.name },
        description: 'Of a login. Whatever changes something also needs its csrf_token, as X-CSRF-Token.',
      },
    },
    security: {
      public: [],
      anybody: [{}, ...CREDENTIALS],
      record: [{}, ...CREDENTIALS],
      webhook: [],
      read: CREDENTIALS,
      write: CREDENTIALS,
      login: [],
      logout: CREDENTIALS,
      account: CREDENTIALS,
      admin: CREDENTIALS,
      local: [],
    },
  }
}
