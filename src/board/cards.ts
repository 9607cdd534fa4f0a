import { AppError } from '../model/app-error.js'
import { CARD_LIMITS, type Card, type CardList } from '../model/card.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import type { CardFilter, CardStore } from '../store/card-store.js'
import { readIfMatch } from './if-match.js'
import { readCard, readCardChanges } from './read-card.js'

export interface CardsParts {
  store: CardStore
  /** From left to right; new cards go to the first. A card in a column that is not named here any more stays there. */
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

/** No card has it. */
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
  constructor(private readonly parts: CardsParts) {}

  list({ limit = CARD_LIMITS.pageSize.default, after = 0, ...filter }: CardQuery): CardList {
    const { items, next } = this.parts.store.list(filter, { limit, after })
    return { items, count: items.length, next, columns: [...this.parts.columns] }
  }

  /** @throws AppError `not_found/not_found` */
  get(id: string): Card {
    const card = this.parts.store.find(id)
    if (!card) throw unknownCard(id)
    return card
  }

  /**
   * @param input a card, which nobody has checked yet
   * @throws AppError `invalid/invalid_field`, `conflict/board_full`
   */
  create(input: unknown): Card {
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
    return store.create(card, { ...(position === undefined ? {} : { position }), max: CARD_LIMITS.cards })
  }

  /**
   * Changes what was sent. A card that is the same afterwards, or only stands elsewhere in its column, keeps its
   * version.
   *
   * @param input which nobody has checked yet
   * @param ifMatch the header, where one was sent
   * @throws AppError `invalid/invalid_field`, `not_found/not_found`, `outdated/version_conflict`
   */
  update(id: string, input: unknown, ifMatch: string | undefined): Card {
    const changes = readCardChanges(input, this.columnsFor(id))
    const version = this.wantedVersion(id, ifMatch)
    const card = this.parts.store.update(id, changes, { ...version, updatedAt: toTimestamp(this.parts.now()) })
    if (!card) throw unknownCard(id)
    return card
  }

  /** @throws AppError `invalid/invalid_field`, `not_found/not_found`, `outdated/version_conflict` */
  delete(id: string, ifMatch: string | undefined): void {
    if (!this.parts.store.delete(id, this.wantedVersion(id, ifMatch))) throw unknownCard(id)
  }

  /** Whoever sends back the column that it has read changes nothing, though no board has that column any more. */
  private columnsFor(id: string): readonly string[] {
    const column = this.parts.store.find(id)?.column
    const { columns } = this.parts
    return column === undefined || columns.includes(column) ? columns : [...columns, column]
  }

  /** One of those that were named: nothing comes between this look and the change, as the store is synchronous. */
  private wantedVersion(id: string, ifMatch: string | undefined): { version?: number } {
    const wanted = readIfMatch(ifMatch)
    if (wanted === 'any') return {}
    const version = this.parts.store.find(id)?.version
    return { version: version !== undefined && wanted.includes(version) ? version : NO_VERSION }
  }
}

function unknownCard(id: string): AppError {
  const shown = id.length > SHOWN_CHARACTERS ? `${id.slice(0, SHOWN_CHARACTERS)}…` : id
  return new AppError('not_found', 'not_found', `There is no card "${shown}".`)
}
