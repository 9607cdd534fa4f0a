import Type, { type Static } from '#typebox'
import type { Card } from './card.js'
import { RUN_MODES, RUN_STATES } from './run.js'
import { tickedTasks } from './tasks.js'

export const HISTORY_LIMITS = {
  /** Entries of one card; the oldest are dropped. */
  entries: 500,
  /** Deleted cards whose history is kept. */
  deletedCards: 1_000,
  pageSize: { default: 20, max: 500 },
} as const

/** `open`: the board has no login. `owner`: over the socket of the board's files. */
const ACTOR_KINDS = ['user', 'password', 'key', 'owner', 'open', 'executor'] as const

const CardActorSchema = Type.Object({
  kind: Type.Enum(ACTOR_KINDS, {
    description:
      '`user`: a user of the ledger. `password`: the shared login. `key`: the API key. `owner`: the socket of the board. `open`: no login. `executor`: the executor.',
  }),
  name: Type.Union([Type.String(), Type.Null()], {
    description: 'The username of the login, if it has one.',
  }),
})
/** Who changed a card, as far as the board knows. */
export type CardActor = Static<typeof CardActorSchema>

export const EXECUTOR: CardActor = { kind: 'executor', name: null }

const CARD_ACTIONS = [
  ...['created', 'moved', 'edited', 'ticked', 'deleted'],
  ...['run_started', 'run_cancelled', 'run_ended'],
] as const

const Count = Type.Integer({ minimum: 0 })
const details = {
  from: Type.Optional(Type.String({ description: 'moved: the previous column.' })),
  to: Type.Optional(Type.String({ description: 'created, moved: the column.' })),
  fields: Type.Optional(Type.Array(Type.String(), { description: 'edited: names of the members.' })),
  ticked: Type.Optional(Type.Integer({ minimum: 0, description: 'ticked: how many tasks were ticked.' })),
  unticked: Type.Optional(Count),
  run: Type.Optional(Type.String({ description: 'run_…: id of the run.' })),
  mode: Type.Optional(Type.Enum(RUN_MODES)),
  again: Type.Optional(Type.Boolean({ description: 'run_started: the card already had a run of this mode.' })),
  state: Type.Optional(Type.Enum(RUN_STATES, { description: 'run_ended: how.' })),
}

/** An action on a card, without the card's content. */
const CardActionSchema = Type.Object({ action: Type.Enum(CARD_ACTIONS), ...details })
export type CardAction = Static<typeof CardActionSchema>

const CardHistoryEntrySchema = Type.Object({
  at: Type.String({ format: 'date-time' }),
  by: CardActorSchema,
  action: Type.Enum(CARD_ACTIONS),
  ...details,
})
export type CardHistoryEntry = Static<typeof CardHistoryEntrySchema>

export const CardHistorySchema = Type.Object({
  items: Type.Array(CardHistoryEntrySchema, { description: 'Newest first.' }),
  count: Type.Integer(),
  next: Type.Union([Type.Integer(), Type.Null()], { description: '`after` of the next page; null at the end.' }),
})
export type CardHistory = Static<typeof CardHistorySchema>

const FIELDS = ['title', 'body', 'labels', 'assignee', 'links'] as const

/** The differences between two versions of a card, as actions. A move within a column is not an action. */
export function actionsBetween(before: Card, after: Card): CardAction[] {
  const actions: CardAction[] = []
  if (before.column !== after.column) actions.push({ action: 'moved', from: before.column, to: after.column })
  const tasks = tickedTasks(before.body, after.body)
  if (tasks) actions.push({ action: 'ticked', ...tasks })
  const fields = FIELDS.filter(
    name => JSON.stringify(before[name]) !== JSON.stringify(after[name]) && !(name === 'body' && tasks),
  )
  if (fields.length > 0) actions.push({ action: 'edited', fields })
  return actions
}
