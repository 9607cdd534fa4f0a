import type { Card } from '../model/board/card.js'
import type { CardActor } from '../model/board/card-history.js'

export interface CardFilter {
  column?: string
  label?: string
  assignee?: string
  /** One of its links. */
  link?: string
}

export interface CardPage {
  items: Card[]
  /** `after` of the next page; null at the end. */
  next: number | null
}

/** `position`: the new place in its column, counted from 0; a larger number means the end. */
export type CardChanges = Partial<Omit<Card, 'id' | 'rank' | 'version' | 'created_at' | 'updated_at'>> & {
  position?: number
}

/** Cards. Each change adds to the history of its card, in the same transaction. */
export interface CardStore {
  /** In the order of their creation. */
  list(filter: CardFilter, page: { limit: number; after: number }): Promise<CardPage>
  find(id: string): Promise<Card | undefined>
  count(): Promise<number>
  /** By column; columns without cards are left out. */
  countByColumn(): Promise<[column: string, cards: number][]>
  /**
   * Adds a card at the end of its column, unless `position` is given.
   *
   * @throws AppError `conflict/board_full` beyond `max` cards
   */
  create(
    card: Omit<Card, 'rank' | 'version'>,
    options: { position?: number; max: number; by: CardActor },
  ): Promise<Card>
  /**
   * Compares the version and changes the card in one transaction.
   *
   * @param options `version`: absent: any version
   * @returns the changed card; `undefined` if it does not exist
   * @throws AppError `outdated/version_conflict`
   */
  update(
    id: string,
    changes: CardChanges,
    options: { version?: number; updatedAt: string; by: CardActor },
  ): Promise<Card | undefined>
  /** @returns whether it existed @throws AppError `outdated/version_conflict` */
  delete(id: string, options: { version?: number; deletedAt: string; by: CardActor }): Promise<boolean>
}
