import { AppError } from '../model/app-error.js'
import { CARD_LIMITS, type Card, type CardList } from '../model/board/card.js'
import { type CardActor, type CardHistory, HISTORY_LIMITS } from '../model/board/card-history.js'
import { SerialQueue } from '../model/serial-queue.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { CardHistoryStore } from '../store/card-history-store.js'
import type { CardFilter, CardStore } from '../store/card-store.js'
import { readIfMatch } from './if-match.js'
import { readCard, readCardChanges } from './read-card.js'

interface CardsParts {
  store: CardStore
  history: CardHistoryStore
  /** From left to right; new cards go to the first column. A card in a column that is no longer listed stays there. */
  columns: readonly string[]
  now: () => Micros
  /** A fresh, random id. */
  newCardId: () => string
}

export interface CardQuery extends CardFilter {
  limit?: number | undefined
  /** `next` of the page before. */
  after?: number | undefined
}

/** A version that no card has. */
const NO_VERSION = 0
const SHOWN_CHARACTERS = 80

/**
 * The cards of a board. Knows neither HTTP nor SQL.
 *
 * Every method may throw AppError `unavailable/store_…`.
 *
 * Source: decisions on the board, section 8.
 */
export class Cards {
  /**
   * One change at a time, from reading a card to storing it. The store compares versions again: processes may share it.
   */
  readonly #queue = new SerialQueue()

  constructor(private readonly parts: CardsParts) {}

  async list({ limit = CARD_LIMITS.pageSize.default, after = 0, ...filter }: CardQuery): Promise<CardList> {
    const { items, next } = await this.parts.store.list(filter, { limit, after })
    return { items, count: items.length, next, columns: [...this.parts.columns] }
  }

  /** Also of columns without cards, and of cards in columns that are no longer listed. */
  async countByColumn(): Promise<Map<string, number>> {
    const none = this.parts.columns.map(column => [column, 0] as const)
    return new Map([...none, ...(await this.parts.store.countByColumn())])
  }

  /** @throws AppError `not_found/not_found` */
  async get(id: string): Promise<Card> {
    const card = await this.parts.store.find(id)
    if (!card) throw unknownCard(id)
    return card
  }

  /**
   * @param input not validated yet
   * @throws AppError `invalid/invalid_field`, `conflict/board_full`
   */
  async create(input: unknown, by: CardActor): Promise<Card> {
    const { store, columns, now, newCardId } = this.parts
    const {
      title,
      body = '',
      column = columns[0] ?? '',
      labels = [],
      assignee = null,
      links = [],
      position,
    } = readCard(input, columns)
    const at = toTimestamp(now())
    const card = { id: newCardId(), title, body, column, labels, assignee, links, created_at: at, updated_at: at }
    return store.create(card, { ...(position === undefined ? {} : { position }), max: CARD_LIMITS.cards, by })
  }

  /**
   * Changes the members that were sent; `column` and `position` move the card. A card that stays the same or only moves
   * within its column keeps its version.
   *
   * @param input not validated yet
   * @param ifMatch the header, if one was sent
   * @throws AppError `invalid/invalid_field`, `not_found/not_found`, `outdated/version_conflict`
   */
  update(id: string, input: unknown, ifMatch: string | undefined, by: CardActor): Promise<Card> {
    return this.#queue.run(async () => {
      const before = await this.parts.store.find(id)
      const changes = readCardChanges(input, this.#columnsFor(before))
      const version = wantedVersion(before, ifMatch)
      const updatedAt = toTimestamp(this.parts.now())
      const card = await this.parts.store.update(id, changes, { ...version, updatedAt, by })
      if (!card) throw unknownCard(id)
      return card
    })
  }

  /** @throws AppError `invalid/invalid_field`, `not_found/not_found`, `outdated/version_conflict` */
  delete(id: string, ifMatch: string | undefined, by: CardActor): Promise<void> {
    return this.#queue.run(async () => {
      const version = wantedVersion(await this.parts.store.find(id), ifMatch)
      const deletedAt = toTimestamp(this.parts.now())
      if (!(await this.parts.store.delete(id, { ...version, deletedAt, by }))) throw unknownCard(id)
    })
  }

  /**
   * The history of a card, which a deleted card still has.
   *
   * @throws AppError `not_found/not_found`
   */
  async history(
    id: string,
    { limit, after }: { limit?: number | undefined; after?: number | undefined },
  ): Promise<CardHistory> {
    const page = { limit: limit ?? HISTORY_LIMITS.pageSize.default, after: after ?? null }
    const { items, next } = await this.parts.history.list(id, page)
    if (items.length === 0) await this.get(id)
    return { items, count: items.length, next }
  }

  /** A client may send back the column that it has read, even if it is no longer listed. */
  #columnsFor(card: Card | undefined): readonly string[] {
    const column = card?.column
    const { columns } = this.parts
    return column === undefined || columns.includes(column) ? columns : [...columns, column]
  }
}

/** The card's version if the header names it, else a version that no card has. */
function wantedVersion(card: Card | undefined, ifMatch: string | undefined): { version?: number } {
  const wanted = readIfMatch(ifMatch)
  if (wanted === 'any') return {}
  return { version: card && wanted.includes(card.version) ? card.version : NO_VERSION }
}

function unknownCard(id: string): AppError {
  const shown = id.length > SHOWN_CHARACTERS ? `${id.slice(0, SHOWN_CHARACTERS)}…` : id
  return new AppError('not_found', 'not_found', `There is no card "${shown}".`)
}
