import Type, { type TSchema } from '#typebox'
import type { CookiePlace } from '../../login/cookies.js'
import { UserSchema } from '../../model/accounts/user.js'
import { SourceDefinitionSchema } from '../../model/sources/source-definition.js'
import { SubscriptionChangeSchema, SubscriptionSchema } from '../../model/subscriptions/subscription.js'
import { json } from '../answer/reply.js'
import { ConsumerSchema } from '../consumers/consumer-routes.js'
import { EventInputSchema, EventWithoutPayloadSchema, StoredEventSchema } from '../events/event-schemas.js'
import { ShownSourceSchema } from '../events/source-routes.js'
import type { ApiOutline } from '../http/openapi.js'
import { type Access, documented, type Endpoint, type RouteDoc } from '../http/route.js'

/** `GET /api/schema/…`: the same schema that validates requests. */
export function schema(validated: TSchema): Endpoint {
  const reply = json(200, { $schema: 'https://json-schema.org/draft/2020-12/schema', ...validated })
  return documented(SCHEMA_DOC, () => reply)
}

const SCHEMA_DOC: RouteDoc = {
  summary: 'The JSON Schema that validates what is sent',
  description: 'The same schema that the server validates requests with.',
  answers: { 200: { description: 'The schema', schema: Type.Unknown() } },
}

const CREDENTIALS = [{ token: [] }, { adminToken: [] }, { session: [] }]

/** The description of the ledger's API, without its routes. */
export function ledgerApi(parts: {
  version: string
  rootPath: string
  cookie: Pick<CookiePlace, 'name'>
}): ApiOutline<Access> {
  return {
    title: 'Daybook event ledger',
    description:
      'An append-only ledger of normalised events: deduplicated permanently, searchable, read by checkpoint.',
    version: parts.version,
    rootPath: parts.rootPath,
    schemas: {
      EventInput: EventInputSchema,
      Event: StoredEventSchema,
      EventWithoutPayload: EventWithoutPayloadSchema,
      Subscription: SubscriptionSchema,
      SubscriptionChange: SubscriptionChangeSchema,
      User: UserSchema,
      Consumer: ConsumerSchema,
      Source: ShownSourceSchema,
      SourceDefinition: SourceDefinitionSchema,
    },
    tags: [
      {
        name: 'Events',
        description: 'Recording, reading, counting and following events.',
        paths: ['/api/events', '/api/stream', '/api/export', '/api/histogram', '/api/facets', '/api/cards'],
      },
      { name: 'Subscriptions', description: 'What is watched, and for whom.', paths: ['/api/subscriptions'] },
      { name: 'Consumers', description: 'Checkpoints that the ledger keeps.', paths: ['/api/consumers'] },
      {
        name: 'Webhooks',
        description: 'Deliveries of platforms.',
        paths: [
          '/webhooks',
          '/api/platforms',
          '/api/sources',
          '/api/presets',
          '/api/deliveries',
          '/api/reconciliations',
        ],
      },
      {
        name: 'Accounts',
        description: 'Logins, users, tokens and sessions.',
        paths: ['/api/login', '/api/logout', '/api/session', '/api/users', '/api/me'],
      },
      {
        name: 'Server',
        description: 'State, metrics and descriptions of the server.',
        paths: ['/api/', '/metrics', '/livez', '/readyz', '/docs'],
      },
      { name: 'Pages', description: 'Pages for people, and their files.', paths: ['/'] },
    ],
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer', description: 'An API token, tok_….' },
      adminToken: { type: 'apiKey', in: 'header', name: 'X-Event-Admin-Token' },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: parts.cookie.name,
        description: 'Of a login. Requests that change something also need its csrf_token, as X-CSRF-Token.',
      },
    },
    security: {
      public: [],
      optional_login: [{}, ...CREDENTIALS],
      record: [{}, ...CREDENTIALS],
      webhook: [],
      read: CREDENTIALS,
      write: CREDENTIALS,
      login: [],
      logout: CREDENTIALS,
      account: CREDENTIALS,
      admin: CREDENTIALS,
      copy: CREDENTIALS.slice(0, 2),
      local: [],
    },
  }
}
