/** Answers of the ledger's REST API that its pages read: their forms for the API description, and their types. */
import Type, { type Static } from '#typebox'
import { ROLES } from './accounts/user.js'
import type { StoredEvent } from './events/event.js'
import { FACET_VALUES, FACETS, type Facet } from './events/event-facets.js'
import { STORY_LIMITS } from './events/story.js'
import { FOLLOW_STATES } from './follow.js'
import { LIVE_STATES } from './subscriptions/live-capture.js'
import type { Subscription } from './subscriptions/subscription.js'

export const CapturedAt = Type.String({ format: 'date-time', description: 'UTC, six fraction digits.' })
export const CapturedAtOrNull = Type.Union([CapturedAt, Type.Null()])
export const Count = Type.Integer({ minimum: 0 })

type SchemaName =
  | 'EventInput'
  | 'Event'
  | 'EventWithoutPayload'
  | 'Subscription'
  | 'SubscriptionChange'
  | 'User'
  | 'Consumer'
  | 'Source'
  | 'SourceDefinition'
  | 'Problem'

/** A form that the API description has under a name. */
export function named<T = unknown>(name: SchemaName) {
  return Type.Unsafe<T>({ $ref: `#/components/schemas/${name}` })
}

const Epoch = Type.String({ description: 'Changes when the ledger is restored or replaced.' })
const Complete = Type.Boolean({ description: 'Whether all of the range is counted.' })
const Action = Type.Object({ kind: Type.String(), object_type: Type.String(), verb: Type.String() })

export const EventPageSchema = Type.Object({
  items: Type.Array(named<StoredEvent>('Event')),
  count: Count,
  latest_captured_at: CapturedAtOrNull,
  next_since: CapturedAtOrNull,
  has_more: Type.Boolean(),
  head: CapturedAtOrNull,
  earliest: Type.Union([CapturedAt, Type.Null()], {
    description: 'The first event that retention has not removed; null if there is none.',
  }),
  epoch: Epoch,
})
export type EventPage = Static<typeof EventPageSchema>

const Counts = Type.Array(Type.Union([Count, Type.Null()]), {
  description: 'One a bucket; null where a bucket is not counted completely.',
})
const CountsByName = Type.Record(Type.String(), Type.Object({ count: Count, counts: Counts }))

export const HistogramSchema = Type.Object({
  from: CapturedAtOrNull,
  to: CapturedAtOrNull,
  starts: Type.Array(CapturedAt, {
    description: 'Start of each bucket, which ends where the next one begins; the last ends at `to`.',
  }),
  counts: Counts,
  count: Type.Integer({ minimum: 0, description: 'Since `counted_from`.' }),
  by_source: CountsByName,
  by_outcome: Type.Optional(CountsByName),
  complete: Complete,
  counted_from: CapturedAtOrNull,
  head: CapturedAtOrNull,
  epoch: Epoch,
})
export type EventHistogram = Static<typeof HistogramSchema>

const FacetCounts = Type.Array(Type.Object({ value: Type.String(), count: Count }), {
  description: `Most frequent first, at most ${FACET_VALUES}.`,
})

export const FacetsSchema = Type.Object({
  from: CapturedAtOrNull,
  to: CapturedAtOrNull,
  count: Type.Integer({ minimum: 0, description: 'Matching events since `counted_from`.' }),
  facets: Type.Object(Object.fromEntries(FACETS.map(facet => [facet, FacetCounts])), {
    description: 'By filter, its values among these events. `actor` has display names, or ids where there is none.',
  }),
  complete: Complete,
  counted_from: CapturedAtOrNull,
  head: CapturedAtOrNull,
  epoch: Epoch,
})
export interface EventFacets extends Omit<Static<typeof FacetsSchema>, 'facets'> {
  facets: Record<Facet, Static<typeof FacetCounts>>
}

const StoryPartSchema = Type.Object({
  event: named<StoredEvent>('EventWithoutPayload'),
  facts: Type.Array(Type.String(), {
    description:
      'What it shares with an event of the story, such as `commit 1d2c…`, `number acme/app#34` or `address github.com/acme/app/pull/34`. Empty for the event that was asked about.',
  }),
})

export const StorySchema = Type.Object({
  items: Type.Array(StoryPartSchema, {
    description: `In the order of the ledger, at most ${STORY_LIMITS.events}, of ${STORY_LIMITS.days} days before and after the event.`,
  }),
  count: Type.Integer({ minimum: 1 }),
  complete: Type.Boolean({ description: 'False if a limit was met, so that there may be more.' }),
})
export type EventStory = Static<typeof StorySchema>
export type StoryPart = Static<typeof StoryPartSchema>

export const StatsSchema = Type.Object({
  event_count: Count,
  duplicate_count: Count,
  subscription_count: Count,
  by_source: Type.Record(
    Type.String(),
    Type.Object({ events: Count, duplicates: Count, latest_captured_at: CapturedAtOrNull }),
  ),
  by_kind: Type.Record(Type.String(), Count),
  first_captured_at: CapturedAtOrNull,
  latest_captured_at: CapturedAtOrNull,
  last_backup_at: Type.Union([CapturedAt, Type.Null()], {
    description: 'When this server made its newest backup; null if it makes none, or not yet.',
  }),
  last_restored_at: Type.Union([CapturedAt, Type.Null()], {
    description: 'When the ledger was last restored from a backup; null if never.',
  }),
  refused_deliveries: Type.Object(
    {
      since: CapturedAt,
      items: Type.Array(Type.Object({ source: Type.String(), code: Type.String(), count: Count, last_at: CapturedAt })),
    },
    {
      description:
        'Deliveries to webhooks of this server that were answered with an error, by the code of the answer. Counted since the server started.',
    },
  ),
})
export type Stats = Static<typeof StatsSchema>

export const HealthSchema = Type.Object({
  status: Type.Enum(['ok', 'unavailable']),
  database: Type.String({ description: 'The file, or the address without its password.' }),
  version: Type.String(),
  engine: Type.Enum(['sqlite', 'postgres']),
  head: CapturedAtOrNull,
  head_digest: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description:
        'The digest of the newest event, which vouches for all events up to it; null in an empty ledger, and until the events of an older release have digests.',
    }),
  ),
  epoch: Type.Optional(Type.String()),
  schema_version: Type.Optional(Type.Integer({ minimum: 1, description: "Of the database's tables." })),
  unindexed_events: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Stored, but not yet in the search index. Searches find them, more slowly.',
    }),
  ),
  follows: Type.Optional(
    Type.Object(
      {
        leader: Type.String(),
        state: Type.Enum([...FOLLOW_STATES]),
        lag_events: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
        lag_seconds: Type.Integer({ minimum: 0 }),
        last_contact_at: Type.Union([Type.String(), Type.Null()]),
        problem: Type.Optional(Type.String()),
      },
      { description: 'The ledger that it follows; it can only be read then.' },
    ),
  ),
  continues: Type.Optional(
    Type.Object(
      {
        at: Type.String(),
        epoch: Type.String(),
        through: CapturedAtOrNull,
        digest: Type.Union([Type.String(), Type.Null()]),
      },
      {
        description:
          'It followed another ledger and was promoted: it has the events of the ledger with that epoch up to the instant `through`.',
      },
    ),
  ),
  replica: Type.Optional(
    Type.Object(
      {
        lag_events: Type.Integer({ minimum: 0, description: 'Events that it does not have yet.' }),
        lag_seconds: Type.Number({ minimum: 0, description: 'How long ago the first of them was captured.' }),
      },
      { description: 'Of the read replica, if there is one that can be read.' },
    ),
  ),
  chat_live: Type.Optional(
    Type.Object(
      {
        state: Type.Enum([...LIVE_STATES]),
        since: Type.String(),
        code: Type.Optional(Type.String({ description: 'Why it is lost.' })),
      },
      { description: 'How the event queue of the chat server is read, if it is.' },
    ),
  ),
  demo: Type.Optional(
    Type.Literal(true, { description: 'The events are samples, and the ledger is discarded at the end.' }),
  ),
  warnings: Type.Optional(
    Type.Array(
      Type.Object({
        code: Type.Enum([
          'chat_live_lost',
          'clock_behind',
          'consumers_stalled',
          'disk_low',
          'files_missing',
          'follow_behind',
          'follow_stopped',
          'replica_unreadable',
        ]),
        detail: Type.String(),
      }),
      { description: 'Problems that do not stop it.' },
    ),
  ),
  code: Type.Optional(Type.String()),
  detail: Type.Optional(Type.String()),
})
export type Health = Static<typeof HealthSchema>

/** Members of an answer about the caller's session. */
export const SESSION = {
  admin_required: Type.Boolean({ description: 'A login is needed: users or an admin token exist, or did.' }),
  authenticated: Type.Boolean(),
  user: Type.Union([Type.Object({ id: Type.String(), username: Type.String(), role: Type.Enum(ROLES) }), Type.Null()]),
  is_bootstrap_admin: Type.Boolean({ description: 'An admin by the admin token, without an account.' }),
  csrf_token: Type.Union([Type.String(), Type.Null()], {
    description: 'Send it as X-CSRF-Token with each request that changes something; null without a session.',
  }),
}
const SessionSchema = Type.Object(SESSION)
export type Session = Static<typeof SessionSchema>

const PlatformSchema = Type.Object({
  source: Type.String(),
  display_name: Type.String(),
  webhook_path: Type.String(),
  verification: Type.String(),
  secret_configured: Type.Boolean(),
  site: Type.Optional(Type.String({ description: "Address of the platform's server, if it is configured." })),
  kinds: Type.Array(Type.String()),
  actions: Type.Array(Action),
  scope_types: Type.Array(Type.String()),
  target_grammar: Type.Array(Type.Object({ form: Type.String(), example: Type.String() })),
  capture_modes: Type.Array(Type.String()),
})
export const PlatformsSchema = Type.Object({ items: Type.Array(PlatformSchema), count: Count })
export type Platform = Static<typeof PlatformSchema>

export interface List<T> {
  items: T[]
  count: number
}

export interface SubscriptionList extends List<Subscription> {
  /** Send it as `after` for the next page; null at the end. */
  next: string | null
}
